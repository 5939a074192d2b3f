import NIOCore

/// How much one connection, and all of them, may ask for.
struct ServerLimits: Sendable {
    /// From the first byte, or from the last answer, to a whole request.
    var readTime = TimeAmount.seconds(10)
    /// For an answer to be taken.
    var writeTime = TimeAmount.seconds(10)
    var body = AgentProtocol.requestLimit
    /// Connections at once. One more closes the one that has been idle for longest.
    var connections = 2048
    /// Bytes that a watcher may be behind before it is let go.
    var backlog = 1 << 20
}
