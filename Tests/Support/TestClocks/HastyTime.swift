public import AuthModel
import Synchronization

/// A clock that runs, on which short waits are over at once: a poll's pause costs nothing, and an attempt's deadline is still a deadline.
public final class HastyTime: TimeSource {
    /// Waits up to this are skipped.
    public static let limit: Duration = .seconds(600)

    private struct State {
        var offset: Duration = .zero
        var pauses: [Duration] = []
    }

    private let system: any TimeSource
    private let state = Mutex(State())

    /// - Parameter system: The clock that runs.
    public init(over system: any TimeSource) { self.system = system }

    public var now: Timestamp { system.now + state.withLock(\.offset) }
    public var bootTime: Duration { system.bootTime + state.withLock(\.offset) }
    /// The waits that were skipped, in whole seconds.
    public var pauses: [Int64] { state.withLock { $0.pauses.map { ($0 + .milliseconds(500)).wholeSeconds } } }

    public func sleep(until deadline: Duration) async throws {
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
