public import AuthModel

/// The agent's session service: wraps the service that does the work, which is created again when the configuration changes, and adds what
/// only a long-running process can do.
///
/// It renews ahead of time, caches recently issued tokens, writes the activity log, and locks after an idle time. Each of these is the job
/// of one collaborator; this type connects them.
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
        services.whenEvent { [weak self] event in await self?.handle(event) }
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
        await followUp.update(for: try await service.sessions())
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
    private func handle(_ event: SessionServiceEvent) async {
        switch event {
        case .sessionsChanged(let sessions):
            await followUp.update(for: sessions)
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

    /// Whether a new agent can continue at once unnoticed by the user: nothing is in progress, and it opens the store in the same state.
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
    func update(for sessions: [SessionSummary]) {
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
