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
    /// The absolute paths of the program, the certificates and the cached metadata that it trusts; `nil` for an older agent.
    public var trustedFiles: [String]?

    /// Creates the facts.
    public init(
        version: String, process: Int32 = getpid(), home: AgentHome, startedAt: Timestamp, logs: Bool = false, trustedFiles: [String]?
    ) {
        self.version = version
        self.process = process
        self.home = home
        self.startedAt = startedAt
        self.logs = logs
        self.trustedFiles = trustedFiles
    }
}

/// The agent's status.
public struct AgentStatus: Equatable, Sendable {
    /// Constant facts.
    public var facts: AgentFacts
    /// Whether the store is locked.
    public var seal: StoreState
    /// The user and the machine of an agent that is reached through its restricted socket: `ada@laptop`; `nil` for the whole agent.
    public var forwardedBy: String?
}

extension AgentStatus: WireValue {
    package func wire(_ texts: MessageTexts) -> JSONValue {
        .members(
            ("name", "yett-agent"), ("version", .string(facts.version)), ("protocol", .number(AgentProtocol.version)),
            ("process", .number(facts.process)), ("store", .string(facts.home.store)),
            ("configuration", .string(facts.home.configuration)), ("started_at", facts.startedAt.wire), ("logs", .bool(facts.logs)),
            ("trusted_files", .array((facts.trustedFiles ?? []).map(JSONValue.string))), ("seal", seal.wire(texts)))
    }

    package init(wire: JSONValue) throws(WireError) {
        let reader = try WireReader(wire)
        self.init(
            facts: AgentFacts(
                version: try reader.text("version"), process: try reader.required("process") { $0.integer.flatMap(Int32.init(exactly:)) },
                home: AgentHome(store: try reader.text("store"), configuration: try reader.text("configuration")),
                startedAt: try reader.moment("started_at"), logs: try reader.optional("logs", \.bool) ?? false,
                trustedFiles: try reader.optional("trusted_files", \.strings)),
            seal: try reader.nested("seal"), forwardedBy: try reader.optionalText("forwarded_by"))
    }
}

/// The protocol's OpenAPI document, embedded in the program.
enum AgentDescription {
    static let bytes: [UInt8] = EmbeddedFiles.all.first.map { $0.text.withUTF8Buffer(Array.init) } ?? []
}

/// Constants of the protocol between agent and client.
public enum AgentProtocol {
    /// The protocol version of this program. It changes when an older program would misread a change; new members and routes do not change
    /// it.
    public static let version = 1
    /// The header field with the sender's protocol version.
    static let versionField = "Yett-Protocol"
    /// The header field with the version of the caller's program. A command runs in an agent of the same version only.
    static let programVersionField = "Yett-Version"
    /// The header field with the exit status of a command.
    static let exitStatusField = "Yett-Exit-Status"
    /// The header field with the number of bytes of a command's standard output; its standard error follows in the body.
    static let outputLengthField = "Yett-Output-Length"
    /// Maximum size of a request's body in bytes, as in OpenSSH's agent.
    static let requestLimit = 256 << 10
    /// Maximum size of an answer or an event, in bytes.
    static let answerLimit = 16 << 20
}

/// The store and the configuration that an agent uses.
///
/// Commands with several homes may share one runtime folder, for example in tests and in `sudo` sessions. Each request names its home, and
/// an agent of another home refuses it, so that no request is answered from the wrong store.
public struct AgentHome: Equatable, Sendable {
    /// The folder of the store.
    public var store: String
    /// The configuration file.
    public var configuration: String

    package init(store: String, configuration: String) {
        self.store = store
        self.configuration = configuration
    }

    /// The refusal of a request that names another home.
    package static let mismatch = AuthFailure(.configuration, "agent.serves_another_home", hint: "hint.use_no_agent_or_runtime_dir")

    /// The header fields that carry it.
    static let storeField = "Yett-Store"
    static let configurationField = "Yett-Configuration"
}
