internal import Agent
internal import AuthModel
internal import OAuth
internal import TerminalApp
internal import TerminalUI
internal import UserConfiguration

/// Finds the bridges of this user that run: the processes of `yett mcp URL`.
///
/// There is no list of them: a bridge that was killed would stay in it. The last call is in the activity log, which has the process of each
/// use.
struct RunningBridges {
    let context: CommandContext

    /// The number of entries of the activity log that are searched.
    private static let depth = 2000
    /// The tolerance for a start that seems later than it was, because the clock of the machine was set.
    private static let tolerance = Duration.seconds(2)

    /// Returns the bridges in the order of their processes.
    func all(among processes: [YettProcess] = YettProcess.all()) -> [RunningBridge] {
        let found = processes.compactMap { process in Self.command(process).map { (process, $0.server, $0.command) } }
        guard !found.isEmpty else { return [] }
        let records = ((try? context.directories.state).flatMap { try? ActivityLog(folder: $0).recent(Self.depth) }) ?? []
        let providers = (try? context.configurationFile().read().providers) ?? []
        return found.map { process, server, command in
            let began = context.now - (context.edges.time.bootTime - process.start) - Self.tolerance
            // The numbers of processes are used again.
            let uses = records.lazy.filter { $0.process == process.number && $0.activity.at >= began && $0.activity.session != nil }
            let session = uses.first?.activity.session ?? command.chosenSession(for: server, among: providers)
            return RunningBridge(
                process: process.number, client: process.starter, server: server, session: session,
                lastCall: uses.first { $0.activity.kind == .issued }?.activity.at)
        }
    }

    /// Returns the command line of a bridge; `nil` if the process runs another command.
    private static func command(_ process: YettProcess) -> (server: WebURL, command: MCPCommand)? {
        guard let (_, rest) = try? GlobalOptions.extract(from: process.arguments), rest.first == "mcp",
            let command = RootCommand.subcommand(rest) as? MCPCommand,
            let server = command.url.flatMap({ WebURL($0) }).flatMap({ try? CredentialGate.normalized($0) })
        else { return nil }
        return (server, command)
    }
}

extension MCPCommand {
    /// Returns the session that the command line names, or the one of the provider for the server.
    fileprivate func chosenSession(for server: WebURL, among providers: [ProviderConfiguration]) -> SessionName? {
        if let session { return try? SessionName(argument: session) }
        return providers.closest(to: server).first.flatMap { SessionName(provider: $0.name, account: account) }
    }
}

/// The running bridges, with the sessions that they use: `yett mcp --list`.
struct BridgeReport: TableAnswer {
    let bridges: [RunningBridge]
    let sessions: [SessionSummary]

    private func session(of bridge: RunningBridge) -> SessionSummary? {
        guard let name = bridge.session else { return nil }
        let own = sessions.filter { $0.name == name || (name.account == nil && $0.name.provider == name.provider) }
        return own.count == 1 ? own[0] : nil
    }

    var table: TextTable {
        var table = TextTable("CLIENT", "SERVER", "SESSION", "LAST CALL", "NEXT RENEWAL", "PROCESS")
        table.dispensable = [5, 4]
        for bridge in bridges {
            let session = session(of: bridge)
            table.add([
                StyledText(CallingProgram(caller: bridge.client).name, .title), .address(bridge.server.text),
                StyledText((session?.name ?? bridge.session)?.description ?? "-"), StyledText(bridge.lastCall?.inLocalTime ?? "-", .muted),
                StyledText(session?.nextRenewalAt?.inLocalTime ?? "-", .muted), StyledText(String(bridge.process), .muted),
            ])
        }
        return table
    }

    var json: JSONValue {
        let list = bridges.map { bridge in
            let session = session(of: bridge)
            return JSONValue.members(
                ("client", .string(CallingProgram(caller: bridge.client).path)), ("server", .string(bridge.server.text)),
                ("session", JSONValue((session?.name ?? bridge.session)?.description)), ("last_call_at", JSONValue(bridge.lastCall)),
                ("next_renewal_at", JSONValue(session?.nextRenewalAt)), ("process", .number(bridge.process)))
        }
        return .answer(("bridges", .array(list)))
    }
}
