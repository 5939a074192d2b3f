internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import OperatingSystem
internal import UserConfiguration

/// `yett setup mcp`: lets an editor or an assistant use a remote MCP server.
struct MCPSetupCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "mcp", abstract: "Let editors and assistants use remote MCP servers.",
        discussion: """
            Adds the server to the client's own configuration of the user, as a command that runs yett mcp URL. The client gets no token. \
            Sign in first: yett login URL --register. With --all, it moves the remote servers that the clients on this machine have \
            already, if you are signed in there; --all --remove moves them back. --list shows which client has which server, and who \
            keeps the tokens. See: yett help assistants.
            """)
    static let examples: KeyValuePairs = [
        "yett setup mcp example https://mcp.example.org/mcp --client claude": "Adds the server to Claude Code.",
        "yett setup mcp example --client claude --remove": "Removes it.",
        "yett setup mcp --all": "Moves the remote servers of all clients to Yett.",
        "yett setup mcp --list": "Shows who keeps the tokens of which server.",
    ]

    @Argument(help: "The name of the server in the client.")
    var name: String?

    @Argument(help: "The URL of the server.")
    var url: String?

    @Option(help: ArgumentHelp("The client: \(MCPClient.words).", valueName: "client"))
    var client: MCPClient?

    @Flag(help: "Move the remote servers of all clients, or with --remove back.")
    var all = false

    @Flag(help: "List the clients' remote servers, and who keeps their tokens.")
    var list = false

    @OptionGroup var setup: SetupOptions

    func validate() throws {
        if all || list {
            guard name == nil, client == nil, !(all && list) else { throw ValidationError("--all and --list take no server and no client") }
            guard !list || !setup.remove else { throw ValidationError("--list and --remove cannot be combined") }
            return
        }
        guard let name else { throw ValidationError("no server given: name it, or use --all or --list") }
        guard client != nil else { throw ValidationError("--client is missing: \(MCPClient.words)") }
        guard !name.isEmpty, name.utf8.count <= 64, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") }) else {
            throw ValidationError("the name must be one word")
        }
    }

    func run(in context: CommandContext) async throws {
        if list { return try context.answer(MCPList(in: context), asJSON: setup.json) }
        if all { return try await MCPImport(options: setup, context: context)() }
        guard let name, let client else { return }
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
        guard let provider = try context.configurationFile().read().providers.closest(to: url).first else {
            throw AuthFailure(
                .notSignedIn, text: "not signed in at \(url.origin.authority)",
                hint: "sign in with: yett login \(ShellWord(url.text)) --register")
        }
        return try SessionName(argument: provider.name.text)
    }
}

/// An MCP server in the configuration of a client, served by `yett mcp`.
struct MCPSetup: ToolSetup {
    var tool: SetupTool { .mcp }

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
    static func url(in entry: JSONValue, of client: MCPClient) -> WebURL? {
        let words = client.command(of: entry)
        guard words.count > 2, words[0] == "yett" || words[0].hasSuffix("/yett"), words[1] == "mcp" else { return nil }
        return WebURL(words[2])
    }

    static func current(in environment: SetupEnvironment) throws(AuthFailure) -> [SetupEntry] {
        var entries: [SetupEntry] = []
        for client in MCPClient.all {
            // A file that cannot be read is the client's own matter until a setup has to change it.
            for server in ((try? MCPClientFile.all(of: client, in: environment)) ?? []).flatMap(\.servers) {
                guard let url = url(in: server.entry, of: client) else { continue }
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
        let members = client.members(of: name, command: command, arguments: ["mcp", url.text])
        let files = try orByHand(members) { () throws(AuthFailure) in try MCPClientFile.all(of: client, in: environment) }
        guard let file = files.first(where: { $0.server(name, in: $0.list) != nil }) ?? files.first else { return SetupChange() }
        let present = file.server(name, in: file.list)?.entry
        if present == .object(members) { return SetupChange() }
        if let present, Self.url(in: present, of: client) == nil {
            throw AuthFailure(
                .configuration, text: "\(client.name) already has another server named \(name)",
                hint: "choose another name, or remove it from \(client.list[0]) in \(file.path) first")
        }
        let edit = try orByHand(members) { () throws(AuthFailure) in try file.edit(name, in: file.list, to: members) }
        return SetupChange(steps: [step(edit, in: file.list, from: present, to: .object(members))])
    }

    func undo() throws(AuthFailure) -> SetupChange {
        for file in try MCPClientFile.all(of: client, in: environment) {
            guard let present = file.servers.first(where: { $0.name == name && Self.url(in: $0.entry, of: client) != nil }) else {
                continue
            }
            return SetupChange(steps: [step(try file.edit(name, in: present.list, to: nil), in: present.list, from: present.entry, to: nil)]
            )
        }
        return SetupChange()
    }

    /// Runs `body`. Its failure says what to add by hand to YAML, which has more forms than are edited. JSON is a part of it.
    private func orByHand<Value>(_ members: [JSONValue.Member], _ body: () throws(AuthFailure) -> Value) throws(AuthFailure) -> Value {
        do throws(AuthFailure) { return try body() } catch {
            guard client.format == .yaml else { throw error }
            let line = "\(JSONValue.string(name).text): \(JSONValue.object(members).text)"
            throw AuthFailure(
                error.kind, error.message, hint: .verbatim("add below \(client.list[0]): this line, indented by two spaces: \(line)"))
        }
    }

    /// Returns the step of an edit, which shows only the entry: the file can have secrets of other servers.
    private func step(_ edit: FileEdit, in list: [String], from old: JSONValue?, to new: JSONValue?) -> SetupStep {
        let place = (list + [name]).map { "\"\($0)\"" }.joined(separator: ": ")
        func lines(_ entry: JSONValue?) -> [String] { entry.map { ["\(place): \($0.text)"] } ?? [] }
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
