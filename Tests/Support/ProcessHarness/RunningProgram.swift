import FoundationEssentials
public import Glibc
import Synchronization

/// A running program, whose output is collected as it arrives.
///
/// A child process that outlives the program and keeps its output open does not delay its end.
public final class RunningProgram: Sendable {
    private struct Waiter {
        var condition: @Sendable (ProgramResult) -> Bool
        var continuation: CheckedContinuation<ProgramResult, Never>
    }

    private struct State {
        var output: [UInt8] = []
        var errors: [UInt8] = []
        var ending: ProgramResult.Ending?
        var isReaped = false
        var overran = false
        var waiters: [Waiter] = []

        var result: ProgramResult {
            ProgramResult(
                ending: ending, output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self))
        }
    }

    /// The process ID, which is also the ID of its process group and session.
    public let processID: pid_t
    private let state = Mutex(State())

    init(_ program: Program) throws {
        let (processID, input, output, errors, ended) = try startLock.withLock { _ in
            let (input, output, errors, ended) = (try Pipe(), try Pipe(), try Pipe(), try Pipe())
            defer { for end in [input.reading, output.writing, errors.writing] { close(end) } }
            let processID = try spawn(program, input: input.reading, output: output.writing, errors: errors.writing)
            return (processID, input, output, errors, ended)
        }
        self.processID = processID
        let text = Array(program.input.utf8)
        onThread {
            writeAll(text, to: input.writing)
            close(input.writing)
        }
        onThread { [self] in
            reap()
            close(ended.writing)
        }
        let deadline = ContinuousClock.now + program.limit
        onThread { [self] in
            collect(output: output.reading, errors: errors.reading, ended: ended.reading, deadline: deadline)
        }
    }

    /// Sends a signal, unless the program has ended.
    public func signal(_ number: Int32) {
        state.withLock { state in
            guard !state.isReaped else { return }
            _ = kill(processID, number)
        }
    }

    /// Stops the program, and waits until all its threads stand still. The kernel stops a thread when that runs next, so that another one
    /// could answer a request until then.
    public func suspend() async throws {
        signal(SIGSTOP)
        let folder = "/proc/\(processID)/task"
        try await eventually("process \(processID) was not stopped") {
            try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { thread in
                let line = FileManager.default.contents(atPath: "\(folder)/\(thread)/stat").map { String(decoding: $0, as: UTF8.self) }
                // The state stands behind the name, which may contain any character.
                return line?.split(separator: ")").last?.hasPrefix(" T") ?? true
            }
        }
    }

    /// Its output so far.
    public var soFar: ProgramResult {
        state.withLock(\.result)
    }

    /// Waits until it ends, at the latest because of its time limit.
    public func finish() async -> ProgramResult {
        await wait { _ in false }
    }

    /// Waits until its output satisfies a condition.
    /// - Throws: if it ends before.
    @discardableResult
    public func until(_ condition: @escaping @Sendable (ProgramResult) -> Bool) async throws -> ProgramResult {
        let result = await wait(condition)
        guard condition(result) else { throw HarnessError("ended before the test saw what it waits for: \(result)") }
        return result
    }

    private func wait(_ condition: @escaping @Sendable (ProgramResult) -> Bool) async -> ProgramResult {
        await withCheckedContinuation { continuation in
            let ready: ProgramResult? = state.withLock { state in
                let result = state.result
                if result.ending != nil || condition(result) { return result }
                state.waiters.append(Waiter(condition: condition, continuation: continuation))
                return nil
            }
            if let ready { continuation.resume(returning: ready) }
        }
    }

    /// Changes the state and resumes the waiters whose condition holds; all of them when the program has ended.
    private func change(_ body: (inout State) -> Void) {
        let (result, woken): (ProgramResult, [Waiter]) = state.withLock { state in
            body(&state)
            let result = state.result
            let woken = state.waiters.filter { result.ending != nil || $0.condition(result) }
            state.waiters.removeAll { result.ending != nil || $0.condition(result) }
            return (result, woken)
        }
        for waiter in woken { waiter.continuation.resume(returning: result) }
    }

    /// Waits for the process without reaping it, so that its ID stays valid until no signal can be sent to it anymore.
    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    private func collect(output: Int32, errors: Int32, ended: Int32, deadline: ContinuousClock.Instant) {
        var open = [output, errors, ended]
        while open.contains(ended) {
            let ready = readable(open, milliseconds: deadline.millisecondsFromNow)
            // Checked once per round: a limit that ends between two checks would end the loop and leave the program running.
            if deadline <= .now && !ready.contains(ended) {
                state.withLock { $0.overran = true }
                signal(SIGKILL)
                _ = readable([ended], milliseconds: -1)
                open.removeAll { $0 == ended }
            }
            for descriptor in ready {
                guard descriptor != ended, let bytes = readSome(descriptor) else {
                    open.removeAll { $0 == descriptor }
                    continue
                }
                append(bytes, from: descriptor, output: output)
            }
        }
        // Its last output is in the pipes now. A child process may keep the pipes open, and is not waited for.
        for descriptor in open {
            while !readable([descriptor], milliseconds: 0).isEmpty, let bytes = readSome(descriptor) {
                append(bytes, from: descriptor, output: output)
            }
        }
        change { $0.ending = endingOfProcess(&$0) }
        for descriptor in [output, errors, ended] { close(descriptor) }
    }

    private func append(_ bytes: [UInt8], from descriptor: Int32, output: Int32) {
        change { state in
            if descriptor == output { state.output += bytes } else { state.errors += bytes }
        }
    }

    private func endingOfProcess(_ state: inout State) -> ProgramResult.Ending {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) < 0 && errno == EINTR {}
        state.isReaped = true
        if state.overran { return .overran }
        // The low seven bits are the signal; the next byte is the status of a program that exited by itself.
        return status & 0x7f == 0 ? .exited((status >> 8) & 0xff) : .signalled(status & 0x7f)
    }
}
