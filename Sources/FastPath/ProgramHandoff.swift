internal import CLauncher

/// Passes the agent's response to the program that the launcher becomes.
///
/// The response goes through a pipe, which stores it until the program reads it: it may contain a token, and other processes of the user
/// can read the environment. Environment variables name the pipe's descriptor and the process of a silent agent.
enum ProgramHandoff {
    /// Names the descriptor of a pipe with a response: three digits of status, a space, and the body.
    static let answerVariable: StaticString = "YETT_AGENT_ANSWER"
    /// Names the process of an agent that did not respond.
    static let unresponsiveAgentVariable: StaticString = "YETT_AGENT_SILENT"

    /// Removes variables inherited from a parent process, because they concern another request.
    static func clear() {
        unsetenv(text(answerVariable))
        unsetenv(text(unresponsiveAgentVariable))
    }

    /// Passes a response on. If that fails, the program asks the agent itself.
    static func pass(_ answer: AgentResponse, in bytes: UnsafeRawBufferPointer) {
        var ends: (Int32, Int32) = (-1, -1)
        let status = withUnsafeMutablePointer(to: &ends) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) }
        }
        guard status == 0 else { return }
        // The pipe has no reader yet, so a write that does not fit must not block.
        let isValid =
            ends.0 > STDERR_FILENO && claunch_never_block(ends.1) == 0 && write(answer.status, to: ends.1)
            && CLauncher.write(ends.1, bytes.baseAddress.map { $0 + answer.body.lowerBound }, answer.body.count) == answer.body.count
        close(ends.1)
        guard isValid else {
            close(ends.0)
            return
        }
        set(answerVariable, to: Int(ends.0))
    }

    /// Passes on that the agent is running but did not respond.
    static func passUnresponsiveAgent(of process: pid_t) { set(unresponsiveAgentVariable, to: Int(process)) }

    private static func write(_ status: Int, to pipe: Int32) -> Bool {
        withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { buffer in
            var writer = ByteWriter(buffer)
            writer.append(status)
            writer.append(" ")
            return CLauncher.write(pipe, buffer.baseAddress, writer.count) == writer.count
        }
    }

    private static func set(_ variable: StaticString, to number: Int) {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { buffer in
            var writer = ByteWriter(buffer)
            writer.append(number)
            writer.append("\0")
            guard writer.isValid, let base = buffer.baseAddress else { return }
            setenv(text(variable), UnsafeRawPointer(base).assumingMemoryBound(to: CChar.self), 1)
        }
    }

    private static func text(_ variable: StaticString) -> UnsafePointer<CChar> {
        UnsafeRawPointer(variable.utf8Start).assumingMemoryBound(to: CChar.self)
    }
}
