public import AuthModel
import Synchronization

/// A running clock that skips short waits: a pause between polls takes no time, but an attempt's deadline stays a deadline.
public final class HastyTime: TimeSource {
    private struct State {
        var offset: Duration = .zero
        var pauses: [Duration] = []
    }

    private let system: any TimeSource
    private let limit: Duration
    private let state = Mutex(State())

    /// Creates a clock.
    /// - Parameters:
    ///   - system: the running clock; a ``ManualTime`` if only skipped waits may advance the time.
    ///   - limit: the longest wait that is skipped.
    public init(over system: any TimeSource, limit: Duration = .seconds(600)) {
        self.system = system
        self.limit = limit
    }

    /// The civil time, including skipped waits.
    public var now: Timestamp { system.now + state.withLock(\.offset) }
    /// The time since boot, including skipped waits.
    public var bootTime: Duration { system.bootTime + state.withLock(\.offset) }
    /// The skipped waits, in whole seconds. A wait is shorter by the real time since it was decided, which on a busy machine is a large part of
    /// a second.
    public var pauses: [Int64] { state.withLock { $0.pauses.map { ($0 + .milliseconds(900)).wholeSeconds } } }

    /// Skips a short wait, and sleeps during a longer one.
    public func sleep(until deadline: Duration) async throws {
        let pause = deadline - bootTime
        guard pause <= limit else {
            return try await system.sleep(until: deadline - state.withLock(\.offset))
        }
        try Task.checkCancellation()
        state.withLock { state in
            state.offset += max(.zero, pause)
            state.pauses.append(pause)
        }
    }
}
