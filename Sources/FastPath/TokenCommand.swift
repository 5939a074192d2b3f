import Glibc

extension Launcher {
    /// Answers `yett token SESSION` from the agent, where that is all there is to do: the token and a line end on standard output.
    ///
    /// - Returns: whether it was answered. Where it was not, nothing was written, and the whole program must be asked: for any other command line, without
    ///   an agent, for a terminal, for a locked store, for a failure of any kind.
    public static func answersToken(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Bool {
        guard let question = TokenQuestion(count: count, arguments: arguments, environment: .own()), isatty(STDOUT_FILENO) == 0 else {
            return false
        }
        let agent = connect(question)
        guard agent >= 0 else { return false }
        defer { close(agent) }
        // Not `withUnsafeTemporaryAllocation`: for a block of this size it reads `/proc/self/maps` to know whether the stack has room.
        guard let base = malloc(room) else { return false }
        let buffer = UnsafeMutableRawBufferPointer(start: base, count: room)
        defer {
            explicit_bzero(base, room)
            free(base)
        }
        let length = question.write(request: buffer)
        guard length > 0, send(agent, base, length, Int32(MSG_NOSIGNAL)) == length else { return false }
        guard let token = receive(from: agent, into: buffer) else { return false }
        // The quote behind the token makes room for the line end.
        buffer[token.upperBound] = UInt8(ascii: "\n")
        return write(UnsafeRawBufferPointer(rebasing: buffer[token.lowerBound...token.upperBound]))
    }

    /// For requests and answers; larger ones are for the whole program.
    private static let room = 16_384

    /// A connection to the agent of this very user; -1 where there is none.
    private static func connect(_ question: TokenQuestion) -> Int32 {
        var address = sockaddr_un()
        guard question.write(address: &address) else { return -1 }
        let agent = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard agent >= 0 else { return -1 }
        // `struct ucred`, which the Glibc module does not show: process, user, group. A socket that takes nobody in is left after five seconds, an
        // agent that hangs after two minutes.
        var peer: (pid_t, uid_t, gid_t) = (0, .max, 0)
        var size = socklen_t(MemoryLayout.size(ofValue: peer))
        var turn = timeval(tv_sec: 5, tv_usec: 0)
        var patience = timeval(tv_sec: 120, tv_usec: 0)
        _ = setsockopt(agent, SOL_SOCKET, SO_SNDTIMEO, &turn, socklen_t(MemoryLayout<timeval>.size))
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(agent, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard status == 0, getsockopt(agent, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0, peer.1 == geteuid(),
            setsockopt(agent, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size)) == 0
        else {
            close(agent)
            return -1
        }
        return agent
    }

    /// Reads until the answer is whole; where the token lies in it.
    private static func receive(from agent: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Range<Int>? {
        guard let base = buffer.baseAddress else { return nil }
        var count = 0
        while count < buffer.count {
            let got = read(agent, base + count, buffer.count - count)
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            count += got
            if let token = TokenAnswer.token(in: UnsafeRawBufferPointer(start: base, count: count)) { return token }
        }
        return nil
    }

    /// Writes all of it. What fails after a part was written cannot be taken back, and is not tried again.
    private static func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count, let base = bytes.baseAddress {
            let done = Glibc.write(STDOUT_FILENO, base + index, bytes.count - index)
            if done < 0, errno == EINTR { continue }
            guard done > 0 else {
                guard index > 0 else { return false }
                _exit(1)
            }
            index += done
        }
        return true
    }
}
