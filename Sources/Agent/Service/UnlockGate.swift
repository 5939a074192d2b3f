import AuthModel
import Glibc

/// Makes each attempt to unlock wait for its turn, as ``UnlockThrottle`` decides.
actor UnlockGate {
    /// The result of asking for a turn.
    enum Verdict: Sendable {
        /// It is the caller's turn. ``end(_:wasRight:)`` must follow.
        case turn(UnlockThrottle.Attempt)
        /// Too many attempts wait, or the same process sent a newer one; the time to wait before the next.
        case refused(Duration)
        case cancelled
    }

    /// The code of the refusal of a caller whose turn it is not.
    static let busy = "agent.other_passphrase_checked"

    private let time: any TimeSource
    private var throttle = UnlockThrottle()
    private var waiting: [Int: CheckedContinuation<Verdict, Never>] = [:]
    private var count = 0
    private var alarm = Alarm()

    init(time: any TimeSource) { self.time = time }

    /// The number of waiting attempts.
    var waitingCount: Int { waiting.count }

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

    /// Starts the next attempt, or sets an alarm for it.
    private func admit() {
        if let attempt = throttle.next(at: time.bootTime) { settle(attempt.number, .turn(attempt)) }
        alarm.set(for: throttle.nextTurn, by: time) { [weak self] turn in await self?.fire(turn) }
    }

    private func fire(_ turn: Duration) {
        alarm.didFire(at: turn)
        admit()
    }
}
