import NIOCore

/// What a client of the listener may use up.
struct ListenerLimits: Sendable {
    /// Bytes of the request line at most.
    var requestLine = 8 << 10
    /// Bytes a connection may send in all. Browsers send the cookies of every local service along, hence not less.
    var request = 64 << 10
    /// From the connection to the end of its request.
    var readTime = TimeAmount.seconds(5)
    /// From the page's first byte to its last.
    var writeTime = TimeAmount.seconds(2)
    /// Open connections. With one more, the one that has kept quiet longest is closed, so that idle ones keep nobody out.
    var connections = 64
    /// Callbacks that wait to be judged.
    var callbacks = 16
}
