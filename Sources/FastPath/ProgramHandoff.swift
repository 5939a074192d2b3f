import CLauncher

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
    static func pass(_ answer: RawResponse, in bytes: UnsafeRawBufferPointer) {
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

/// The possible locations of the full program, relative to the launcher.
public enum ProgramLocation: CaseIterable, Sendable {
    /// `yett-main` in the same folder, as in a build.
    case besideLauncher
    /// `../libexec/yett/yett-main`, as in an installation.
    case libexec

    private var relativePath: StaticString {
        switch self {
        case .besideLauncher: "yett-main"
        case .libexec: "../libexec/yett/yett-main"
        }
    }

    /// Writes the path of the location to a buffer, with a terminating null byte.
    ///
    /// - Parameters:
    ///   - launcher: the absolute path of the launcher, without a null byte.
    ///   - buffer: receives the path.
    /// - Returns: false if the launcher's path contains no folder or the buffer is too small.
    public func write(
        relativeTo launcher: UnsafeBufferPointer<CChar>, into buffer: UnsafeMutableBufferPointer<CChar>
    ) -> Bool {
        let slash = CChar(truncatingIfNeeded: UInt8(ascii: "/"))
        var folder = launcher.count
        while folder > 0 && launcher[folder - 1] != slash { folder -= 1 }
        let rest = relativePath
        let length = folder + rest.utf8CodeUnitCount
        guard folder > 0, length < buffer.count, let target = buffer.baseAddress, let source = launcher.baseAddress else { return false }
        memcpy(target, source, folder)
        memcpy(target + folder, rest.utf8Start, rest.utf8CodeUnitCount)
        target[length] = 0
        return true
    }
}

/// The standard input of a credential helper.
enum StandardInput {
    /// The buffer size in bytes. The full program refuses a longer input.
    static let limit = 300_000

    /// Reads up to an empty line or the end, as the credential helpers do. Returns the part of the buffer that was filled.
    static func read(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer {
        var count = 0
        while count < buffer.count, let base = buffer.baseAddress {
            let got = CLauncher.read(STDIN_FILENO, base + count, buffer.count - count)
            if got < 0, claunch_errno() == EINTR { continue }
            guard got > 0 else { break }
            count += got
            if endsWithEmptyLine(UnsafeRawBufferPointer(start: base, count: count)) { break }
        }
        return UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count])
    }

    private static func endsWithEmptyLine(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let newline = UInt8(ascii: "\n")
        guard let last = bytes.last, last == newline else { return false }
        return bytes.count == 1 || bytes[bytes.count - 2] == newline
    }

    /// Makes what was read the standard input again, for the full program. Exits if that fails, because the program would miss its request.
    static func putBack(_ bytes: UnsafeRawBufferPointer) {
        if claunch_replace_input(bytes.baseAddress, bytes.count) != 0 { _exit(1) }
    }
}
