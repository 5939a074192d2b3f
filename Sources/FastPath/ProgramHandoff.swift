import Glibc

/// Passes on what the launcher learnt from the agent to the program that it becomes.
///
/// An answer goes through a pipe, which holds it until the program reads it; it may contain a token, and the environment is readable for
/// other processes of the user. The number of the pipe and the process of a silent agent are environment variables.
enum ProgramHandoff {
    /// Names the descriptor of a pipe that holds an answer: the status in three digits, a space, and the body.
    static let answerVariable: StaticString = "YETT_AGENT_ANSWER"
    /// Names the process of an agent that did not answer.
    static let silenceVariable: StaticString = "YETT_AGENT_SILENT"

    /// Removes what a process further up may have left: it is about another request.
    static func clear() {
        unsetenv(text(answerVariable))
        unsetenv(text(silenceVariable))
    }

    /// Passes an answer on; where that fails, the program asks the agent itself.
    static func pass(_ answer: TokenAnswer, in bytes: UnsafeRawBufferPointer) {
        var ends: (Int32, Int32) = (-1, -1)
        let status = withUnsafeMutablePointer(to: &ends) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) }
        }
        guard status == 0 else { return }
        // No reader is there yet, so a write that does not fit must not wait.
        let isWhole =
            ends.0 > STDERR_FILENO && fcntl(ends.1, F_SETFL, O_NONBLOCK) == 0 && write(answer.status, to: ends.1)
            && Glibc.write(ends.1, bytes.baseAddress.map { $0 + answer.body.lowerBound }, answer.body.count) == answer.body.count
        close(ends.1)
        guard isWhole else {
            close(ends.0)
            return
        }
        set(answerVariable, to: Int(ends.0))
    }

    /// Passes on that an agent is there and does not answer.
    static func passSilence(of process: pid_t) { set(silenceVariable, to: Int(process)) }

    private static func write(_ status: Int, to pipe: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
            var writer = ByteWriter(buffer)
            writer.append(status)
            writer.append(" ")
            return Glibc.write(pipe, buffer.baseAddress, writer.count) == writer.count
        }
    }

    private static func set(_ variable: StaticString, to number: Int) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            var writer = ByteWriter(buffer)
            writer.append(number)
            writer.append("\0")
            guard writer.isWhole, let base = buffer.baseAddress else { return }
            setenv(text(variable), UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), 1)
        }
    }

    private static func text(_ variable: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(variable.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
