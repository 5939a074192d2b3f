import Glibc

extension Launcher {
    /// Handles `yett token SESSION` through the agent if no other work is needed: writes the token and a newline to standard output.
    ///
    /// - Returns: whether the command was handled. If not, nothing was written, and the full program must continue: for any other command
    ///   line, without an agent, for a terminal, for a locked store, or after any failure. The agent's response, or its silence, is passed
    ///   to the program through ``ProgramHandoff``, so that the agent is not asked twice.
    public static func handlesTokenCommand(count: Int32, arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Bool {
        ProgramHandoff.clear()
        guard let question = AgentTokenRequest(count: count, arguments: arguments, environment: .own()), isatty(STDOUT_FILENO) == 0 else {
            return false
        }
        guard let agent = AgentSocket(question) else { return false }
        defer { agent.close() }
        // Not `withUnsafeTemporaryAllocation`: for this size it reads `/proc/self/maps` to check the stack space.
        guard let base = malloc(bufferSize) else { return false }
        let buffer = UnsafeMutableRawBufferPointer(start: base, count: bufferSize)
        defer {
            explicit_bzero(base, bufferSize)
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
            // The newline replaces the quote after the token.
            buffer[token.upperBound] = UInt8(ascii: "\n")
            return write(UnsafeRawBufferPointer(rebasing: buffer[token.lowerBound...token.upperBound]))
        case .silent:
            ProgramHandoff.passUnresponsiveAgent(of: agent.process)
            return false
        case .truncated:
            return false
        }
    }

    /// The buffer size in bytes. Larger requests and responses are left to the full program.
    private static let bufferSize = 16_384

    /// Writes all bytes. Exits if the write fails after a part, because a retry would repeat the output.
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
