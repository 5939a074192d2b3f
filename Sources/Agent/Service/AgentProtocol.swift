/// Facts of the protocol that both sides share.
public enum AgentProtocol {
    /// What this program speaks. A change that an older program would misread makes a new one; new members and routes do not.
    public static let version = 1
    /// The header field in which either side names the version it speaks.
    static let versionField = "Yett-Protocol"
    /// The most bytes that a request's body may have, as with OpenSSH's agent.
    static let requestLimit = 256 << 10
    /// The most bytes that a client takes as an answer, or as one event.
    static let answerLimit = 16 << 20
}
