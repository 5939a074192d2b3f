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
