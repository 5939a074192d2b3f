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
    private let arguments: [String]

    init(_ error: any Error, arguments: [String]) {
        self.error = error
        self.arguments = arguments
    }

    /// Prints the help page or the failure, and returns the exit status.
    func report(to console: Console) -> Int32 {
        let message = RootCommand.fullMessage(for: error)
        guard RootCommand.exitCode(for: error) != .success else {
            let isOtherPage = message.contains("USAGE: ") && !message.contains(GlobalOptionsHelp.names[0])
            do throws(OutputError) {
                try console.page(isOtherPage ? message + "\n\n" + GlobalOptionsHelp.advice : message)
                return 0
            } catch {
                if !error.isBrokenPipe { console.failure(error.failure) }
                return error.failure.exitCode
            }
        }
        let summary = unknownCommand.map { "unknown command '\($0)'" } ?? Self.sentence(RootCommand.message(for: error))
        let failure = AuthFailure(.usage, text: summary, hint: hint)
        console.failure(failure)
        return failure.exitCode
    }

    /// Returns the parser's message in our style: its first line, in lower case, without a full stop.
    private static func sentence(_ message: String) -> String {
        var text = message.split(whereSeparator: \.isNewline).first.map(String.init) ?? "the command line has an error"
        if text.hasPrefix("Error: ") { text.removeFirst("Error: ".count) }
        while text.last == "." { text.removeLast() }
        return text.prefix(1).lowercased() + text.dropFirst()
    }

    private var names: [String] { RootCommand.configuration.subcommands.compactMap { command in command.configuration.commandName } }

    /// The words of the command and its subcommands.
    private var commandWords: String {
        var words: [String] = []
        var commands = RootCommand.configuration.subcommands
        for word in arguments where !word.hasPrefix("-") {
            guard let command = commands.first(where: { $0.configuration.commandName == word }) else { break }
            words.append(word)
            commands = command.configuration.subcommands
        }
        return words.joined(separator: " ")
    }

    /// The word at the position of the command, if there is no such command.
    private var unknownCommand: String? {
        guard let first = arguments.first(where: { !$0.hasPrefix("-") }), arguments.first == first || firstIsGlobal else { return nil }
        return names.contains(first) ? nil : first
    }

    /// Whether the first argument is a global option without a value.
    private var firstIsGlobal: Bool { arguments.first.map { $0 != "--config" && GlobalOptionsHelp.names.contains($0) } ?? false }

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
