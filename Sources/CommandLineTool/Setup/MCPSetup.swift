internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import OperatingSystem
internal import UserConfiguration

/// `yett setup mcp`: lets an editor or an assistant use a remote MCP server.
struct MCPSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let an editor or an assistant use a remote MCP server.",
        discussion: """
            Adds the server to the client's own configuration of the user, as a command that runs yett mcp URL. The client gets no token. \
            Sign in first: yett login URL --register. See: yett help assistants.
            """)
    static let examples: KeyValuePairs = [
        "yett setup mcp example https://mcp.example.org/mcp --client claude": "Adds the server to Claude Code.",
        "yett setup mcp example --client claude --remove": "Removes it.",
    ]

    @Argument(help: "The name of the server in the client.")
    var name: String

    @Argument(help: "The URL of the server.")
    var url: String?

    @Option(help: ArgumentHelp("claude, cursor, vscode or zed.", valueName: "client"))
    var client: MCPClient

    @OptionGroup var setup: SetupOptions

    func validate() throws {
        guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else {
            throw ValidationError("the name must be one word")
        }
    }

    func run(in context: CommandContext) async throws {
        let address = try url.map { text throws(AuthFailure) in
            guard let url = WebURL(text), url.fragment == nil else {
                throw AuthFailure(.usage, text: "not the URL of an MCP server", hint: "write the full URL: https://mcp.example.org/mcp")
            }
            return try CredentialGate.normalized(url)
        }
        var session: SessionName?
        if !setup.remove, let address { session = try Self.session(for: address, in: context) }
        let tool = MCPSetup(name: name, client: client, url: address, session: session, environment: try SetupEnvironment(context))
        try await SetupRun(setup: tool, options: setup, context: context)()
    }

    /// Returns the session for a server, without its account.
    private static func session(for url: WebURL, in context: CommandContext) throws(AuthFailure) -> SessionName {
        let providers = try context.configurationFile().read().providers
        guard let provider = providers.first(where: { $0.hasResource(at: url) }) else {
            throw AuthFailure(
                .notSignedIn, text: "not signed in at \(url.origin.authority)",
                hint: "sign in with: yett login \(ShellWord(url.text)) --register")
        }
        return try SessionName(argument: provider.name.text)
    }
}

/// An MCP server in the configuration of a client, served by `yett mcp`.
struct MCPSetup: ToolSetup {
    static let tool = SetupTool.mcp

    /// The server's name in the client, and the client.
    var target: String { Self.target(name, client) }
    let name: String
    let client: MCPClient
    /// The server's URL; `nil` for ``undo()``.
    let url: WebURL?
    let session: SessionName?
    let environment: SetupEnvironment

    private static func target(_ name: String, _ client: MCPClient) -> String { "\(name) in \(client.name)" }

    // MARK: Reading

    /// Returns the URL that an entry serves; `nil` if it does not run yett.
    private static func url(in entry: JSONValue) -> WebURL? {
        guard let command = entry["command"]?.string, command == "yett" || command.hasSuffix("/yett"),
            let words = entry["args"]?.strings, words.first == "mcp", words.count > 1
        else { return nil }
        return WebURL(words[1])
    }

    static func current(in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        var entries: [SetupEntry] = []
        for client in MCPClient.allCases {
            // A file with comments is the client's own matter until a setup has to change it.
            guard let file = try? MCPClientFile(client, in: environment) else { continue }
            for server in file.servers {
                guard let url = url(in: server.value) else { continue }
                entries.append(SetupEntry(tool: .mcp, target: target(server.name, client), session: nil, destination: url))
            }
        }
        return entries
    }

    // MARK: Changing

    func change() throws(AuthFailure) -> SetupChange {
        guard let url else { throw AuthFailure(.usage, text: "no URL given", hint: "write: yett setup mcp NAME URL --client CLIENT") }
        // Programs that a desktop starts often have another PATH.
        let command = try environment.requireYett(for: client.name)
        let entry = client.entry(command: command, arguments: ["mcp", url.text])
        let file = try MCPClientFile(client, in: environment)
        let present = file.servers.first { $0.name == name }?.value
        if present == entry { return SetupChange() }
        if let present, Self.url(in: present) == nil {
            throw AuthFailure(
                .configuration, text: "\(client.name) already has another server named \(name)",
                hint: "choose another name, or remove it from \(client.key) in \(file.path) first")
        }
        return SetupChange(steps: [step(try file.edit(name, to: entry), from: present, to: entry)])
    }

    func undo() throws(AuthFailure) -> SetupChange {
        let file = try MCPClientFile(client, in: environment)
        guard let present = file.servers.first(where: { $0.name == name })?.value, Self.url(in: present) != nil else {
            return SetupChange()
        }
        return SetupChange(steps: [step(try file.edit(name, to: nil), from: present, to: nil)])
    }

    /// Returns the step of an edit, which shows only the entry: the file can have secrets of other servers.
    private func step(_ edit: FileEdit, from old: JSONValue?, to new: JSONValue?) -> SetupStep {
        func lines(_ entry: JSONValue?) -> [String] { entry.map { ["\"\(client.key)\": \"\(name)\": \($0.text)"] } ?? [] }
        return SetupStep(edit, showing: LineDifference(before: lines(old), after: lines(new)))
    }

    // MARK: Checking

    func check() async throws(AuthFailure) -> SetupCheck {
        let opening = JSONValue.members(
            ("jsonrpc", "2.0"), ("id", 1), ("method", "initialize"),
            (
                "params",
                .members(
                    ("protocolVersion", "2025-11-25"), ("capabilities", .object([])),
                    ("clientInfo", .members(("name", "yett setup"), ("version", .string(Program.version)))))
            ))
        let words = [try environment.requireYett(for: client.name), "mcp", url?.text ?? ""]
        let exchange = try await environment.run(words, input: opening.text + "\n")
        let answer = try? JSONValue(strict: exchange.output, limits: JSONValue.Limits(bytes: 4 << 20, depth: 128))
        guard exchange.status == 0, let server = answer?["result"]?["serverInfo"]?["name"]?.string else {
            let reason = answer?["error"]?["message"]?.string
            guard let reason else { throw exchange.refusal("\(client.name) got no answer of \(name)") }
            throw AuthFailure(.configuration, text: "\(client.name) got no answer of \(name): \(reason)", hint: "see: yett help assistants")
        }
        return SetupCheck(command: "yett mcp", found: "the answer of the server \(server)")
    }
}
