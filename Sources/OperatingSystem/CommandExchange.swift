internal import Glibc

/// The output and the errors of a command that was run to its end without a terminal.
public struct CommandExchange: Sendable {
    /// The bytes that the command wrote to standard output.
    public var output: [UInt8]
    /// The bytes that the command wrote to standard error.
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
