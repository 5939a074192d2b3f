import AuthModel
import Synchronization

/// The plan of the renewals ahead of expiry, and the timer for the next one. While the store is locked, nothing is planned.
final class RenewalPlan: Sendable {
    private struct State {
        var schedule: RenewalSchedule
        /// Fires for the next renewal.
        var timer = ReschedulableTimer()
        /// Called when a renewal is due.
        var action: (@Sendable () async -> Void)?
        var isLocked = false
        /// Whether the agent is ending, so that nothing is renewed ahead any more.
        var isEnding = false
        /// The number of callers that wait for tokens of a provider.
        var waitingCallers: [ProviderName: Int] = [:]
    }

    private let time: any TimeSource
    private let state: Mutex<State>

    /// Creates a plan without renewals.
    ///
    /// - Parameter seed: for the jitter of renewals.
    init(time: any TimeSource, seed: UInt64) {
        self.time = time
        state = Mutex(State(schedule: RenewalSchedule(seed: seed)))
    }

    // MARK: Planning

    /// Sets what to do when a renewal is due.
    func whenDue(_ action: @escaping @Sendable () async -> Void) { state.withLock { $0.action = action } }

    /// Whether the store is locked, so that nothing can be renewed.
    var isLocked: Bool { state.withLock { $0.isLocked } }

    /// Records whether the store is locked. The plan changes with the next update.
    func setLocked(_ isLocked: Bool) { state.withLock { $0.isLocked = isLocked } }

    /// Records that the store is locked, and removes all renewals from the plan.
    func lock() {
        state.withLock { state in
            state.isLocked = true
            update(&state, [])
        }
    }

    /// Plans renewals for the current sessions.
    func update(_ sessions: [SessionSummary]) {
        state.withLock { state in update(&state, state.isLocked ? [] : sessions) }
    }

    private func update(_ state: inout State, _ sessions: [SessionSummary]) {
        state.schedule.update(sessions, now: time.now, bootTime: time.bootTime)
        arm(&state)
    }

    /// Returns the sessions with the times of their next renewals.
    func withPlannedRenewals(_ sessions: [SessionSummary]) -> [SessionSummary] {
        let (now, bootTime) = (time.now, time.bootTime)
        return state.withLock { state in
            sessions.map { session in
                var session = session
                session.nextRenewalAt = state.schedule.plannedAt(session.name, now: now, bootTime: bootTime)
                return session
            }
        }
    }

    func withPlannedRenewals(_ session: SessionSummary) -> SessionSummary { withPlannedRenewals([session])[0] }

    // MARK: Running

    /// Returns a session to renew now and the tokens that the plan is for; `nil` if none is due. It counts as running until
    /// ``finish(_:_:_:)`` or ``postpone(_:)``.
    func begin() -> (name: SessionName, basis: RenewalSchedule.Basis)? {
        state.withLock { $0.isEnding ? nil : $0.schedule.begin(bootTime: time.bootTime) }
    }

    /// Records the result of a renewal of the tokens in `basis`.
    func finish(_ name: SessionName, _ basis: RenewalSchedule.Basis, _ failure: AuthFailure?) {
        state.withLock { $0.schedule.finish(name, basis, failure, bootTime: time.bootTime) }
    }

    /// Postpones a renewal that was started, because another caller uses the session.
    func postpone(_ name: SessionName) {
        state.withLock { state in
            state.schedule.postpone(name, bootTime: time.bootTime)
            arm(&state)
        }
    }

    /// Ends the plan. Nothing is renewed ahead any more.
    func end() {
        state.withLock { state in
            state.isEnding = true
            state.timer.cancel()
        }
    }

    // MARK: Timer

    /// Sets the timer for the next renewal.
    func arm() { state.withLock { arm(&$0) } }

    private func arm(_ state: inout State) {
        state.timer.set(for: state.isEnding ? nil : state.schedule.nextWake(), by: time) { [weak self] wake in await self?.fire(wake) }
    }

    private func fire(_ wake: Duration) async {
        let action = state.withLock { state in
            state.timer.didFire(at: wake)
            return state.action
        }
        await action?()
    }

    // MARK: Callers

