public import AuthModel

/// The agent's session service: wraps the service that does the work, which is created again when the configuration changes, and adds what
/// only a long-running process can do.
///
/// It renews ahead of time, caches recently issued tokens, writes the activity log, and locks after an idle time.
public actor AgentSessionService: SessionService {
    let source: SessionServiceSource
    let log: ActivityLog
    let time: any TimeSource
    let idleLimit: Duration?
    let exitLimit: Duration?
    let announcer: NotificationRunner?
    let suspension: SuspensionClock
    /// The machine's total sleep time at the last check.
    var slept: Duration
    /// Whether the store is locked, so that nothing can be renewed.
    var isLocked = false
    /// Whether the user locked the store, so that only the user unlocks it again.
    var isLockedByUser = false
    /// Whether the machine sleeps or is about to, so that the store is not unlocked automatically.
    var isAsleep = false
    /// The number of explicit locks.
    var locks = 0
    /// The number of calls of ``refreshSealState()``.
    var sealReadCount = 0
    /// The last known states of the sessions.
    var states: [SessionName: SessionState] = [:]
    private var inner: (revision: String, service: any SessionService)?
    private var making: (revision: String, task: Task<Result<any SessionService, AuthFailure>, Never>)?
    var announcing: Task<Void, Never>?
    private var pump: Task<Void, Never>?
    var attempts: [SignInAttempt.ID: any SessionService] = [:]
    private var returns: [BrowserReturn.ID: any SessionService] = [:]
    var watchers: [Int: AsyncStream<SessionServiceEvent>.Continuation] = [:]
    var nextWatcher = 0
    /// The observers that answer consent requests.
    var answering: Set<Int> = []
    /// The open consent requests.
    var questions: [TokenConsentRequest.ID: PendingConsent] = [:]
    let consentRequestPrefix: String
    var nextQuestion = 0
    var cache = IssuedTokenCache()
    var lastUse: Duration
    var idleTask: Task<Void, Never>?
    var schedule: RenewalSchedule
    /// Fires for the next renewal.
    var alarm = Alarm()
    var revocationTask: Task<Void, Never>?
    /// Whether the agent is ending, so that nothing is renewed ahead any more.
    private(set) var isEnding = false
    /// The agent's status, whenever it may have changed; for one reader.
    nonisolated let statuses: AsyncStream<ServiceStatus>
    let status: AsyncStream<ServiceStatus>.Continuation
    /// The number of callers that wait for tokens of a provider.
    var waitingCallers: [ProviderName: Int] = [:]

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
    ///   - seed: for the jitter of renewals.
    public init(
        source: SessionServiceSource, log: ActivityLog, time: any TimeSource, idleLimit: Duration? = nil, exitLimit: Duration? = nil,
        announcer: NotificationRunner? = nil, suspension: SuspensionClock = .none, seed: UInt64 = .random(in: 0 ... .max)
    ) {
        self.source = source
        self.log = log
        self.time = time
        self.idleLimit = idleLimit
        self.exitLimit = exitLimit
        self.announcer = announcer
        self.suspension = suspension
        (statuses, status) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        slept = suspension.slept()
        lastUse = time.bootTime
        schedule = RenewalSchedule(seed: seed)
        // A late answer must not match a consent request of a later agent.
        consentRequestPrefix = String(seed, radix: 36)
    }

    /// Starts renewing ahead of time. Throws if no session service can be created.
    public func start() async throws(AuthFailure) {
        let service = try await current()
        // Ignore a failure: a keyring that is locked now may be unlocked when a token is requested.
        try? await unlockIfNoPassphraseNeeded()
        isLocked = try await service.seal() != .unlocked
        // Sessions that an agent left when it did not end in order.
        await service.endProcessSessions()
        notice(try await service.sessions())
        startIdleTimer()
        watchRevocations()
    }

    /// Ends renewals, sign-ins and event streams. Requests are still answered until ``retire()``.
    public func end() async {
        isEnding = true
        alarm.cancel()
        idleTask?.cancel()
        revocationTask?.cancel()
        for (attempt, service) in attempts { await service.cancel(attempt) }
        for (id, service) in returns { await service.stopWaiting(for: id) }
        endConsentRequests()
        if let service = try? await lastKnown() { await service.endProcessSessions() }
        pump?.cancel()
        for watcher in watchers.values { watcher.finish() }
        watchers.removeAll()
        status.finish()
        cache.clear()
    }

    /// Waits for the service's running operations, before the process ends.
    public func retire() async {
        if let service = try? await lastKnown() { await service.retire() }
    }

    // MARK: The service that does the work

    /// Returns the session service for the current configuration.
    func current() async throws(AuthFailure) -> any SessionService {
        let revision = source.revision()
        if let inner, inner.revision == revision { return inner.service }
        if making?.revision != revision { making = (revision, Task { await self.make(revision) }) }
        guard let task = making?.task else { throw AuthFailure(.bug, "the agent has no session service") }
        return try await task.value.get()
    }

    private func make(_ revision: String) async -> Result<any SessionService, AuthFailure> {
        let result: Result<any SessionService, AuthFailure>
        do throws(AuthFailure) { result = .success(try await source.make()) } catch { result = .failure(error) }
        if making?.revision == revision { making = nil }
        guard case .success(let service) = result else { return result }
        inner = (revision, service)
        cache.clear()
        let events = await service.events()
        pump?.cancel()
        pump = Task { [weak self] in
            for await event in events { await self?.take(event) }
        }
        return result
    }

    /// Returns the last session service, for work that must continue when the configuration is broken.
    func lastKnown() async throws(AuthFailure) -> any SessionService {
        if let inner { return inner.service }
        return try await current()
    }

    // MARK: Session service

    /// Lists the providers of the current configuration.
    public func providers() async throws(AuthFailure) -> [ProviderSummary] { try await current().providers() }

    /// Lists all sessions, with their planned renewals.
    public func sessions() async throws(AuthFailure) -> [SessionSummary] { planned(try await current().sessions()) }

    /// Returns a session's details, with its planned renewal.
    public func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail {
        touch()
        var detail = try await current().session(name)
        detail.summary = planned([detail.summary])[0]
        return detail
    }

    /// Issues a token, from the cache if possible. Asks the observers for consent if the policy is `ask`.
    public func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        touch()
        let service = try await current()
        // A token that a resource refuses must not be issued to other callers.
        if request.refused != nil { cache.clear() }
        if let grant = cache.grant(for: request, now: time.now, bootTime: time.bootTime) {
            let text = "token issued to \(request.caller ?? "a program")\(request.terms.note)"
            announce(.activity(Activity(at: time.now, kind: .issued, session: grant.session, text: text)))
            return grant
        }
        let generation = cache.generation
        let grant = try await consented(request, by: service)
        // The user's consent was for one program, once.
        if request.refused != nil { cache.clear() }
        if !grant.isConsented { cache.insert(grant.value, for: request, generation: generation, bootTime: time.bootTime) }
        return grant.value
    }

    /// Replaces a session's access token, and clears the cache.
    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        touch()
        let service = try await current()
        // The replaced token may be cached.
        defer { cache.clear() }
        try await service.adopt(token, inPlaceOf: old, in: session, from: resource)
    }

    /// Renews a session now, and clears the cache.
    public func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        touch()
        cache.clear()
        let service = try await current()
        return planned([try await countingCaller(name) { () async throws(AuthFailure) in try await service.renew(name) }])[0]
    }

    /// Signs out, clears the cache, and schedules the delivery of queued revocations.
    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        touch()
        let service = try await current()
        cache.clear()
        defer { cache.clear() }
        let receipt = try await service.signOut(name, mode: mode)
        if let way = receipt.browserReturn { returns[way.id] = service }
        if receipt.entries.contains(where: \.isQueued) { watchRevocations(after: Self.minimumRevocationInterval) }
        return receipt
    }

    /// Waits for the browser after a sign-out, in the service that performed the sign-out.
    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        // The service that waits for the browser knows it; the configuration may have changed since.
        let service: any SessionService
        if let known = returns[id] { service = known } else { service = try await current() }
        defer { returns[id] = nil }
        return try await service.browserReturn(id)
    }

    /// Ends the wait for a browser.
    public func stopWaiting(for id: BrowserReturn.ID) async { await returns.removeValue(forKey: id)?.stopWaiting(for: id) }

    /// Returns the latest entries of the activity log.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { try log.recorded(limit) }
}
