public import AuthModel
import Synchronization

/// Clocks that stand still until a test advances them.
public final class ManualTime: TimeSource {
    private struct Sleeper {
        var id: Int
        var deadline: Duration
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Waiter {
        var id: Int
        var count: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var now: Timestamp
        var bootTime = Duration.seconds(1000)
        var sleepers: [Sleeper] = []
        var nextID = 0
        var begun = 0
        var cancelled: Set<Int> = []
        var waiters: [Waiter] = []
    }

    private let state: Mutex<State>

    /// Creates the clocks.
    /// - Parameter now: the civil time at the start.
    public init(now: Timestamp = Timestamp(milliseconds: 1_799_990_000_000)) { state = Mutex(State(now: now)) }

    /// The civil time.
    public var now: Timestamp { state.withLock { $0.now } }
    /// The time since boot.
    public var bootTime: Duration { state.withLock { $0.bootTime } }

    /// Sleeps until a test advances the clocks to `deadline`.
    public func sleep(until deadline: Duration) async throws {
        try Task.checkCancellation()
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                enum SleepOutcome { case sleeps, isOver, isCancelled }
                let (outcome, woken): (SleepOutcome, [CheckedContinuation<Void, Never>]) = state.withLock { state in
                    if state.cancelled.remove(id) != nil { return (.isCancelled, []) }
                    if state.bootTime >= deadline { return (.isOver, []) }
                    state.begun += 1
                    state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
                    let ready = state.waiters.filter { $0.count <= state.sleepers.count }
                    state.waiters.removeAll { $0.count <= state.sleepers.count }
                    return (.sleeps, ready.map(\.continuation))
                }
                for waiter in woken { waiter.resume() }
                switch outcome {
                case .sleeps: break
                case .isOver: continuation.resume()
                case .isCancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let sleeper: Sleeper? = state.withLock { state in
                guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.sleepers.remove(at: index)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Advances both clocks, and wakes the sleepers whose deadline has passed.
    public func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now = state.now + duration
            state.bootTime += duration
            let (due, rest) = (
                state.sleepers.filter { $0.deadline <= state.bootTime }, state.sleepers.filter { $0.deadline > state.bootTime }
            )
            state.sleepers = rest
            return due
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until `count` sleepers exist, or the task is cancelled because the test ran out of time.
    public func until(sleepers count: Int) async {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.sleepers.count >= count || state.cancelled.remove(id) != nil { return true }
                    state.waiters.append(Waiter(id: id, count: count, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter: Waiter? = state.withLock { state in
                guard let index = state.waiters.firstIndex(where: { $0.id == id }) else {
                    state.cancelled.insert(id)
                    return nil
                }
                return state.waiters.remove(at: index)
            }
            waiter?.continuation.resume()
        }
    }

    /// The number of current sleepers.
    public var sleeperCount: Int { state.withLock { $0.sleepers.count } }

    /// The number of sleeps so far.
    public var sleepCount: Int { state.withLock { $0.begun } }
}
