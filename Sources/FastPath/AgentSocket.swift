internal import CLauncher

/// A connection to the user's agent.
struct AgentSocket {
    /// The process identifier of the agent, from the kernel.
    let process: pid_t
    private let descriptor: Int32

    /// The result of reading a response.
    enum ReceiveResult {
        /// A complete response. `count` is the number of bytes in the buffer, including interim responses.
        case whole(AgentResponse, count: Int)
        /// The agent is connected but did not respond in time.
        case silent
        /// The connection closed before the response was complete, or the response is too large.
        case truncated
    }

    /// The maximum time without data from the agent, in seconds. A busy agent sends an interim response every five seconds.
    static let silenceTimeout = 20
    /// The maximum total time of a request, in seconds.
    static let totalTimeout = 300

    /// Connects to the agent; returns `nil` if no agent of this user is running.
    init?(_ environment: LauncherEnvironment) {
        var address = sockaddr_un()
        guard environment.write(address: &address) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // Limits the time to connect to five seconds.
        var turn = timeval(tv_sec: 5, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &turn, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, let socket = AgentSocket(connected: descriptor) else {
            CLauncher.close(descriptor)
            return nil
        }
        self = socket
    }

    /// Wraps a connected socket; returns `nil` if the other end belongs to another user.
    ///
    /// - Parameter silenceTimeout: the maximum time without data from the agent, in milliseconds.
    init?(connected descriptor: Int32, silenceTimeout: Int = silenceTimeout * 1000) {
        // The fields of `struct ucred`, which the Glibc module does not export: process, user, group.
        var peer: (pid_t, uid_t, gid_t) = (0, .max, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        var limit = timeval(tv_sec: silenceTimeout / 1000, tv_usec: silenceTimeout % 1000 * 1000)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.1 == geteuid(),
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0
        else { return nil }
        process = peer.0
        self.descriptor = descriptor
    }

    func close() { CLauncher.close(descriptor) }

    /// Sends a request in one call; returns false on failure.
    func send(_ request: UnsafeRawBufferPointer) -> Bool {
        CLauncher.send(descriptor, request.baseAddress, request.count, Int32(MSG_NOSIGNAL)) == request.count
    }

    /// Reads until the response is complete.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> ReceiveResult {
        guard let base = buffer.baseAddress else { return .truncated }
        let end = Self.now + Self.totalTimeout
        var count = 0
        while count < buffer.count {
            let got = read(descriptor, base + count, buffer.count - count)
            if got < 0, claunch_errno() == EINTR {
                if Self.now < end { continue }
                return .silent
            }
            if got < 0, claunch_errno() == EAGAIN { return .silent }
            guard got > 0 else { return .truncated }
            count += got
            if let answer = AgentResponse(in: UnsafeRawBufferPointer(start: base, count: count)) {
                return .whole(answer, count: count)
            }
            // An agent that keeps sending without completing its response counts as silent.
            guard Self.now < end else { return .silent }
        }
        return .truncated
    }

    /// Seconds of the monotonic clock.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
