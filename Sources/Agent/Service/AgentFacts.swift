public import AuthModel
public import Glibc

/// Constant facts about an agent, for its status.
public struct AgentFacts: Equatable, Sendable {
    /// The program's version.
    public var version: String
    /// The agent's process.
    public var process: Int32
    /// The store and configuration that it uses.
    public var home: AgentHome
    /// When it was started.
    public var startedAt: Timestamp
    /// Whether it logs its network requests.
    public var logs: Bool

    /// Creates the facts.
    public init(version: String, process: Int32 = getpid(), home: AgentHome, startedAt: Timestamp, logs: Bool = false) {
        self.version = version
        self.process = process
        self.home = home
        self.startedAt = startedAt
        self.logs = logs
    }
}

/// The agent's status.
public struct AgentStatus: Equatable, Sendable {
    /// Constant facts.
    public var facts: AgentFacts
    /// Whether the store is locked.
    public var seal: SealState
    /// The user and the machine of an agent that is reached through its restricted socket: `ada@laptop`; `nil` for the whole agent.
    public var forwardedBy: String?
}

extension AgentStatus: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("name", "yett-agent"), ("version", .string(facts.version)), ("protocol", .number(AgentProtocol.version)),
            ("process", .number(facts.process)), ("store", .string(facts.home.store)),
            ("configuration", .string(facts.home.configuration)), ("started_at", facts.startedAt.wire), ("logs", .bool(facts.logs)),
            ("seal", seal.wire(texts)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            facts: AgentFacts(
                version: try reader.text("version"), process: try reader.required("process") { $0.integer.flatMap(Int32.init(exactly:)) },
                home: AgentHome(store: try reader.text("store"), configuration: try reader.text("configuration")),
                startedAt: try reader.moment("started_at"), logs: try reader.optional("logs", \.bool) ?? false),
            seal: try reader.nested("seal"), forwardedBy: try reader.optionalText("forwarded_by"))
    }
}
