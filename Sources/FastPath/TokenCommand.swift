import Glibc

extension Launcher {
    /// Answers `yett token SESSION` from the agent, where that is all there is to do: the token and a line end on standard output.
    ///
    /// - Returns: whether it was answered. Where it was not, nothing was written, and the whole program must go on: for any other command
    ///   line, without an agent, for a terminal, for a locked store, for a failure of any kind. What the agent answered, and that it did
    ///   not answer, is passed to the program through ``ProgramHandoff``, so that the agent is not asked twice.
    public static func answersToken(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Bool {
        ProgramHandoff.clear()
        guard let question = TokenQuestion(count: count, arguments: arguments, environment: .own()), isatty(STDOUT_FILENO) == 0 else {
            return false
        }
        guard let agent = AgentSocket(question) else { return false }
        defer { agent.close() }
        // Not `withUnsafeTemporaryAllocation`: for a block of this size it reads `/proc/self/maps` to know whether the stack has room.
        guard let base = malloc(room) else { return false }
        let buffer = UnsafeMutableRawBufferPointer(start: base, count: room)
        defer {
            explicit_bzero(base, room)
            free(base)
        }
        let length = question.write(request: buffer)
        guard length > 0, agent.send(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<length])) else { return false }
        switch agent.receive(into: buffer) {
        case .whole(let answer, let count):
            let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
            guard let token = answer.token(in: bytes) else {
                ProgramHandoff.pass(answer, in: bytes)
                return false
            }
            // The quote behind the token makes room for the line end.
            buffer[token.upperBound] = UInt8(ascii: "\n")
            return write(UnsafeRawBufferPointer(rebasing: buffer[token.lowerBound...token.upperBound]))
        case .silent:
            ProgramHandoff.passSilence(of: agent.process)
            return false
        case .cutOff:
            return false
        }
    }

    /// For requests and answers; larger ones are for the whole program.
    private static let room = 16_384

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
