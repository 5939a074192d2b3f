import Glibc
import NIOCore

/// The limits of one connection and of all connections.
struct ServerLimits: Sendable {
    /// Time limit for a complete request, from the connection's start or the last answer.
    var readTime = TimeAmount.seconds(10)
    /// Time limit for sending an answer.
    var writeTime = TimeAmount.seconds(10)
    /// The interval of interim responses to a long request.
    var interimResponseInterval = TimeAmount.seconds(5)
    var body = AgentProtocol.requestLimit
    /// Maximum number of connections. One more closes the one that has been idle for longest.
    var connections = 2048
    /// Maximum number of unsent bytes for an event stream before it is closed.
    var backlog = 1 << 20

    /// Minimum of ``connections``, however few descriptors there are.
    static let fewest = 8

    /// Returns limits for the descriptors of this process, minus those that the session service needs. If fewer are available,
    /// ``DescriptorWatch`` reduces the limit.
    static func fitting() -> ServerLimits {
        var limits = ServerLimits()
        var descriptors = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return limits }
        limits.connections = min(limits.connections, max(fewest, Int(clamping: descriptors.rlim_cur) - 64))
        return limits
    }
}
