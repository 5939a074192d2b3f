internal import AuthModel
internal import Localization
internal import TerminalUI
internal import UserConfiguration

/// `yett setup mcp --all`: moves the remote servers of all clients to Yett, and with `--remove` back.
///
/// Each file is read again when it is written, so that what the client changes in the meantime stays. A file that cannot be changed does
/// not undo the changes of others.
struct MCPImport {
    let options: SetupOptions
    let context: CommandContext

    func callAsFunction() async throws {
        try context.requireDefaultConfiguration()
        let environment = try SetupEnvironment(context)
        let record = try MCPMoveRecord(context)
        try await options.remove ? moveBack(record) : move(record, in: environment)
    }

    // MARK: Moving

    private func move(_ record: MCPMoveRecord, in environment: SetupEnvironment) async throws {
        let command = try environment.requireYett(for: "MCP clients")
        let list = try MCPList(in: context)
        let remotes = list.rows.compactMap { row in row.session != nil && row.remote?.obstacle == nil ? row.remote : nil }
        for row in list.rows {
            guard let remote = row.remote, let reason = row.reason else { continue }
            context.console.note("\(remote.name) in \(remote.client.name) stays: \(reason)")
            if row.session == nil, remote.obstacle == nil {
                context.console.hint("sign in with: yett login \(ShellWord(remote.url.text)) --register; then run this command again")
            }
        }
        var lines: [String] = []
        for remote in remotes {
            guard let (_, parts) = try remote.move(in: MCPClientFile(remote.client, path: remote.path), command: command) else { continue }
            lines += ["\(remote.path), \(remote.name)"]
            lines += parts.flatMap {
                LineDifference.lines(of: $0.before).map { "  - " + $0 } + LineDifference.lines(of: $0.after).map { "  + " + $0 }
            }
        }
        if !remotes.isEmpty {
            try await context.confirm(
                lines, "Let Yett serve \(remotes.count == 1 ? "this server" : "these servers"):", isConfirmed: options.yes)
        }
        var results: [MCPMoveResult.Item] = []
        var failures: [AuthFailure] = []
        for remote in remotes {
            do throws(AuthFailure) {
                try Self.repeatingAfterChanges { () throws(AuthFailure) in
                    guard let (edit, parts) = try remote.move(in: MCPClientFile(remote.client, path: remote.path), command: command) else {
                        return
                    }
                    // The record is written first: after a crash, --remove finds an entry that was not moved, and leaves it.
                    try record.add(MovedServer(remote, parts))
                    try edit.write()
                    results.append(.init(client: remote.client, name: remote.name))
                }
            } catch { failures.append(error) }
        }
        try finish(results, failures)
    }

    // MARK: Moving back

    private func moveBack(_ record: MCPMoveRecord) async throws {
        let moved = try record.servers()
        if !moved.isEmpty {
            try await context.confirm(
                moved.map { "\($0.path), \($0.name)" }, "Let the clients connect by themselves again:", isConfirmed: options.yes)
        }
        var results: [MCPMoveResult.Item] = []
        var failures: [AuthFailure] = []
        // A later move of the same entry is undone first.
        for server in moved.reversed() {
            guard let client = MCPClient(argument: server.client) else { continue }
            do throws(AuthFailure) {
                try Self.repeatingAfterChanges { () throws(AuthFailure) in
                    if let edit = try server.back(in: MCPClientFile(client, path: server.path)) {
                        try edit.write()
                        results.append(.init(client: client, name: server.name))
                    }
                    try record.remove(server)
                }
            } catch { failures.append(error) }
        }
        try finish(results, failures)
    }

    private func finish(_ results: [MCPMoveResult.Item], _ failures: [AuthFailure]) throws {
        try context.answer(MCPMoveResult(items: results, isBack: options.remove), asJSON: options.json)
        guard let first = failures.first else { return }
        for failure in failures.dropFirst() { context.console.failure(failure) }
        throw first
    }

    /// Repeats a change of a file that another program has changed between reading and writing, up to three times.
    private static func repeatingAfterChanges(_ change: () throws(AuthFailure) -> Void) throws(AuthFailure) {
        for _ in 0..<2 {
            do throws(AuthFailure) { return try change() } catch {
                guard error.summary.hasPrefix("another program changed") else { throw error }
            }
        }
        try change()
    }
}

/// The moved servers, in `mcp-moved.json` in the folder of the state. It has what was in the entries: addresses, and never a token.
struct MCPMoveRecord: Sendable {
    private let folder: String
    private var path: String { "\(folder)/mcp-moved.json" }

    init(_ context: CommandContext) throws(AuthFailure) { folder = try context.directories.state }

    /// Returns the servers in the order of their moves. Throws `.configuration` if the file cannot be read.
    func servers() throws(AuthFailure) -> [MovedServer] {
        (try PrivateFile.read(path).flatMap { try? JSONValue(strict: $0) }?["moved"]?.array ?? []).compactMap(MovedServer.init)
    }

    func add(_ server: MovedServer) throws(AuthFailure) { try change { $0.filter { $0 != server } + [server] } }

