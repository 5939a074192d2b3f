internal import AuthModel

/// Updates everything that depends on the list of sessions: the cache, the plan, the agent's status and the user's notifications.
actor SessionOverview {
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
        let dead = EndedSession.between(states, sessions)
        states = Dictionary(sessions.map { ($0.name, $0.recordedState) }) { first, _ in first }
        guard let announcer, !dead.isEmpty else { return }
        let before = announcing
        announcing = Task {
            await before?.value
            for session in dead { await announcer.announce(session) }
        }
    }

    /// Waits until the user was notified of everything so far.
    func settleAnnouncements() async {
        await announcing?.value
        await announcer?.settle()
    }

    /// Ends the stream of statuses.
    func end() { status.finish() }
}
