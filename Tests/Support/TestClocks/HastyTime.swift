public import AuthModel
import Synchronization

/// A running clock that skips short waits: a pause between polls takes no time, but an attempt's deadline stays a deadline.
public final class HastyTime: TimeSource {
    /// The longest wait that is skipped.
    public static let limit: Duration = .seconds(600)

    private struct State {
        var offset: Duration = .zero
        var pauses: [Duration] = []
    }

    private let system: any TimeSource
    private let state = Mutex(State())

    /// Creates a clock.
    /// - Parameter system: the running clock.
    public init(over system: any TimeSource) { self.system = system }

    /// The civil time, including skipped waits.
    public var now: Timestamp { system.now + state.withLock(\.offset) }
    /// The time since boot, including skipped waits.
    public var bootTime: Duration { system.bootTime + state.withLock(\.offset) }
    /// The skipped waits, in whole seconds.
    public var pauses: [Int64] { state.withLock { $0.pauses.map { ($0 + .milliseconds(500)).wholeSeconds } } }

    /// Skips a short wait, and sleeps during a longer one.
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
