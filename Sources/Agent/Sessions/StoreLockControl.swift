import AuthModel
import Glibc
import Synchronization

/// Locks and unlocks the store: for the user, when idle, and around a suspend of the machine.
actor StoreLockControl {
    private let services: CurrentService
    private let cache: IssuedTokenCache
    private let plan: RenewalPlan
    private let followUp: SessionFollowUp
    private let idle: IdleTimer
    private let revocations: RevocationTimer
    private let suspension: SuspensionClock
    /// The machine's total sleep time at the last check.
    private let slept: Mutex<Duration>
    /// Whether the user locked the store, so that only the user unlocks it again.
    private var isLockedByUser = false
    /// Whether the machine sleeps or is about to, so that the store is not unlocked automatically.
    private var isAsleep = false
    /// Whether the store was unlocked before the sleep that was announced last.
    private var wasOpenBeforeSleep = false
    /// The number of explicit locks.
    private var locks = 0
    /// The number of calls of ``refreshStoreState()``.
    private var sealReadCount = 0

    init(
        services: CurrentService, cache: IssuedTokenCache, plan: RenewalPlan, followUp: SessionFollowUp, idle: IdleTimer,
        revocations: RevocationTimer, suspension: SuspensionClock
    ) {
        self.services = services
        self.cache = cache
        self.plan = plan
        self.followUp = followUp
        self.idle = idle
        self.revocations = revocations
        self.suspension = suspension
        slept = Mutex(suspension.slept())
    }

    // MARK: State

    /// Whether a store whose key needs no user may be opened: the user did not lock it, and the machine is awake.
    var opensWithoutUser: Bool { !isLockedByUser && !isAsleep }

    /// Returns the seal's state. After a sleep of the machine, locks the store first.
    func storeState() async -> StoreState {
        await lockAfterSleep()
        return (try? await service().storeState()) ?? .locked(isNew: false)
    }

    /// Returns the last session service; the current one if there is no store, because the configuration decides how it will be sealed.
    private func service() async throws(AuthFailure) -> any SessionService {
        let last = try await services.lastKnown()
        guard try await last.storeState() == .locked(isNew: true), let current = try? await services.current() else { return last }
        return current
    }

    /// Updates the plan for the current seal. Reads the state, because its events arrive later and may be outdated.
    func refreshStoreState() async {
        guard let service = try? await services.lastKnown() else { return }
        sealReadCount += 1
        let readNumber = sealReadCount
        let isOpen = (try? await service.storeState()) == .unlocked
        // A later call has newer information.
        guard readNumber == sealReadCount else { return }
        plan.setLocked(!isOpen)
        if let sessions = try? await service.sessions() { await followUp.update(for: sessions) }
    }

    private var isOpen: Bool {
        get async { (try? await services.lastKnown().storeState()) == .unlocked }
    }

    // MARK: Unlocking

    /// Unlocks a store that needs no passphrase, unless the user locked it or the machine is about to sleep.
    func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        guard !isLockedByUser, !isAsleep else { return }
        let service = try await services.lastKnown()
        guard try await service.storeState() != .unlocked else { return }
        try await service.unlockIfNoPassphraseNeeded()
        // The user may have locked the store while the key was fetched, or the machine is about to sleep.
        guard !isLockedByUser, !isAsleep else { return try await lockAutomatically() }
        guard try await service.storeState() == .unlocked else { return }
        await didUnlock()
    }

    /// Unlocks the store, and starts the idle limit, the renewals and the revocations.
    ///
    /// - Throws: `.cancelled` if the store was locked meanwhile.
    func unlock(passphrase: Secret, isPIN: Bool) async throws(AuthFailure) {
        let service = try await service()
        guard try await service.storeState() != .unlocked else { return }
        let locksBefore = locks
        try await service.unlock(passphrase: passphrase, isPIN: isPIN)
        guard locks == locksBefore else {
            try await lockAutomatically()
            throw AuthFailure(.cancelled, "store.locked_meanwhile", hint: "hint.unlock_again")
        }
        isLockedByUser = false
        isAsleep = false
        await didUnlock()
    }

    private func didUnlock() async {
        idle.touch()
        startIdleTimer()
        revocations.start()
        await refreshStoreState()
    }

    /// Starts the idle limit, after which the store is locked.
    func startIdleTimer() {
        idle.start { [weak self] in await self?.lockIfStillIdle() }
    }

    private func lockIfStillIdle() async {
        // A sign-in or another use may have begun since the timer's check.
        guard idle.isDue else { return startIdleTimer() }
        // A store that cannot be locked (in memory) stays open.
        try? await lockAutomatically()
    }

    // MARK: Locking

    /// Locks the store until the user unlocks it.
    func lock() async throws(AuthFailure) {
        let wasLockedByUser = isLockedByUser
        // Set before the keys are removed: a concurrent request then does not unlock, and an unlock in progress has no effect.
        isLockedByUser = true
        locks += 1
        do throws(AuthFailure) {
            try await lockAutomatically()
        } catch {
            isLockedByUser = wasLockedByUser
            throw error
        }
    }

    /// Locks the store. The next request that needs the keys unlocks it again, if that needs no user.
    private func lockAutomatically() async throws(AuthFailure) {
        cache.beginLock()
        defer { cache.endLock() }
        let service = try await services.lastKnown()
        plan.lock()
        do throws(AuthFailure) {
            try await service.lock()
        } catch {
            await refreshStoreState()
            throw error
        }
        await refreshStoreState()
    }

    // MARK: Sleep

    /// Locks the store before the machine sleeps, and keeps it locked until the machine wakes.
    private func prepareForSleep() async {
        isAsleep = true
        wasOpenBeforeSleep = await isOpen
        // A store that cannot be locked (in memory) stays open.
        try? await lockAutomatically()
    }

    /// Unlocks a store that needs no user, so that renewals continue. If the user unlocked the store meanwhile, ``lockAfterSleep()``
    /// handles it as after any sleep.
    private func wake() async {
        guard isAsleep else { return }
        let now = suspension.slept()
        slept.withLock { $0 = now }
        isAsleep = false
        try? await unlockIfNoPassphraseNeeded()
    }

    /// Whether the machine has slept since the last check without an announcement, so that ``lockAfterSleep()`` must lock the store.
    nonisolated var hasSlept: Bool { suspension.slept() - slept.withLock { $0 } >= SuspensionClock.threshold }

    /// Locks the store if the machine has slept since the last check without an announcement, because another person may have woken it.
    ///
    /// Called before every request that needs the keys and before every renewal ahead of time, so the keys are not used after a sleep
    /// before this check.
    func lockAfterSleep() async {
        guard hasSlept else { return }
        let now = suspension.slept()
        // First, because a cached token is issued as soon as the sleep counts as handled.
        cache.beginLock()
        defer { cache.endLock() }
        slept.withLock { $0 = now }
        // A store that was locked before the sleep stays locked: the request after it may come from another machine.
        let isOpen = await isOpen
        let wasOpen = isAsleep ? wasOpenBeforeSleep || isOpen : isOpen
        isAsleep = false
        try? await lockAutomatically()
        if wasOpen { try? await unlockIfNoPassphraseNeeded() }
    }

    /// Handles the announcements of sleeps.
    func follow(_ watch: SleepWatch) async {
        for await event in watch.events {
            switch event {
            case .aboutToSleep:
                await prepareForSleep()
                watch.allowSleep()
            case .woke: await wake()
            }
        }
        // The bus is gone, so no announcement of the wake-up will arrive.
        isAsleep = false
    }
}

/// Measures how long the machine has slept since its start.
///
/// During a sleep the monotonic clock stops and the boot clock continues. So a difference that grew between two readings is a sleep,
/// even if the civil clock was changed.
public struct SuspensionClock: Sendable {
    /// Returns the total sleep time so far.
    var slept: @Sendable () -> Duration

    /// Minimum difference that counts as a sleep, and not as the time between two readings.
    static let threshold = Duration.seconds(1)

    /// The kernel's clocks.
    public static let system = SuspensionClock { read(CLOCK_BOOTTIME) - read(CLOCK_MONOTONIC) }

    /// For a machine that never sleeps.
    public static let none = SuspensionClock { .zero }

    private static func read(_ clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}

/// The data that a new agent needs in order to open the store of this one.
public enum StoreReopening: Sendable {
    /// Nothing from the user: the key is in a keyring or a file.
    case automatic
    /// The user's passphrase or security key.
    case passphrase
    /// The store is in memory, so no other process can open it.
    case impossible
}
