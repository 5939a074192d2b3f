import AuthEngine
import AuthModel
import Synchronization

/// The machine's clock, on which short waits are over at once: a poll's pause costs nothing, and an attempt's deadline is still a deadline.
final class HastyTime: TimeSource {
    /// Waits up to this are skipped.
    static let limit: Duration = .seconds(600)

    private struct State {
        var offset: Duration = .zero
        var pauses: [Duration] = []
    }

    private let system = SystemTimeSource()
    private let state = Mutex(State())

    var now: Timestamp { system.now + state.withLock(\.offset) }
    var bootTime: Duration { system.bootTime + state.withLock(\.offset) }
    /// The waits that were skipped, in whole seconds.
    var pauses: [Int64] { state.withLock { $0.pauses.map { ($0 + .milliseconds(500)).wholeSeconds } } }

    func sleep(until deadline: Duration) async throws {
        let pause = deadline - bootTime
        guard pause <= Self.limit else {
            return try await system.sleep(until: deadline - state.withLock(\.offset))
        }
        try Task.checkCancellation()
        state.withLock { state in
            state.offset += max(.zero, pause)
            state.pauses.append(pause)
        }
    }
}
