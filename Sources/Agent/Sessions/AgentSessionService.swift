public import AuthModel
import Synchronization

/// The agent's session service: wraps the service that does the work, which is created again when the configuration changes, and adds what
/// only a long-running process can do.
///
/// It renews ahead of time, caches recently issued tokens, writes the activity log, and locks after an idle time. Each of these is the job of
/// one collaborator; this type connects them.
public actor AgentSessionService {
    let log: ActivityLog
    let time: any TimeSource
    let services: CurrentService
    let cache: IssuedTokenCache
    let observers = EventObservers()
    let questions: ConsentQuestions
    let plan: RenewalPlan
    let followUp: SessionFollowUp
    let operations = StartedOperations()
    let idle: IdleTimer
    let revocations: RevocationTimer
    let storeLock: StoreLockControl
    let blocked: BlockedPrograms
    let repeated: RepeatedRequests
    let renewals: RenewalRunner
    let changeSignal = ChangeSignal()
    private let reopening: @Sendable () async -> StoreReopening

    /// Creates a session service.
    ///
    /// - Parameters:
    ///   - source: creates the service that does the work.
    ///   - log: the activity log.
    ///   - time: the clocks.
    ///   - idleLimit: the time without a request that needs the keys after which the store is locked; `nil`: never.
    ///   - exitLimit: the idle time after which ``waitUntilIdle()`` returns; `nil`: never.
    ///   - announcer: notifies the user of sessions that have ended.
    ///   - suspension: detects sleeps of the machine. After a sleep, the store is locked before the next request is answered.
    ///   - blocked: the programs that get no token.
    ///   - reopening: returns what a new agent would need in order to open the store.
    ///   - seed: for the jitter of renewals.
    public init(
        source: SessionServiceSource, log: ActivityLog, time: any TimeSource, idleLimit: Duration? = nil, exitLimit: Duration? = nil,
        announcer: NotificationRunner? = nil, suspension: SuspensionClock = .none, blocked: BlockedPrograms = BlockedPrograms(),
        reopening: @escaping @Sendable () async -> StoreReopening = { .automatic }, seed: UInt64 = .random(in: 0 ... .max)
    ) {
        repeated = RepeatedRequests()
        self.reopening = reopening
        self.blocked = blocked
        self.log = log
        self.time = time
        let cache = IssuedTokenCache()
        let services = CurrentService(source: source, cache: cache)
        let plan = RenewalPlan(time: time, seed: seed)
        let followUp = SessionFollowUp(cache: cache, plan: plan, announcer: announcer, time: time)
        let idle = IdleTimer(time: time, lockLimit: idleLimit, exitLimit: exitLimit, observers: observers, operations: operations)
        let revocations = RevocationTimer(services: services, time: time)
        let storeLock = StoreLockControl(
            services: services, cache: cache, plan: plan, followUp: followUp, idle: idle, revocations: revocations, suspension: suspension)
        renewals = RenewalRunner(services: services, plan: plan, followUp: followUp, observers: observers, seal: storeLock)
        self.cache = cache
        self.services = services
        self.plan = plan
        self.followUp = followUp
        self.idle = idle
        self.revocations = revocations
        self.storeLock = storeLock
        // A late answer must not match a consent request of a later agent.
        questions = ConsentQuestions(observers: observers, time: time, prefix: String(seed, radix: 36))
        services.whenEvent { [weak self] event in await self?.take(event) }
        plan.whenDue { [weak self] in await self?.renewals.renewDue() }
    }

    /// Starts renewing ahead of time. Throws if no session service can be created.
    public func start() async throws(AuthFailure) {
        let service = try await services.current()
        // Ignore a failure: a keyring that is locked now may be unlocked when a token is requested.
        try? await storeLock.unlockIfNoPassphraseNeeded()
        plan.setLocked(try await service.storeState() != .unlocked)
        // End the process sessions that a crashed agent left.
        await service.endProcessSessions()
        await followUp.notice(try await service.sessions())
        await storeLock.startIdleTimer()
        revocations.start()
    }

    /// Ends renewals, sign-ins and event streams. Requests are still answered until ``shutDown()``.
    public func end() async {
        plan.end()
        idle.cancel()
        revocations.cancel()
        await operations.cancelAll()
        await questions.endAll()
        if let service = try? await services.lastKnown() { await service.endProcessSessions() }
        services.endEvents()
        observers.finish()
        await followUp.end()
        cache.clear()
    }

    /// Handles an event of the service that does the work.
    private func take(_ event: SessionServiceEvent) async {
        switch event {
        case .sessionsChanged(let sessions):
            await followUp.notice(sessions)
            observers.announce(.sessionsChanged(plan.withPlannedRenewals(sessions)))
            changeSignal.send()
        case .storeStateChanged:
            cache.clear()
            await storeLock.refreshStoreState()
            observers.announce(event)
            changeSignal.send()
        case .activity(let activity):
            // The server records issued tokens and refusals, because it knows the calling process.
            if ![.issued, .tokenRefused].contains(activity.kind) { log.append(ActivityRecord(activity)) }
            observers.announce(event)
        case .asked, .settled: observers.announce(event)
        }
    }

    // MARK: The agent's life

    /// The agent's status, whenever it may have changed; for one reader.
    nonisolated var statuses: AsyncStream<ServiceStatus> { followUp.statuses }

    /// Waits until the agent was idle for the exit limit. Never returns without a limit.
    func waitUntilIdle() async { await idle.waitUntilIdle() }

    /// Whether a new agent can continue at once without the user noticing: nothing is in progress, and it opens the store in the same state.
    func canBeReplaced() async -> Bool {
        guard observers.isEmpty, !operations.hasAny, let service = try? await services.lastKnown(),
            let providers = try? await service.providers(), let sessions = try? await service.sessions()
        else { return false }
        let ending = Set(providers.filter(\.endsWithProcess).map(\.name))
        guard !sessions.contains(where: { ending.contains($0.name.provider) || $0.recordedState == .renewing }) else { return false }
        return switch await reopening() {
        case .automatic: await storeLock.opensWithoutUser
        case .passphrase: await storeLock.storeState() != .unlocked
        case .impossible: false
        }
    }

    /// Waits until the user was notified of everything so far.
    func waitForNotifications() async { await followUp.waitForNotifications() }

    /// Handles the announcements of sleeps.
    func follow(_ watch: SleepWatch) async { await storeLock.follow(watch) }
}

/// The programs that get no token (`[agent] blocked_programs`), as the configuration says now.
///
/// It stops a program that asks for tokens without the user's wish. It is no wall against a program that wants to deceive the agent: such a
/// program can run another one that asks for it.
public final class BlockedPrograms: Sendable {
    private let paths: Mutex<Set<String>>

    /// Creates the set with the paths in the configuration.
    public init(_ paths: [String] = []) { self.paths = Mutex(Set(paths)) }

    /// Takes the paths of a changed configuration.
    public func set(_ paths: [String]) { self.paths.withLock { $0 = Set(paths) } }

    /// Returns the failure for a blocked program; `nil` if none is blocked: neither the one that a message names, nor one through which it
    /// asks, such as the shell that it runs yett in.
    func refusal(of caller: UserMessage?, process: Int32?) -> AuthFailure? {
        let paths = paths.withLock { $0 }
        guard !paths.isEmpty else { return nil }
        if let path = caller?.programPath, paths.contains(path) { return .programBlocked(path) }
        let passed = process.map { Caller(process: $0, user: 0).programs } ?? []
        let path = passed.lazy.compactMap { UserMessage.verbatim($0).programPath }.first { paths.contains($0) }
        return path.map { .programBlocked($0) }
    }
}
