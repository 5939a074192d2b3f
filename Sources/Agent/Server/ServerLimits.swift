import Glibc
import NIOCore

/// How much one connection, and all of them, may ask for.
struct ServerLimits: Sendable {
    /// From the first byte, or from the last answer, to a whole request.
    var readTime = TimeAmount.seconds(10)
    /// For an answer to be taken.
    var writeTime = TimeAmount.seconds(10)
    /// Between two interim answers to a request that takes longer.
    var signOfLife = TimeAmount.seconds(5)
    var body = AgentProtocol.requestLimit
    /// Connections at once. One more closes the one that has been idle for longest.
    var connections = 2048
    /// Bytes that a watcher may be behind before it is let go.
    var backlog = 1 << 20

    /// The least there is room for, however few descriptors there are.
    static let fewest = 8

    /// What this process has the descriptors for, after those that the session service needs. Where it has less, ``DescriptorWatch`` sees
    /// to it.
    static func fitting() -> ServerLimits {
        var limits = ServerLimits()
        var descriptors = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 else { return limits }
        limits.connections = min(limits.connections, max(fewest, Int(clamping: descriptors.rlim_cur) - 64))
        return limits
    }
}
