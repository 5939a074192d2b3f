internal import Glibc

/// The standard output of a command that was run to its end.
public struct CapturedOutput: Sendable {
    /// The bytes that the command printed.
    public let bytes: [UInt8]
    /// See ``ChildProcess/wait()``.
    public let status: Int32

    /// The reason why there is no output.
    public enum Failure: Error, Equatable, Sendable {
        case system(SystemError)
        /// The command did not end before the deadline, and was killed.
        case timedOut
        /// The command printed more than the limit, and was killed.
        case tooLarge
    }

    /// Runs a command and blocks until it ends. It shares standard input, standard error and the session with this process.
    ///
    /// - Parameters:
    ///   - program: searched in the environment's `PATH` if its name has no slash.
    ///   - limit: the largest output in bytes that is accepted.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String], limit: Int, deadline: Duration
    ) throws(Failure) -> CapturedOutput {
        let end = ContinuousClock.now + deadline
        let pipe: Pipe
        do throws(SystemError) { pipe = try Pipe() } catch { throw .system(error) }
        defer { close(pipe.readEnd) }
        let child: ChildProcess
        do throws(SystemError) {
            let streams = ChildProcess.Streams(
                input: .inherited, output: .descriptor(pipe.writeEnd), errors: .inherited, startsSession: false)
            child = try ChildProcess.start(program, arguments, environment: environment, streams: streams)
        } catch {
            close(pipe.writeEnd)
            throw .system(error)
        }
        close(pipe.writeEnd)
        let output = read(pipe.readEnd, limit: limit, until: end)
        if (output?.count ?? .max) > limit { kill(child.id, SIGKILL) }
        let status = child.wait() ?? 0
        guard let output else { throw .timedOut }
        guard output.count <= limit else { throw .tooLarge }
        return CapturedOutput(bytes: output, status: status)
    }

    /// Returns everything up to the end of the pipe, or a little more than the limit; `nil` if the deadline passes first.
    private static func read(_ descriptor: Int32, limit: Int, until end: ContinuousClock.Instant) -> [UInt8]? {
        var output: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while output.count <= limit {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            guard left >= 1 else { return nil }
            var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&poller, 1, Int32(min(left, 60_000))) > 0 else { continue }
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0 { if errno == EINTR { continue } else { return nil } }
            if count == 0 { return output }
            output += chunk[..<count]
        }
        return output
    }
}