    func remove(_ server: MovedServer) throws(AuthFailure) { try change { $0.filter { $0 != server } } }

    private func change(_ change: ([MovedServer]) -> [MovedServer]) throws(AuthFailure) {
        try PrivateFile.makeDirectory(folder, isPrivate: true)
        try PrivateFile.withLock(on: folder) { () throws(AuthFailure) in
            let changed = change(try servers())
            try PrivateFile.replace(path, with: Array(JSONValue.answer(("moved", .array(changed.map(\.json)))).text.utf8))
        }
    }
}

/// The outcome of `yett setup mcp --all`.
private struct MCPMoveResult: Answer {
    struct Item {
        let client: MCPClient
        let name: String
    }

    let items: [Item]
    let isBack: Bool

    var lines: [String] {
        guard !items.isEmpty else { return ["nothing was changed"] }
        return items.map { "\(isBack ? "moved back" : "moved"): \($0.client.name) gets \($0.name) \(isBack ? "by itself" : "from yett")" }
    }

    var json: JSONValue {
        .answer(list: isBack ? "moved_back" : "moved", of: items) { item in
            .members(("client", .string(item.client.word)), ("server", .string(item.name)))
        }
    }
}

/// `yett setup mcp --list`: the remote servers of all clients on this machine, and who keeps their tokens.
struct MCPList: TableAnswer {
    /// A server of a client.
    struct Row {
        let client: MCPClient
        let name: String
        let url: WebURL
        /// The remote server; `nil` if yett serves it.
        let remote: MCPRemote?
        /// The session whose tokens are for the server; `nil` if there is none.
        let session: ProviderName?

        /// The reason why a remote server is not moved; `nil` if it can be.
        var reason: String? {
            guard let remote else { return nil }
            if remote.obstacle == "url" { return "its URL may contain a key, which every user would see in the list of processes" }
            if let own = remote.obstacle { return "it has \"\(own)\" of its own" }
            return session == nil ? "you are not signed in at \(url.origin.authority)" : nil
        }
    }

    let rows: [Row]
    /// The clients that have signed in by themselves, with the files of their tokens.
    private let ownTokens: [(client: MCPClient, path: String)]

    /// Reads the configuration of every client. A file that cannot be read is left out with a warning.
    init(in context: CommandContext) throws(AuthFailure) {
        let environment = try SetupEnvironment(context)
        let providers = try context.configurationFile().read().providers
        var rows: [Row] = []
        for client in MCPClient.all {
            do throws(AuthFailure) {
                for file in try MCPClientFile.all(of: client, in: environment) {
                    for server in file.servers {
                        let remote = MCPRemote(server, in: file)
                        guard let url = MCPSetup.url(in: server.entry, of: client) ?? remote?.url else { continue }
                        let session = providers.closest(to: url).first?.name
                        rows.append(Row(client: client, name: server.name, url: url, remote: remote, session: session))
                    }
                }
            } catch {
                context.console.warning("\(client.name) is left out: \(error.summary)")
            }
        }
        self.rows = rows
        ownTokens = MCPClient.all.compactMap { client in
            guard let path = client.tokens.map({ "\(environment.home)/\($0)" }), Self.hasTokens(path, client.tokensMember) else {
                return nil
            }
            return (client, path)
        }
    }

    private static func hasTokens(_ path: String, _ member: String?) -> Bool {
        guard let member else { return FileSnapshot.exists(path) }
        let json = (try? PrivateFile.read(path)).flatMap { try? JSONValue(strict: $0) }
        return json?[member]?.members?.isEmpty == false
    }

    private static func keeper(_ row: Row) -> String {
        if row.remote == nil { return "yett" }
        return row.remote?.obstacle.map { "the client (\($0))" } ?? "the client"
    }

    var table: TextTable {
        var table = TextTable("CLIENT", "SERVER", "URL", "SESSION", "TOKENS KEPT BY")
        for row in rows {
            table.add([
                StyledText(row.client.name, .title), StyledText(row.name), .address(row.url.description),
                StyledText(row.session?.text ?? "-", .success),
                StyledText(Self.keeper(row)),
            ])
        }
        return table
    }

    private var notes: [String] {
        (rows.isEmpty ? ["no client has a remote server"] : [])
            + ownTokens.map { "\($0.client.name) keeps tokens of its own sign-ins in \($0.path)" }
    }

    var lines: [String] { (rows.isEmpty ? [] : table.lines) + notes }

    func rows(on display: Display) -> [StyledText] { (rows.isEmpty ? [] : table.rows(on: display)) + notes.map { StyledText($0) } }

    var json: JSONValue {
        .answer(
            (
                "servers",
                .array(
                    rows.map { row in
                        .members(
                            ("client", .string(row.client.word)), ("server", .string(row.name)), ("url", .string(row.url.description)),
                            ("session", JSONValue(row.session?.text)), ("served_by_yett", .bool(row.remote == nil)),
                            ("own", JSONValue(row.remote?.obstacle)))
                    })
            ),
            (
                "own_tokens",
                .array(ownTokens.map { .members(("client", .string($0.client.word)), ("path", .string($0.path))) })
            ))
    }
}
