import AuthModel
import Glibc

/// A listening socket that systemd opened for the agent (sd_listen_fds(3)).
enum SocketActivation {
    /// The first passed descriptor.
    private static let first: Int32 = 3

    /// Returns the socket; `nil` if this process was not started for one.
    ///
    /// Throws `.configuration` if systemd passed something else, so that a wrong unit is reported instead of ignored. The variables are for
    /// this process only and must not be passed on.
    static func socket(environment: [String: String], process: Int32 = getpid()) throws(AuthFailure) -> Int32? {
        guard environment["LISTEN_PID"] == String(process), let count = environment["LISTEN_FDS"].flatMap(Int32.init), count > 0 else {
            return nil
        }
        let names = (environment["LISTEN_FDNAMES"] ?? "").split(separator: ":", omittingEmptySubsequences: false)
        guard count <= 64 else { throw refusal("socket.too_many_passed") }
        for descriptor in first..<(first + count) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        let index = names.firstIndex(of: "agent").map(Int32.init) ?? 0
        guard index < count, names.contains("agent") || count == 1 else { throw refusal("socket.none_named_agent") }
        let descriptor = first + index
        guard option(descriptor, SO_DOMAIN) == AF_UNIX, option(descriptor, SO_TYPE) == Int32(SOCK_STREAM.rawValue),
            option(descriptor, SO_ACCEPTCONN) == 1
        else { throw refusal("socket.not_listening_unix_stream") }
        return descriptor
    }

    /// The variables that are for the service only.
    static let variables = socketVariables + ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]
    /// Those that describe the passed sockets.
    static let socketVariables = ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"]

    static func option(_ descriptor: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, name, &value, &size) == 0 ? value : nil
    }

    private static func refusal(_ reason: UserMessage) -> AuthFailure {
        AuthFailure(.configuration, reason, hint: "hint.compare_socket_unit")
    }
}
