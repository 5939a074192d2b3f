internal import ArgumentParser
internal import AuthModel
internal import OperatingSystem
internal import UserConfiguration

/// `yett`: runs the terminal app; the parent of all other commands.
struct RootCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "yett",
        abstract: "Sign in to any OAuth 2 or OpenID Connect service from the terminal, and give its tokens to your tools.",
        discussion: """
            Without a command, yett opens the full-screen app, or with --plain the same as line-by-line prompts. Without a \
            terminal, it runs yett status.

            exit status: 0 done, 1 a bug, 2 configuration or store, 3 cancelled, 4 timed out, 5 denied by the provider, \
            6 sign in again, 7 network or server trouble, 8 refused for security, 9 not signed in, 10 already signed in, \
            64 the command line is wrong
            """,
        version: Program.version,
        groupedSubcommands: [
            CommandGroup(
                name: "Sign-in", subcommands: [LoginCommand.self, SignupCommand.self, RecoverCommand.self, LogoutCommand.self]),
            CommandGroup(
                name: "Session",
                subcommands: [
                    StatusCommand.self, SessionsCommand.self, AccountsCommand.self, SwitchCommand.self, PickCommand.self, RenewCommand.self,
                    RevokeCommand.self, InspectCommand.self, ActivityCommand.self,
                ]),
            CommandGroup(
                name: "Token",
                subcommands: [
                    TokenCommand.self, ExecCommand.self, RequestCommand.self, ProxyCommand.self, MCPCommand.self, ConsoleCommand.self,
                    FilesCommand.self,
                ]),
            CommandGroup(name: "Tool", subcommands: [SetupCommand.self, HelperCommand.self, SSHCommand.self]),
            CommandGroup(
                name: "Configuration",
                subcommands: [
                    ProvidersCommand.self, ConfigCommand.self, DoctorCommand.self, AgentCommand.self, SealCommand.self, ThemeCommand.self,
                ]),
            CommandGroup(name: "Demo", subcommands: [DemoCommand.self, SandboxCommand.self]),
            CommandGroup(name: "Help", subcommands: [HelpCommand.self, CompletionsCommand.self, CompleteCommand.self]),
        ])
    static let examples: KeyValuePairs = [
        "yett": "Opens the app.",
        "yett providers add https://id.example.org --name work --client-id YOUR_CLIENT": "Adds a provider.",
        "yett login work": "Signs in there.",
        "yett status": "Lists your sessions.",
        "yett token work": "Prints a fresh access token.",
    ]

    static let handlesInterruptions = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        guard context.canRunApp || context.canRunPlain else { return try await StatusCommand.show(nil, asJSON: false, in: context) }
        try await AppStart.run(in: context)
    }
}

extension RootCommand {
    /// Parses a command line and returns its command.
    ///
    /// The command that it names is parsed alone: setting up all other commands takes two thirds of a program start. Errors and help
    /// requests go to the full parser, which reports them properly.
    static func parse(commandLine: [String]) throws -> any ParsableCommand {
        if commandLine.isEmpty { return RootCommand() }
        if let command = named(commandLine) { return command }
        // The parser's own completion scripts evaluate the answers that they get.
        guard !commandLine.prefix(while: { $0 != "--" }).contains(where: { $0.hasPrefix("--generate-completion-script") }) else {
            throw AuthFailure(
                .usage, text: "unknown option '--generate-completion-script'", hint: "use: yett completions bash, zsh or fish")
        }
        return try parseAsRoot(commandLine)
    }

    /// Returns the command that a command line names, without the full parser; `nil` if the line is not valid.
    static func subcommand(_ commandLine: [String]) -> (any Subcommand)? { named(commandLine) as? any Subcommand }

    private static func named(_ commandLine: [String]) -> (any ParsableCommand)? {
        guard let (leaf, rest) = leaf(of: commandLine) else { return nil }
        if leaf == SandboxCommand.self { return SandboxCommand.passing(rest) }
        return try? leaf.parse(rest)
    }

    /// Returns the command without subcommands that a command line begins with, and the rest of the line; `nil` if it begins with none.
    private static func leaf(of commandLine: [String]) -> (command: any ParsableCommand.Type, rest: [String])? {
        var command: any ParsableCommand.Type = RootCommand.self
        var rest = commandLine[...]
        while !command.configuration.subcommands.isEmpty {
            guard let word = rest.popFirst(),
                let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else { return nil }
            command = next
        }
        return (command, Array(rest))
    }
}

