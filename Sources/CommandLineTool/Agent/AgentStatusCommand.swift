internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

/// `yett agent status`: prints whether the agent runs, and its state. Starts none.
struct AgentStatusCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show whether an agent is running, and its state.",
        discussion: "Does not start an agent. The exit status is 0 in both cases; scripts can check running in --json.")
    static let examples: KeyValuePairs = [
        "yett agent status": "Shows the agent's process, and whether the store is locked.",
        "yett agent status --json": "Prints it for a script.",
    ]

    @Flag(help: "Print JSON.")
    var json = false

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let status = try await context.agentClient().status()
        try context.console.answer(AgentReport(status: status, place: context.agentLocation), asJSON: json)
    }
}

/// The output of `yett agent status`.
private struct AgentReport: Answer {
    let status: AgentStatus?
    let place: AgentLocation

    private var socket: String { place.socket }
    /// The socket for oidc-agent's clients; `nil` if this machine's agent serves none.
    private var oidcAgentSocket: String? {
        status != nil && place.remoteSocket == nil && place.isServingOIDCAgent ? place.oidcAgentSocket : nil
    }

    var lines: [String] {
        guard let status else { return ["no agent is running"] }
        return [
            "the agent is running as process \(status.facts.process), version \(status.facts.version), since \(status.facts.startedAt.inLocalTime)",
            "store: \(storeDescription(status))", "socket: \(socket)",
        ] + (oidcAgentSocket.map { ["socket for oidc-agent's clients: \($0)"] } ?? [])
    }

    private func storeDescription(_ status: AgentStatus) -> String {
        switch status.seal {
        case .unlocked: "unlocked"
        case .locked(isNew: false): "locked"
        case .locked(isNew: true): "none yet in \(status.facts.home.store)"
        }
    }

    private var isLocked: Bool { status.map { $0.seal != .unlocked } ?? false }

    var json: JSONValue {
        guard let status else { return .answer(("running", false), ("socket", .string(socket))) }
        return .answer(
            ("running", true), ("socket", .string(socket)), ("oidc_agent_socket", JSONValue(oidcAgentSocket)),
            ("process", .number(status.facts.process)),
            ("agent_version", .string(status.facts.version)), ("started_at", JSONValue(status.facts.startedAt)),
            ("locked", .bool(isLocked)), ("logs", .bool(status.facts.logs)),
            ("store", .string(status.facts.home.store)), ("configuration", .string(status.facts.home.configuration)))
    }
}
