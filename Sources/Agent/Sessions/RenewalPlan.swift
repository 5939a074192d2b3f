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
        await followUp.update(for: sessions)
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

/// Decides when each session is renewed ahead of its expiry. Pure.
///
/// Due times are on the boot clock and are computed once per set of tokens. So neither a jump of the civil clock nor a change of the time
/// zone moves them, and after a suspend every session that became due is due at once. At most ``concurrency`` renewals run at a time, and
/// two starts are at least ``pace`` apart, so that a thousand sessions that are due after a suspend do not flood the providers.
struct RenewalSchedule: Sendable {
    /// The tokens that a renewal was planned for.
    struct Basis: Equatable, Sendable {
        var receivedAt: Timestamp
        var expiresAt: Timestamp
    }

    private struct Entry {
        var basis: Basis
        /// When to renew; `nil` if these tokens are not renewed again.
        var due: Duration?
        /// When the refresh token ends, if that is before the access token: then it is not sent, because its refusal would end the session.
        var end: Duration?
        /// The number of consecutive failures that did not end the session.
        var failures = 0
    }

    private var entries: [SessionName: Entry] = [:]
    private var running: Set<SessionName> = []
    /// The end of the pause that a provider asked for.
    private var retryAfterEnds: [ProviderName: Duration] = [:]
    private var nextStart = Duration.zero
    private var random: SplitMix

    static let concurrency = 4
    static let pace = Duration.milliseconds(50)
    /// Minimum time between two renewals of one session, however short its tokens live.
    static let minimumInterval = Duration.seconds(30)
    /// Maximum back-off after failures.
    static let maximumBackOff = Duration.seconds(900)
    /// Maximum pause that a provider's Retry-After sets.
    static let longestRetryAfter = Duration.seconds(3600)

    init(seed: UInt64) { random = SplitMix(state: seed) }

    // MARK: Planning

    /// Updates the plan for the current sessions. The plan for unchanged tokens stays, but no renewal is planned before the time that the
    /// session itself names.
    mutating func update(_ sessions: [SessionSummary], now: Timestamp, bootTime: Duration) {
        var kept: [SessionName: Entry] = [:]
        for session in sessions {
            guard session.isRenewable, [.signedIn, .renewing].contains(session.recordedState), let end = session.accessExpiresAt else {
                continue
            }
            let basis = Basis(receivedAt: session.receivedAt, expiresAt: end)
            var entry =
                entries[session.name].flatMap { $0.basis == basis ? $0 : nil }
                ?? planned(basis, refreshExpiresAt: session.refreshExpiresAt, now: now, bootTime: bootTime)
            if let due = entry.due { entry.due = max(due, bootTime + rest(of: session, now: now)) }
            kept[session.name] = entry
        }
        entries = kept
    }

    /// Returns the rest of a pause that a provider asked for, as the session records it.
    private func rest(of session: SessionSummary, now: Timestamp) -> Duration {
        let rest = session.nextRenewalAt.map { $0 - now } ?? .zero
        // A longer pause comes from a changed clock.
        return rest > Self.longestRetryAfter ? .zero : max(.zero, rest)
    }

    /// Returns the plan for new tokens. They are due a fifth of the lifetime before expiry, at least 90 seconds and at most ten minutes,
    /// but not before half of the lifetime. A session that ends with its access token, or before it, is due after half of that time,
    /// because nothing renews it later. Jitter moves it earlier by up to half of that lead, or a twentieth of the lifetime, so that
    /// sessions of the same time spread out.
    private mutating func planned(_ basis: Basis, refreshExpiresAt: Timestamp?, now: Timestamp, bootTime: Duration) -> Entry {
        let last = refreshExpiresAt.flatMap { $0 <= basis.expiresAt ? $0 : nil }
        if let last, last <= now { return Entry(basis: basis, due: nil) }
        let lifetime = min(max(.zero, (last ?? basis.expiresAt) - basis.receivedAt), Self.farthest)
        let lead = last == nil ? min(min(max(lifetime / 5, .seconds(90)), .seconds(600)), lifetime / 2) : lifetime / 2
        let jitter = (last == nil ? lead / 2 : lifetime / 20) * random.fraction()
        // If the civil clock is before the time of receipt, it was set back: count the tokens as just received.
        let age = max(.zero, now - basis.receivedAt)
        let wait = lifetime - lead - jitter - age
        let due = bootTime + max(wait, age >= Self.minimumInterval ? .zero : Self.minimumInterval - age)
        return Entry(basis: basis, due: due, end: last.map { bootTime + ($0 - now) })
    }