/// An error from the parser: a help request, or a mistake in the command line.
struct CommandLineError {
    private let error: any Error
    /// The command line without the global options.
    private let arguments: [String]

    init(_ error: any Error, arguments: [String]) {
        self.error = error
        self.arguments = (try? GlobalOptions.extract(from: arguments))?.rest ?? arguments
    }

    /// Prints the help page or the failure, and returns the exit status.
    func report(in context: CommandContext) -> Int32 {
        guard RootCommand.exitCode(for: error) != .success else {
            do throws(OutputError) {
                try showPage(in: context)
                return 0
            } catch {
                if !error.isBrokenPipe { context.console.failure(error.failure) }
                return error.failure.exitCode
            }
        }
        let (summary, correction) = Self.parts(of: RootCommand.message(for: error))
        let failure =
            unknownCommand.map { AuthFailure(.usage, text: "unknown command '\($0)'", hint: hint) }
            ?? AuthFailure(.usage, text: summary, hint: correction ?? hint)
        context.console.failure(failure)
        return failure.exitCode
    }

    /// Prints what the parser has for a request: a help page or the version. On a terminal, the page is that of `yett help`.
    private func showPage(in context: CommandContext) throws(OutputError) {
        let message = RootCommand.fullMessage(for: error)
        let isPage = message.contains("USAGE: ")
        if isPage, let display = context.display, let rows = HelpCommand.rows(for: commandWords, on: display) {
            return try context.console.show(rows, on: display)
        }
        let isOtherPage = isPage && !message.contains(GlobalOptionsHelp.names[0])
        try context.console.page(isOtherPage ? message + "\n\n" + GlobalOptionsHelp.advice : message)
    }

    /// Returns the parser's message in our style: its first line, in lower case, without a full stop; and the correction that it proposes.
    static func parts(of message: String) -> (summary: String, correction: String?) {
        let lines = message.split(whereSeparator: \.isNewline).map(String.init)
        var text = lines.first ?? "the command line has an error"
        if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
        while text.last == "." { text.removeLast() }
        text = text.prefix(1).lowercased() + text.dropFirst()
        if let found = text.firstRange(of: ". Did you mean '") {
            let (summary, option) = (String(text[..<found.lowerBound]), String(text[found.upperBound...].prefix { $0 != "'" }))
            // The parser proposes any option with at most three other letters, so also one with no letter in common.
            let typed = (summary.split(separator: "'").last ?? "").drop { $0 == "-" }
            let isNear = [String(option.drop { $0 == "-" })].nearest(to: String(typed)) != nil
            return (summary, isNear ? "did you mean \(option)?" : nil)
        }
        if let found = text.firstRange(of: ". Please provide one of ") {
            let values = lines.dropFirst().map { line in line.drop { $0 == " " || $0 == "-" } }.joined(separator: ", ")
            return (String(text[..<found.lowerBound]), "use one of: \(values.isEmpty ? String(text[found.upperBound...]) : values)")
        }
        return (text, nil)
    }

    private var names: [String] { RootCommand.configuration.subcommands.compactMap { command in command.configuration.commandName } }

    /// The words of the command and its subcommands.
    private var commandWords: String {
        var words: [String] = []
        var commands = RootCommand.configuration.subcommands
        for word in arguments where !word.hasPrefix("-") {
            guard let command = commands.first(where: { $0._commandName == word }) else { break }
            words.append(word)
            commands = command.configuration.subcommands
        }
        return words.joined(separator: " ")
    }

    /// The word at the position of the command, if there is no such command.
    private var unknownCommand: String? { arguments.first.flatMap { $0.hasPrefix("-") || names.contains($0) ? nil : $0 } }

    /// An argument that begins with one dash and is longer than an option of one letter: perhaps a value that the parser took for options.
    private var valueLikeOption: String? {
        guard !arguments.contains("--") else { return nil }
        return arguments.first { $0.count > 2 && $0.hasPrefix("-") && !$0.hasPrefix("--") }
    }

    private var hint: String {
        guard let first = arguments.first(where: { !$0.hasPrefix("-") }) else { return "see: yett --help" }
        if names.contains(first) {
            return valueLikeOption.map { "if '\($0)' is a value, write -- before it" } ?? "see: yett \(commandWords) --help"
        }
        return names.nearest(to: first).map { "did you mean: yett \($0)?" } ?? "see: yett --help"
    }
}
