import NIOCore

/// Limits on what a client of the listener may use.
struct ListenerLimits: Sendable {
    /// Maximum length of the request line, in bytes.
    var requestLine = 8 << 10
    /// Maximum number of bytes that a connection may send. Browsers send the cookies of every local service, so a lower limit is too small.
    var request = 64 << 10
    /// Time limit from the connection's start to the end of its request.
    var readTime = TimeAmount.seconds(5)
    /// Time limit for sending the page.
    var writeTime = TimeAmount.seconds(2)
    /// Maximum number of open connections. One more closes the oldest, preferring one that is not answering, so that idle connections block
    /// no callback.
    var connections = 64
    /// Maximum number of callbacks that wait for a decision.
    var callbacks = 16
}
