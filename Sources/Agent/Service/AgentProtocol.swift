/// Constants of the protocol between agent and client.
public enum AgentProtocol {
    /// The protocol version of this program. It changes when an older program would misread a change; new members and routes do not change
    /// it.
    public static let version = 1
    /// The header field with the sender's protocol version.
    static let versionField = "Yett-Protocol"
    /// Maximum size of a request's body in bytes, as in OpenSSH's agent.
    static let requestLimit = 256 << 10
    /// Maximum size of an answer or an event, in bytes.
    static let answerLimit = 16 << 20
}
