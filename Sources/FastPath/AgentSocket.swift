import Glibc

/// A connection to the agent of this user.
struct AgentSocket {
    /// The agent's process, as the kernel knows it.
    let process: pid_t
    private let descriptor: Int32

    /// What came back.
    enum Reception {
        /// A whole answer, and how many bytes of the buffer it takes with what came before it.
        case whole(TokenAnswer, count: Int)
        /// The agent is connected and says nothing any more.
        case silent
        /// The connection ended before the answer did, or the answer is too large.
        case cutOff
    }

    /// How long an agent may say nothing, in seconds. One that works on a request sends an interim answer every five.
    static let silence = 20
    /// How long a request may take in all, in seconds.
    static let patience = 300

    /// Connects; `nil` where there is no agent of this very user.
    init?(_ question: TokenQuestion) {
        var address = sockaddr_un()
        guard question.write(address: &address) else { return nil }
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        // A socket that accepts no connection is left after five seconds.
        var turn = timeval(tv_sec: 5, tv_usec: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &turn, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, let socket = AgentSocket(connected: descriptor) else {
            Glibc.close(descriptor)
            return nil
        }
        self = socket
    }

    /// A socket that is connected; `nil` where the other end is not this user's.
    ///
    /// - Parameter silence: how long the agent may say nothing, in milliseconds.
    init?(connected descriptor: Int32, silence: Int = silence * 1000) {
        // `struct ucred`, which the Glibc module does not show: process, user, group.
        var peer: (pid_t, uid_t, gid_t) = (0, .max, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        var limit = timeval(tv_sec: silence / 1000, tv_usec: silence % 1000 * 1000)
        guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.1 == geteuid(),
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size)) == 0
        else { return nil }
        process = peer.0
        self.descriptor = descriptor
    }

    func close() { Glibc.close(descriptor) }

    /// Sends a request at once; false where that fails.
    func send(_ request: UnsafeRawBufferPointer) -> Bool {
        Glibc.send(descriptor, request.baseAddress, request.count, Int32(MSG_NOSIGNAL)) == request.count
    }

    /// Reads until the answer is whole.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Reception {
        guard let base = buffer.baseAddress else { return .cutOff }
        let end = Self.now + Self.patience
        var count = 0
        while count < buffer.count {
            let got = read(descriptor, base + count, buffer.count - count)
            if got < 0, errno == EINTR {
                if Self.now < end { continue }
                return .silent
            }
            if got < 0, errno == EAGAIN { return .silent }
            guard got > 0 else { return .cutOff }
            count += got
            if let answer = TokenAnswer(in: UnsafeRawBufferPointer(start: base, count: count)) { return .whole(answer, count: count) }
            // One that never comes to an end is as good as silent.
            guard Self.now < end else { return .silent }
        }
        return .cutOff
    }

    /// Seconds on a clock that nobody sets.
    private static var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec
    }
}
