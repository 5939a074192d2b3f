import AuthModel
import Synchronization

/// Locks the store, and ends the agent, after an idle time. Measured on the boot clock, which includes suspends.
final class IdleTimer: Sendable {
    private struct State {
        /// When the keys were used last.
        var lastUse: Duration
        var task: Task<Void, Never>?
    }

    private let time: any TimeSource
    private let lockLimit: Duration?
    private let exitLimit: Duration?
    private let observers: EventObservers
    private let operations: StartedOperations
    private let state: Mutex<State>
    private let isHeld = Mutex(false)

    /// Creates a timer that is not started.
    ///
    /// - Parameters:
    ///   - lockLimit: the time without a use of the keys after which the store is locked; `nil`: never.
    ///   - exitLimit: the idle time after which ``waitUntilIdle()`` returns; `nil`: never.
    ///   - observers: keep the agent from ending.
    ///   - operations: sign-ins that use the keys at their end.
    init(
        time: any TimeSource, lockLimit: Duration?, exitLimit: Duration?, observers: EventObservers, operations: StartedOperations
    ) {
        self.time = time
        self.lockLimit = lockLimit
        self.exitLimit = exitLimit
        self.observers = observers
        self.operations = operations
        state = Mutex(State(lastUse: time.bootTime))
    }

    /// Sets whether the agent must keep running. Does not delay the lock.
    func hold(_ isNeeded: Bool) { isHeld.withLock { $0 = isNeeded } }

    /// Records a use of the keys.
    func touch() { state.withLock { $0.lastUse = time.bootTime } }

    /// Calls `lock` once after the idle limit, unless the timer runs already.
    func start(_ lock: @escaping @Sendable () async -> Void) {
        guard let lockLimit else { return }
        state.withLock { state in
            guard state.task == nil else { return }
            state.task = Task { [weak self, time] in
                var deadline = time.bootTime + lockLimit
                while (try? await time.sleep(until: deadline)) != nil {
                    guard let self else { return }
                    guard let next = self.nextCheck(lockLimit) else { return await lock() }
                    deadline = next
                }
            }
        }
    }

    /// Returns when to check again; `nil` if the idle limit is reached. The timer can then be started again.
    private func nextCheck(_ limit: Duration) -> Duration? {
        // Do not lock during a sign-in, because its result must be sealed.
        let isSigningIn = operations.hasAttempts
        return state.withLock { state in
            let due = (isSigningIn ? time.bootTime : state.lastUse) + limit
            guard time.bootTime >= due else { return due }
            state.task = nil
            return nil
        }
    }

    /// Whether the idle limit for the lock is reached now.
    var isDue: Bool {
        guard let lockLimit, !operations.hasAttempts else { return false }
        return state.withLock { time.bootTime >= $0.lastUse + lockLimit }
    }

    /// Stops the timer.
    func cancel() { state.withLock { $0.task?.cancel() } }

    /// Waits until the agent was idle for the exit limit: no request that needs the keys, no sign-in and no event stream. Never returns
    /// without a limit.
    func waitUntilIdle() async {
        guard let exitLimit else { return await Self.forever() }
        var deadline = time.bootTime + exitLimit
        while (try? await time.sleep(until: deadline)) != nil {
            let isWanted = !observers.isEmpty || operations.hasAttempts || isHeld.withLock(\.self)
            let due = (isWanted ? time.bootTime : state.withLock { $0.lastUse }) + exitLimit
            guard time.bootTime < due else { return }
            deadline = due
        }
    }

    private static func forever() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        for await _ in stream {}
        withExtendedLifetime(continuation) {}
    }
}

/// Delivers queued revocations when they are due.
final class RevocationTimer: Sendable {
    private let services: CurrentService
    private let time: any TimeSource
    private let task = Mutex<Task<Void, Never>?>(nil)

    /// Minimum time between two deliveries of queued revocations.
    static let minimumInterval = Duration.seconds(60)

    init(services: CurrentService, time: any TimeSource) {
        self.services = services
        self.time = time
    }

    /// Sends the queued revocations that are due. Returns when the next one is due; `nil` if none is left.
    func deliver() async -> Timestamp? { await (try? services.lastKnown())?.deliverRevocations() }

    /// Starts to deliver queued revocations when they are due. Ends when none is left.
    func start(after pause: Duration = .zero) {
        task.withLock { task in
            task?.cancel()
            task = Task { [weak self, time] in
                var wait = pause
                while (try? await time.sleep(until: time.bootTime + wait)) != nil {
                    guard let next = await self?.deliver() else { return }
                    wait = max(Self.minimumInterval, next - time.now)
                }
            }
        }
    }

    /// Stops the deliveries.
    func cancel() { task.withLock { $0?.cancel() } }
}

/// A single timer that can be rescheduled.
///
/// Setting it to the time that is already set does nothing. It is set far more often than its time changes, and the Swift runtime frees a
/// cancelled sleep only at its original end.
struct ReschedulableTimer: Sendable {
    /// When it fires, on the boot clock; `nil` if it is not set.
    private(set) var time: Duration?
    private var task: Task<Void, Never>?

    /// Sets the timer; `nil` stops it.
    ///
    /// - Parameter fire: called with the time that was set. It must first call ``didFire(at:)``.
    mutating func set(for wanted: Duration?, by source: any TimeSource, _ fire: @escaping @Sendable (Duration) async -> Void) {
        guard wanted != time else { return }
        task?.cancel()
        time = wanted
        task = wanted.map { wanted in
            Task {
                guard (try? await source.sleep(until: wanted)) != nil else { return }
                // A separate task, because `fire` may set the timer again, which cancels this task.
                Task { await fire(wanted) }
            }
        }
    }

    /// Records that the timer fired, unless it was set to another time meanwhile.
    mutating func didFire(at firedTime: Duration) {
        if time == firedTime { time = nil }
    }

    /// Stops the timer.
    mutating func cancel() {
        task?.cancel()
        time = nil
    }
}
