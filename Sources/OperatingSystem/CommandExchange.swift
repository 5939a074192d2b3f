import Glibc

/// The output and the errors of a command that was run to its end without a terminal.
public struct CommandExchange: Sendable {
    /// The command's standard output.
    public var output: [UInt8]
    /// The command's standard error.
    public var errors: [UInt8]
    /// See ``ChildProcess/wait()``.
    public var status: Int32

    /// The largest input in bytes: every pipe holds that much before it is read.
    public static let inputLimit = 4096

    /// Runs a command in a session of its own, so that it cannot ask at a terminal, and blocks until it ends. At the deadline, or if it
    /// writes too much, the command and its children are killed.
    ///
    /// - Parameters:
    ///   - program: searched in the environment's `PATH` if its name has no slash.
    ///   - input: standard input; at most ``inputLimit`` bytes.
    ///   - limit: the largest output in bytes that is accepted; the same for the errors.
    public static func run(
        _ program: String, _ arguments: [String], environment: [String: String], input: [UInt8] = [], limit: Int, deadline: Duration
    ) throws(CapturedOutput.Failure) -> CommandExchange {
        precondition(input.count <= inputLimit, "the input does not fit into a pipe")
        let end = ContinuousClock.now + deadline
        var pipes: [Pipe] = []
        defer { for pipe in pipes { close(pipe.readEnd) } }
        let child: ChildProcess
        do throws(SystemError) {
            for _ in 0..<3 { pipes.append(try Pipe()) }
            defer { for pipe in pipes { close(pipe.writeEnd) } }
            guard input.isEmpty || write(pipes[0].writeEnd, input, input.count) == input.count else { throw SystemError.last }
            child = try ChildProcess.start(
                program, arguments, environment: environment,
                streams: ChildProcess.Streams(
                    input: .descriptor(pipes[0].readEnd), output: .descriptor(pipes[1].writeEnd), errors: .descriptor(pipes[2].writeEnd)))
        } catch {
            throw .system(error)
        }
        var texts: [[UInt8]] = [[], []]
        let failure = read([pipes[1].readEnd, pipes[2].readEnd], into: &texts, limit: limit, until: end)
        if failure != nil { kill(-child.id, SIGKILL) }
        let status = child.wait() ?? 0
        if let failure { throw failure }
        return CommandExchange(output: texts[0], errors: texts[1], status: status)
    }

    /// Reads all pipes to their ends. Returns why it stopped earlier; `nil` if it did not.
    private static func read(
        _ descriptors: [Int32], into texts: inout [[UInt8]], limit: Int, until end: ContinuousClock.Instant
    ) -> CapturedOutput.Failure? {
        var chunk = [UInt8](repeating: 0, count: 4096)
        defer { chunk.withUnsafeMutableBytes { if let base = $0.baseAddress { explicit_bzero(base, $0.count) } } }
        var open = Set(descriptors.indices)
        while !open.isEmpty {
            let left = (end - ContinuousClock.now) / .milliseconds(1)
            guard left >= 1 else { return .timedOut }
            // poll(2) skips negative descriptors.
            var pollers = descriptors.indices.map { index in
                pollfd(fd: open.contains(index) ? descriptors[index] : -1, events: Int16(POLLIN), revents: 0)
            }
            guard poll(&pollers, nfds_t(pollers.count), Int32(min(left, 60_000))) > 0 else { continue }
            for index in open where pollers[index].revents != 0 {
                let count = Glibc.read(descriptors[index], &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                if count <= 0 {
                    open.remove(index)
                } else {
                    texts[index] += chunk[..<count]
                    guard texts[index].count <= limit else { return .tooLarge }
                }
            }
        }
        return nil
    }
}

/// The standard output of a command that was run to its end.
public struct CapturedOutput: Sendable {
    /// The command's output.
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
