import AuthModel
import Glibc

/// Makes each attempt to unlock wait for its turn, as ``UnlockThrottle`` decides.
actor UnlockQueue {
    /// The result of asking for a turn.
    enum Verdict: Sendable {
        /// It is the caller's turn. ``end(_:wasRight:)`` must follow.
        case turn(UnlockThrottle.Attempt)
        /// Too many attempts wait, or the same process sent a newer one; the time to wait before the next.
        case refused(Duration)
        case cancelled
    }

    /// The failure code for a caller that must wait.
    static let busy = "agent.other_passphrase_checked"

    private let time: any TimeSource
    private var throttle = UnlockThrottle()
    /// The attempts that wait for their turn, by number.
    private(set) var waiting: [Int: CheckedContinuation<Verdict, Never>] = [:]
    private var count = 0
    private var timer = ReschedulableTimer()

    init(time: any TimeSource) { self.time = time }

    /// Waits until a caller may try.
    func turn(of caller: Caller) async -> Verdict {
        count += 1
        // A process that has ended counts as its own session.
        let session = getsid(caller.process)
        let own = UnlockThrottle.Attempt(number: count, process: caller.process, session: session < 0 ? caller.process : session)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard !Task.isCancelled else { return continuation.resume(returning: .cancelled) }
                waiting[own.number] = continuation
                let pause = throttle.pause(at: time.bootTime)
                for attempt in throttle.join(own) { settle(attempt.number, .refused(pause)) }
                admit()
            }
        } onCancel: {
            Task { await self.giveUp(own.number) }
        }
    }

    /// Records the result of an attempt and starts the next one that may start.
    func end(_ attempt: UnlockThrottle.Attempt, wasRight: Bool) {
        if wasRight {
            throttle.succeed()
        } else {
            let gone = throttle.fail(attempt, at: time.bootTime)
            for other in gone { settle(other.number, .refused(throttle.pause(at: time.bootTime))) }
        }
        admit()
    }

    private func giveUp(_ number: Int) {
        guard throttle.leave(number) else { return }
        admit()
        settle(number, .cancelled)
    }

    private func settle(_ number: Int, _ verdict: Verdict) { waiting.removeValue(forKey: number)?.resume(returning: verdict) }

    /// Starts the next attempt, or sets a timer for it.
    private func admit() {
        if let attempt = throttle.next(at: time.bootTime) { settle(attempt.number, .turn(attempt)) }
        timer.set(for: throttle.nextTurn, by: time) { [weak self] turn in await self?.fire(turn) }
    }

    private func fire(_ turn: Duration) {
        timer.didFire(at: turn)
        admit()
    }
}

/// Decides which passphrase is tried next, and when, over all connections: a new connection gives a program no additional guesses.
///
/// One passphrase is tried at a time. After a wrong one there is a pause of 1 s, doubled up to 10 s. Meanwhile each process waits with the
/// newest passphrase it sent, and at most ``capacity`` processes wait. The process with fewer wrong passphrases goes first, then the
/// earlier one, so a program that guesses is slow and delays others by at most one guess. Until the first wrong passphrase, ``crowd``
/// processes may wait: many commands that start at once with the right one are no attack, and the first of them unlocks for all. Times are
/// on the boot clock.
struct UnlockThrottle: Sendable {
    /// An attempt, with its process as the kernel reports it.
    struct Attempt: Equatable, Sendable {
        /// Increases with each attempt.
        var number: Int
        var process: Int32
        /// The kernel's session, which the processes of one terminal or one service share (setsid(2)).
        var session: Int32
    }

    private var waiting: [Attempt] = []
    private var isTrying = false
    private var failures = 0
    private var free = Duration.zero
    private var wrongByProcess: [Int32: Int] = [:]
    private var wrongBySession: [Int32: Int] = [:]

    /// Maximum pause between two attempts.
    static let limit = Duration.seconds(10)
    /// Maximum number of waiting attempts after a wrong one.
    static let capacity = 8
    /// Maximum number of waiting attempts before a wrong one.
    static let crowd = 1024
    /// Maximum number of processes and of sessions to remember. Each entry costs its process a pause.
    private static let memory = 256

    /// Adds an attempt. Returns the attempts that no longer wait because of it, possibly itself.
    mutating func join(_ attempt: Attempt) -> [Attempt] {
        let gone = waiting.filter { $0.process == attempt.process }
        waiting.removeAll { $0.process == attempt.process }
        waiting.append(attempt)
        return gone + trim()
    }

