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
    let bell = ChangeBell()
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
        plan.setLocked(try await service.seal() != .unlocked)
        // Sessions that an agent left when it did not end in order.
        await service.endProcessSessions()
        await followUp.notice(try await service.sessions())
        await storeLock.startIdleTimer()
        revocations.start()
    }

    /// Ends renewals, sign-ins and event streams. Requests are still answered until ``retire()``.
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
            observers.announce(.sessionsChanged(plan.planned(sessions)))
            bell.ring()
        case .sealChanged:
            cache.clear()
            await storeLock.refreshSealState()
            observers.announce(event)
            bell.ring()
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
        case .passphrase: await storeLock.seal() != .unlocked
        case .impossible: false
        }
    }

    /// Waits until the user was notified of everything so far.
    func settleAnnouncements() async { await followUp.settleAnnouncements() }

    /// Handles the announcements of sleeps.
    func follow(_ watch: SleepWatch) async { await storeLock.follow(watch) }
}

/// Recognizes a program that asks for a token again although the one that it has is still valid: a resource refused that token.
///
/// kubectl runs its plugin again after status 401, and tells it nothing about that. Only fingerprints of tokens are remembered.
final class RepeatedRequests: Sendable {
    /// The program that runs yett: its process, and when that started, because a process number may be reused.
    struct Requester: Hashable {
        var process: Int32
        var startedAt: UInt64
    }

    private struct Key: Hashable {
        var requester: Requester
        var session: SessionName
        var wanted: TokenRequest.Wanted
        var restrictions: TokenRestrictions
        var destination: String?
    }

    private struct Entry {
        /// The fingerprint of the issued token.
        var token: Int
        /// When the program asked last, on the boot clock.
        var askedAt: Duration
        /// When a token was last replaced for the program, on the boot clock.
        var replacedAt: Duration?
    }

    private let entries = Mutex<[Key: Entry]>([:])
    private let requester: @Sendable (Int32) -> Requester?

    /// The minimum time between two replacements for one program: a cluster may refuse every token, for another reason.
    static let interval = Duration.seconds(60)
    /// The maximum number of entries.
    static let limit = 256

    /// Creates a memory without entries.
    ///
    /// - Parameter requester: returns the program that runs the process of yett with this number; `nil` if that is unknown.
    init(requester: @escaping @Sendable (Int32) -> Requester? = { Requester(behind: RunningProcess(number: $0)) }) {
        self.requester = requester
    }

    /// Returns whether a resource must have refused the token that is about to be issued. Remembers the token as issued.
    func isRefused(_ issued: IssuedToken, for request: TokenRequest, now: Timestamp, bootTime: Duration) -> Bool {
        guard let key = key(issued, request), issued.expiresAt.map({ $0 > now }) ?? true else { return false }
        let token = Self.fingerprint(of: issued.token)
        return entries.withLock { entries in
            let known = entries[key]
            let isRefused = known?.token == token && known?.replacedAt.map { bootTime - $0 >= Self.interval } ?? true
            if known == nil, entries.count >= Self.limit, let oldest = entries.min(by: { $0.value.askedAt < $1.value.askedAt }) {
                entries[oldest.key] = nil
            }
            entries[key] = Entry(token: token, askedAt: bootTime, replacedAt: isRefused ? bootTime : known?.replacedAt)
            return isRefused
        }
    }

    /// Remembers the token that was issued in place of a refused one.
    func replace(with issued: IssuedToken, for request: TokenRequest) {
        guard let key = key(issued, request) else { return }
        entries.withLock { $0[key]?.token = Self.fingerprint(of: issued.token) }
    }

    /// Returns the key of a request; `nil` if a repetition of it means nothing.
    private func key(_ issued: IssuedToken, _ request: TokenRequest) -> Key? {
        guard request.repetitionMeansRefusal, request.refused == nil, let requester = request.process.flatMap(requester) else { return nil }
        return Key(
            requester: requester, session: issued.session, wanted: request.wanted, restrictions: request.restrictions,
            destination: request.destination)
    }

    /// Returns a hash that is different in each process.
    private static func fingerprint(of token: Secret) -> Int {
        token.withBytes { bytes in
            var hasher = Hasher()
            hasher.combine(bytes: bytes)
            return hasher.finalize()
        }
    }
}

extension RepeatedRequests.Requester {
    /// The program that started a process of yett; `nil` if it is a shell, in which each request is a command of its own, or if the kernel
    /// does not tell.
    init?(behind process: RunningProcess) {
        guard let parent = process.parent, !parent.isShell, let start = parent.startTime else { return nil }
        self.init(process: parent.number, startedAt: start)
    }
}
