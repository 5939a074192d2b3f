public import AuthModel

/// The session service that lives in the agent: the one that does the work, made anew when the configuration changes, and what only a
/// process that stays can add.
///
/// It renews ahead of time, remembers what it handed out a moment ago, writes the activity log, and locks after idle time.
public actor AgentSessionService: SessionService {
    let source: SessionServiceSource
    let log: ActivityLog
    let time: any TimeSource
    let idleLimit: Duration?
    let exitLimit: Duration?
    private let announcer: NotificationRunner?
    let suspension: SuspensionClock
    /// How long the machine had slept at the last look.
    var slept: Duration
    /// Whether the keys are away, so that nothing can be renewed.
    var isLocked = false
    /// Whether somebody locked the store on purpose, so that it is not opened again before somebody unlocks it.
    var isShut = false
    /// Whether the machine is about to sleep, or sleeps, so that it is not opened again by itself.
    var isAsleep = false
    /// How often it was locked on purpose.
    var locks = 0
    /// How often ``followSeal()`` has looked.
    var sealLooks = 0
    /// The states that sessions were last seen in.
    private var states: [SessionName: SessionState] = [:]
    private var inner: (revision: String, service: any SessionService)?
    private var making: (revision: String, task: Task<Result<any SessionService, AuthFailure>, Never>)?
    private var announcing: Task<Void, Never>?
    private var pump: Task<Void, Never>?
    var attempts: [SignInAttempt.ID: any SessionService] = [:]
    private var returns: [BrowserReturn.ID: any SessionService] = [:]
    private(set) var watchers: [Int: AsyncStream<SessionServiceEvent>.Continuation] = [:]
    private var nextWatcher = 0
    /// The watchers that answer questions.
    private(set) var answering: Set<Int> = []
    /// The questions that are open.
    var questions: [TokenConsentRequest.ID: PendingConsent] = [:]
    let questionNames: String
    var nextQuestion = 0
    var cache = IssuedTokenCache()
    var lastUse: Duration
    var idleTask: Task<Void, Never>?
    var schedule: RenewalSchedule
    /// Wakes for the next renewal.
    var alarm = Alarm()
    var revocationTask: Task<Void, Never>?
    /// Whether nothing is to be renewed ahead any more.
    private(set) var isEnding = false
    /// How it is, whenever that may have changed; for one reader.
    nonisolated let statuses: AsyncStream<ServiceStatus>
    private let status: AsyncStream<ServiceStatus>.Continuation
    /// How many callers wait for tokens of a provider that had to be asked for.
    var demands: [ProviderName: Int] = [:]

    /// - Parameters:
    ///   - idleLimit: after how long without a request that needs the keys the store is locked; `nil`: never.
    ///   - exitLimit: after how long without anything to do for anybody ``idleness()`` is over; `nil`: never.
    ///   - announcer: tells the person of sessions that died.
    ///   - suspension: after a sleep of the machine the keys are put away before anything is answered.
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
        // A late answer must not fit a question of the agent that came after.
        questionNames = String(seed, radix: 36)
    }

    /// Begins to renew ahead of time. Throws where there is no session service to be had.
    public func start() async throws(AuthFailure) {
        let service = try await current()
        // A keyring that is locked now may be unlocked when a token is wanted.
        try? await unlockIfNoPassphraseNeeded()
        isLocked = try await service.seal() != .unlocked
        // Left by one that came to no orderly end.
        await service.endProcessSessions()
        notice(try await service.sessions())
        watchIdleness()
        watchRevocations()
    }

    /// Ends: nothing is renewed ahead any more, sign-ins are cancelled, and watchers are told nothing more. What is asked for goes on being
    /// answered, until ``retire()``.
    public func end() async {
        isEnding = true
        alarm.cancel()
        idleTask?.cancel()
        revocationTask?.cancel()
        for (attempt, service) in attempts { await service.cancel(attempt) }
        for (id, service) in returns { await service.stopWaiting(for: id) }
        settleQuestions()
        if let service = try? await lastKnown() { await service.endProcessSessions() }
        pump?.cancel()
        for watcher in watchers.values { watcher.finish() }
        watchers.removeAll()
        status.finish()
        cache.clear()
    }

    public func retire() async {
        if let service = try? await lastKnown() { await service.retire() }
    }

    // MARK: The session service that does the work

    /// The session service for the configuration as it is now.
    func current() async throws(AuthFailure) -> any SessionService {
        let revision = source.revision()
        if let inner, inner.revision == revision { return inner.service }
        if making?.revision != revision { making = (revision, Task { await self.make(revision) }) }
        guard let task = making?.task else { throw AuthFailure(.bug, "the agent has no keeper") }
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

    /// The session service as it last was, for what must go on when the configuration is broken.
    func lastKnown() async throws(AuthFailure) -> any SessionService {
        if let inner { return inner.service }
        return try await current()
    }

    // MARK: Events

    public func events() async -> AsyncStream<SessionServiceEvent> { await events(answering: false) }

    public func answerableEvents() async -> AsyncStream<SessionServiceEvent> { await events(answering: true) }

    private func events(answering isAnswering: Bool) async -> AsyncStream<SessionServiceEvent> {
        // Without a session service nothing happens; with the first one it does.
        _ = try? await current()
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let id = nextWatcher
        nextWatcher += 1
        watchers[id] = continuation
        if isAnswering {
            answering.insert(id)
            for open in questions.values { continuation.yield(.asked(open.question)) }
        }
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeWatcher(id) }
        }
        return stream
    }

    private func removeWatcher(_ id: Int) {
        watchers[id] = nil
        answering.remove(id)
        if answering.isEmpty { settleQuestions() }
    }

    func announce(_ event: SessionServiceEvent) { for watcher in watchers.values { watcher.yield(event) } }

    /// Takes notice of the sessions as they are now.
    func notice(_ sessions: [SessionSummary]) {
        cache.update(sessions)
        plan(isLocked ? [] : sessions)
        status.yield(ServiceStatus(isLocked: isLocked, sessions: sessions, at: time.now))
        let dead = EndedSession.between(states, sessions)
        states = Dictionary(sessions.map { ($0.name, $0.settledState) }) { first, _ in first }
        guard let announcer, !dead.isEmpty else { return }
        let before = announcing
        announcing = Task {
            await before?.value
            for grant in dead { await announcer.announce(grant) }
        }
    }

    /// Waits until the person was told of everything noticed so far.
    func settleAnnouncements() async {
        await announcing?.value
        await announcer?.settle()
    }

    private func take(_ event: SessionServiceEvent) async {
        switch event {
        case .sessionsChanged(let sessions):
            notice(sessions)
            announce(.sessionsChanged(planned(sessions)))
        case .sealChanged:
            cache.clear()
            await followSeal()
            announce(event)
        case .activity(let activity):
            // A hand-out is written down by the server, which knows who took it, or was to.
            if ![.issued, .tokenRefused].contains(activity.kind) { log.append(ActivityRecord(activity)) }
            announce(event)
        case .asked, .settled: announce(event)
        }
    }

    // MARK: Session service

    public func providers() async throws(AuthFailure) -> [ProviderSummary] { try await current().providers() }

    public func sessions() async throws(AuthFailure) -> [SessionSummary] { planned(try await current().sessions()) }

    public func session(_ name: SessionName) async throws(AuthFailure) -> SessionDetail {
        touch()
        var detail = try await current().session(name)
        detail.summary = planned([detail.summary])[0]
        return detail
    }

    public func token(_ request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        touch()
        let service = try await current()
        // What a resource takes no longer is nothing for others either.
        if request.refused != nil { cache.clear() }
        if let grant = cache.grant(for: request, now: time.now, bootTime: time.bootTime) {
            let text = "token handed to \(request.caller ?? "a program")\(request.terms.note)"
            announce(.activity(Activity(at: time.now, kind: .issued, session: grant.session, text: text)))
            return grant
        }
        let generation = cache.generation
        let grant = try await consented(request, by: service)
        // What a person consented to was for one program, once.
        if request.refused != nil { cache.clear() }
        if !grant.isConsented { cache.insert(grant.value, for: request, generation: generation, bootTime: time.bootTime) }
        return grant.value
    }

    public func adopt(_ token: Secret, inPlaceOf old: Secret, in session: SessionName, from resource: WebURL) async throws(AuthFailure) {
        touch()
        let service = try await current()
        // What was handed out is the token that is replaced.
        defer { cache.clear() }
        try await service.adopt(token, inPlaceOf: old, in: session, from: resource)
    }

    public func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        touch()
        cache.clear()
        let service = try await current()
        return planned([try await demanding(name) { () async throws(AuthFailure) in try await service.renew(name) }])[0]
    }

    public func signOut(_ name: SessionName, mode: SignOutMode) async throws(AuthFailure) -> SignOutReceipt {
        touch()
        let service = try await current()
        cache.clear()
        defer { cache.clear() }
        let receipt = try await service.signOut(name, mode: mode)
        if let way = receipt.browserReturn { returns[way.id] = service }
        if receipt.entries.contains(where: \.isQueued) { watchRevocations(after: Self.revocationPause) }
        return receipt
    }

    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        // The configuration may have changed meanwhile; whoever listens for it knows it.
        let service: any SessionService
        if let known = returns[id] { service = known } else { service = try await current() }
        defer { returns[id] = nil }
        return try await service.browserReturn(id)
    }

    public func stopWaiting(for id: BrowserReturn.ID) async { await returns.removeValue(forKey: id)?.stopWaiting(for: id) }

    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { try log.recorded(limit) }
}