    /// Removes and returns the last attempts if too many wait.
    private mutating func trim() -> [Attempt] {
        let room = failures == 0 ? Self.crowd : Self.capacity
        guard waiting.count > room else { return [] }
        let order = waiting.sorted(by: hasPriority)
        waiting.removeAll { order[room...].contains($0) }
        return Array(order[room...])
    }

    /// Removes an attempt whose caller gave up; returns false if it no longer waits.
    mutating func leave(_ number: Int) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// Returns the attempt to make now. It is in progress until ``fail(_:at:)`` or ``succeed()``.
    mutating func next(at now: Duration) -> Attempt? {
        guard !isTrying, now >= free, let first = waiting.min(by: hasPriority) else { return nil }
        waiting.removeAll { $0 == first }
        isTrying = true
        return first
    }

    /// When to ask for the next attempt; `nil` if none waits, or one is in progress.
    var nextTurn: Duration? { isTrying || waiting.isEmpty ? nil : free }

    /// Returns the time until another attempt may be made, as far as it is known.
    func pause(at now: Duration) -> Duration { max(.seconds(1), free - now) }

    /// Records that the passphrase was wrong or could not be tried. Returns the attempts that no longer wait because too many do.
    @discardableResult
    mutating func fail(_ attempt: Attempt, at now: Duration) -> [Attempt] {
        isTrying = false
        failures += 1
        // One second after the first, doubled each time.
        free = now + min(.seconds(1 << min(failures - 1, 4)), Self.limit)
        if wrongByProcess.count >= Self.memory { wrongByProcess = [:] }
        if wrongBySession.count >= Self.memory { wrongBySession = [:] }
        wrongByProcess[attempt.process, default: 0] += 1
        wrongBySession[attempt.session, default: 0] += 1
        return trim()
    }

    /// Records that the passphrase was right, and resets all counts.
    mutating func succeed() {
        isTrying = false
        failures = 0
        free = .zero
        wrongByProcess = [:]
        wrongBySession = [:]
    }

    private func hasPriority(_ one: Attempt, _ other: Attempt) -> Bool { rank(one) < rank(other) }

    private func rank(_ attempt: Attempt) -> (Int, Int, Int) {
        (wrongBySession[attempt.session] ?? 0, wrongByProcess[attempt.process] ?? 0, attempt.number)
    }
}

extension AgentService {
    /// Unlocks the store with a passphrase, when it is the caller's turn to try.
    func unlock(with operation: UnlockStore, for caller: Caller) async throws(AuthFailure) -> StoreState {
        guard try await sessionService.storeState() != .unlocked else { return .unlocked }
        return try await inTurn(of: caller) { () async throws(AuthFailure) in
            // Another caller may have unlocked the store meanwhile.
            if try await sessionService.storeState() != .unlocked { _ = try await sessionService.perform(operation) }
            return try await sessionService.storeState()
        }
    }

    /// Changes how the store's key is kept. A passphrase is tried when it is the caller's turn, as at unlocking.
    func changeSeal(_ operation: ChangeSeal, for caller: Caller) async throws(AuthFailure) -> SealReport {
        guard operation.passphrase != nil else { return try await sessionService.perform(operation) }
        return try await inTurn(of: caller) { () async throws(AuthFailure) in try await sessionService.perform(operation) }
    }

    /// Runs `body`, which tries a passphrase, when it is the caller's turn. A failure counts as a wrong passphrase.
    private func inTurn<Reply>(
        of caller: Caller, _ body: () async throws(AuthFailure) -> Reply
    ) async throws(AuthFailure) -> Reply {
        let attempt: UnlockThrottle.Attempt
        switch await unlocking.turn(of: caller) {
        case .turn(let own): attempt = own
        case .refused(let pause):
            throw AuthFailure(
                .unavailable(retryAfter: pause), UserMessage(UnlockQueue.busy),
                hint: UserMessage("hint.try_again_in_seconds", ["seconds": max(1, pause.wholeSeconds)]))
        case .cancelled: throw AuthFailure(.cancelled, "process.cancelled")
        }
        let reply: Reply
        do throws(AuthFailure) {
            reply = try await body()
        } catch {
            await unlocking.end(attempt, wasRight: false)
            throw error
        }
        await unlocking.end(attempt, wasRight: true)
        return reply
    }
}
