internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import TerminalUI
internal import UserConfiguration

/// `yett setup`: lets tools get the tokens of a session.
struct SetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "setup", abstract: "Let git, kubectl, docker, assistants and other tools get tokens.",
        discussion: """
            Writes the tool's own configuration and the provider's api_hosts. It shows the exact change first and asks once, and then \
            gets a token as the tool does. --remove undoes the change. If a step fails, all files have their earlier content.

            Without a tool, lists what is set up, from the tools' own configuration.
            """,
        subcommands: [
            GitSetupCommand.self, KubectlSetupCommand.self, DockerSetupCommand.self, AWSSetupCommand.self, MailSetupCommand.self,
            MCPSetupCommand.self, ClaudeSetupCommand.self, TargetSetupCommand<CodexRow>.self, TargetSetupCommand<PipRow>.self,
            TargetSetupCommand<UVRow>.self, TargetSetupCommand<CargoRow>.self, TargetSetupCommand<BazelRow>.self,
            TargetSetupCommand<TerraformRow>.self, TargetSetupCommand<RcloneRow>.self,
        ])
    static let examples: KeyValuePairs = [
        "yett setup git git.example.org work": "Lets git get tokens of the session for this host.",
        "yett setup --list": "Lists what is set up.",
        "yett setup git git.example.org --remove": "Removes the setup.",
    ]

    @Flag(help: "List what is set up. Default without a tool.")
    var list = false

    @Flag(help: "Print JSON.")
    var json = false

    func run(in context: CommandContext) async throws {
        let environment = try SetupEnvironment(context)
        let configuration = try context.configurationFile().read()
        var entries: [SetupEntry] = []
        var failure: AuthFailure?
        for tool in SetupTool.allCases {
            do throws(AuthFailure) {
                entries += try await tool.current(in: environment)
            } catch {
                context.console.warning("\(tool.rawValue) is left out: \(error.summary)", hint: error.hintText)
                failure = failure ?? error
            }
        }
        try context.answer(
            SetupList(entries: entries.map { ($0, $0.session?.description ?? configuration.owner(of: $0)?.name.text) }), asJSON: json)
        if entries.isEmpty, failure == nil, !json, context.display != nil { context.console.note("no tool is set up yet") }
        if entries.isEmpty, failure == nil { context.console.hint("set up a tool with: yett setup git HOST SESSION; see: yett help setup") }
        if let failure { throw ExitStatus(code: failure.exitCode) }
    }
}

/// The tools that get their credentials from Yett.
private struct SetupList: TableAnswer {
    let entries: [(entry: SetupEntry, session: String?)]

    var table: TextTable {
        var table = TextTable("TOOL", "FOR", "SESSION")
        for (entry, session) in entries {
            table.add([StyledText(entry.tool.rawValue, .title), .address(entry.target), StyledText(session ?? "-")])
        }
        return table
    }

    var json: JSONValue {
        .answer(list: "setups", of: entries) { entry, session in
            .members(("tool", .string(entry.tool.rawValue)), ("target", .string(entry.target)), ("session", JSONValue(session)))
        }
    }
}

/// The commands that let a tool get the tokens of a session.
protocol ToolSetupCommand: Subcommand {
    var source: TokenSource { get }
    /// Returns the setup. Throws `.usage` if what gets the tokens is not valid.
    func toolSetup(for session: SessionName?, in environment: SetupEnvironment) throws(AuthFailure) -> any ToolSetup
}

extension ToolSetupCommand {
    func run(in context: CommandContext) async throws {
        let session = try await source.setup.session(source.session, in: context)
        let tool = try toolSetup(for: session, in: SetupEnvironment(context))
        try await SetupRun(setup: tool, options: source.setup, context: context)()
    }
}

/// The session that a tool gets tokens of, and the options of every setup.
struct TokenSource: ParsableArguments {
    @Argument(help: .onlySession, completion: .names(.sessions))
    var session: String?

    @OptionGroup var setup: SetupOptions
}

/// The options of every command that sets up a tool.
struct SetupOptions: ParsableArguments {
    @Flag(help: "Remove the setup.")
    var remove = false

    @Flag(help: "Make the change without a question.")
    var yes = false

    @Flag(help: "Print JSON.")
    var json = false

    /// Returns the named session, otherwise the provider of the only one; `nil` only with `--remove`, which needs none.
    func session(_ text: String?, in context: CommandContext) async throws(AuthFailure) -> SessionName? {
        if let text { return try SessionName(argument: text) }
        guard !remove else { return nil }
        return SessionName(provider: try await context.unlockedService().only(nil).name.provider, account: nil)
    }
}

/// The hosts that setups added to `api_hosts`, in `setup.json` in the folder of the state. `--remove` leaves all others, which the user
/// added.
struct SetupHosts: Sendable {
    private let folder: String
    /// The path of the configuration that has the hosts.
    private let configuration: String

    private var path: String { "\(folder)/setup.json" }

    init(_ context: CommandContext) throws(AuthFailure) {
        (folder, configuration) = (try context.directories.state, try context.configurationFile().path)
    }

    /// Returns whether a setup added the host of a change.
    func contains(_ change: HostChange) throws(AuthFailure) -> Bool { try read().contains(entry(change)) }

    /// Keeps the record up to date with a change that was made.
    func note(_ change: HostChange) throws(AuthFailure) {
        try PrivateFile.makeDirectory(folder, isPrivate: true)
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            let hosts = try read().filter { $0 != entry(change) } + (change.direction == .add ? [entry(change)] : [])
            try PrivateFile.replace(path, with: Array(JSONValue.answer(("api_hosts", .array(hosts))).text.utf8))
        }
    }

    private func entry(_ change: HostChange) -> JSONValue {
        .members(
            ("configuration", .string(configuration)), ("provider", .string(change.provider.text)), ("host", .string(change.host)))
    }

    /// Returns the entries; none if the file is missing or damaged: then all hosts count as the user's.
    private func read() throws(AuthFailure) -> [JSONValue] {
        try PrivateFile.read(path).flatMap { try? JSONValue(strict: $0) }?["api_hosts"]?.array ?? []
    }
}

extension WebURL {
    /// Parses `HOST`, `HOST:PORT` or the URL of a server without a path. Throws `.usage`.
    static func server(_ text: String) throws(AuthFailure) -> WebURL {
        guard let url = WebURL(text.contains("://") ? text : "https://" + text), ["", "/"].contains(url.path), url.query == nil,
            url.fragment == nil
        else {
            throw AuthFailure(.usage, text: "'\(text)' is not a host", hint: "use the form git.example.org or git.example.org:8443")
        }
        guard url.isProtected else {
            throw AuthFailure(
                .usage, text: "tokens are not sent to \(url.origin) without encryption",
                hint: "use https; http is for loopback addresses only")
        }
        return url
    }
}