    /// Records that a caller waits for a token of the provider. ``callerLeft(_:)`` must follow.
    func callerWaits(for provider: ProviderName) { state.withLock { $0.waitingCallers[provider, default: 0] += 1 } }

    /// Records that a caller waits no longer.
    func callerLeft(_ provider: ProviderName) {
        state.withLock { state in
            let left = (state.waitingCallers[provider] ?? 1) - 1
            state.waitingCallers[provider] = left == 0 ? nil : left
        }
    }

    /// Returns whether a caller waits for a token of the provider.
    func hasWaitingCaller(at provider: ProviderName) -> Bool { state.withLock { $0.waitingCallers[provider] != nil } }
}

/// Renews sessions ahead of their expiry, when the plan says so.
struct RenewalRunner: Sendable {
    let services: CurrentService
    let plan: RenewalPlan
    let followUp: SessionFollowUp
    let observers: EventObservers
    let seal: StoreLockControl

    /// Starts the renewals that are due.
    func renewDue() async {
        await seal.lockAfterSleep()
        // A store that needs no user to unlock continues to be renewed.
        if plan.isLocked { try? await seal.unlockIfNoPassphraseNeeded() }
        while let (name, basis) = plan.begin() {
            Task { await renew(name, basis) }
        }
        plan.arm()
    }

    private func renew(_ name: SessionName, _ basis: RenewalSchedule.Basis) async {
        do throws(AuthFailure) {
            guard try await renewIfUnchanged(name, basis) else { return plan.postpone(name) }
            plan.finish(name, basis, nil)
        } catch {
            plan.finish(name, basis, error)
        }
        guard let sessions = try? await services.lastKnown().sessions() else { return plan.arm() }
        await followUp.notice(sessions)
        // The renewal's own event came before its end, when the next renewal was not yet planned.
        observers.announce(.sessionsChanged(plan.withPlannedRenewals(sessions)))
    }

    /// Renews a session, unless another caller did. Returns false while another caller may be about to.
    private func renewIfUnchanged(_ name: SessionName, _ basis: RenewalSchedule.Basis) async throws(AuthFailure) -> Bool {
        let service = try await services.lastKnown()
        // Another process may have renewed it, without an event here yet.
        let session = try await service.sessions().first { $0.name == name }
        guard session?.receivedAt == basis.receivedAt, session?.accessExpiresAt == basis.expiresAt else { return true }
        guard !plan.hasWaitingCaller(at: name.provider) else { return false }
        _ = try await service.renew(name)
        return true
    }
}

/// Updates everything that depends on the list of sessions: the cache, the plan, the agent's status and the user's notifications.
actor SessionFollowUp {
    private let cache: IssuedTokenCache
    private let plan: RenewalPlan
    private let announcer: NotificationRunner?
    private let time: any TimeSource
    /// The last known states of the sessions.
    private var states: [SessionName: SessionState] = [:]
    private var announcing: Task<Void, Never>?
    /// The agent's status, whenever it may have changed; for one reader.
    nonisolated let statuses: AsyncStream<ServiceStatus>
    private let status: AsyncStream<ServiceStatus>.Continuation

    init(cache: IssuedTokenCache, plan: RenewalPlan, announcer: NotificationRunner?, time: any TimeSource) {
        self.cache = cache
        self.plan = plan
        self.announcer = announcer
        self.time = time
        (statuses, status) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Updates cache, plan, status and notifications for the current sessions.
    func notice(_ sessions: [SessionSummary]) {
        cache.update(sessions)
        plan.update(sessions)
        status.yield(ServiceStatus(isLocked: plan.isLocked, sessions: sessions, at: time.now))
        let ended = EndedSession.between(states, sessions)
        states = Dictionary(sessions.map { ($0.name, $0.recordedState) }) { first, _ in first }
        guard let announcer, !ended.isEmpty else { return }
        let before = announcing
        announcing = Task {
            await before?.value
            for session in ended { await announcer.announce(session) }
        }
    }

    /// Waits until the user was notified of everything so far.
    func waitForNotifications() async {
        await announcing?.value
        await announcer?.waitUntilIdle()
    }

    /// Ends the stream of statuses.
    func end() { status.finish() }
}