    /// Limits the planned time, so that sums do not overflow.
    private static let farthest = Duration.seconds(86_400 * 3650)

    /// Returns when a session will be renewed, on the civil clock; `nil` if no renewal is planned.
    func plannedAt(_ name: SessionName, now: Timestamp, bootTime: Duration) -> Timestamp? {
        guard !running.contains(name), let entry = entries[name], let due = entry.due else { return nil }
        return now + max(.zero, max(due, retryAfterEnds[name.provider] ?? .zero) - bootTime)
    }

    // MARK: Running

    /// Returns when to check again, on the boot clock; `nil` if nothing is planned.
    func nextWake() -> Duration? {
        guard running.count < Self.concurrency, let due = entries.keys.compactMap(start(of:)).min() else { return nil }
        return max(due, nextStart)
    }

    /// Returns the session to renew now and the tokens that the plan is for. It counts as running until ``finish(_:_:_:bootTime:)``.
    mutating func begin(bootTime: Duration) -> (name: SessionName, basis: Basis)? {
        guard running.count < Self.concurrency, bootTime >= nextStart else { return nil }
        // The machine was suspended, or renewals failed for so long.
        for (name, entry) in entries where entry.end.map({ $0 <= bootTime }) == true { entries[name]?.due = nil }
        let due = entries.keys.compactMap { name in start(of: name).map { (name, $0) } }.filter { $0.1 <= bootTime }
        guard let first = due.min(by: { ($0.1, $0.0) < ($1.1, $1.0) })?.0, let basis = entries[first]?.basis else { return nil }
        running.insert(first)
        nextStart = bootTime + Self.pace
        return (first, basis)
    }

    private func start(of name: SessionName) -> Duration? {
        guard !running.contains(name), let due = entries[name]?.due else { return nil }
        return max(due, retryAfterEnds[name.provider] ?? .zero)
    }

    /// Records the result of a renewal of the tokens in `basis`. New tokens are planned when ``update(_:now:bootTime:)`` is called with
    /// them, which may be before this: then their plan stays.
    mutating func finish(_ name: SessionName, _ basis: Basis, _ failure: AuthFailure?, bootTime: Duration) {
        running.remove(name)
        if case .unavailable(let retryAfter?) = failure?.kind {
            retryAfterEnds[name.provider] = bootTime + min(max(retryAfter, .zero), Self.longestRetryAfter)
        }
        guard var entry = entries[name], entry.basis == basis else { return }
        switch failure?.kind {
        case nil, .signInAgain, .notSignedIn:
            entry.due = nil
        default:
            // If the failure ended the session, the next update removes its plan. Otherwise a fixed configuration, clock or network may
            // help.
            entry.failures += 1
            entry.due = bootTime + pause(after: entry.failures)
        }
        entries[name] = entry
    }

    /// Postpones a renewal that was started by one second, because another caller uses the session.
    mutating func postpone(_ name: SessionName, bootTime: Duration) {
        running.remove(name)
        entries[name]?.due = bootTime + .seconds(1)
    }

    /// Returns the back-off: 30 seconds, doubled up to 15 minutes, plus up to a quarter.
    private mutating func pause(after failures: Int) -> Duration {
        let pause = min(.seconds(30 << min(failures - 1, 5)), Self.maximumBackOff)
        return pause + pause / 4 * random.fraction()
    }
}

/// Steele, Lea and Flood's SplitMix64, for jitter that need not be unpredictable.
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// Returns a number from 0 up to but not including 1.
    mutating func fraction() -> Double { Double.random(in: 0..<1, using: &self) }
}
