public import AuthModel

extension AgentSessionService {
    /// Returns the events from now on.
    public func events() async -> AsyncStream<SessionServiceEvent> { await events(answering: false) }

    /// Returns the events from now on, with consent requests. Its reader may answer them.
    public func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events(answering: true) }

    private func events(answering isAnswering: Bool) async -> AsyncStream<SessionServiceEvent> {
        // Events come only from a running session service, so create it.
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
        if answering.isEmpty { endConsentRequests() }
    }

    func announce(_ event: SessionServiceEvent) { for watcher in watchers.values { watcher.yield(event) } }

    /// Updates cache, plan, status and notifications for the current sessions.
    func notice(_ sessions: [SessionSummary]) {
        cache.update(sessions)
        plan(isLocked ? [] : sessions)
        status.yield(ServiceStatus(isLocked: isLocked, sessions: sessions, at: time.now))
        let dead = EndedSession.between(states, sessions)
        states = Dictionary(sessions.map { ($0.name, $0.recordedState) }) { first, _ in first }
        guard let announcer, !dead.isEmpty else { return }
        let before = announcing
        announcing = Task {
            await before?.value
            for grant in dead { await announcer.announce(grant) }
        }
    }

    /// Waits until the user was notified of everything so far.
    func settleAnnouncements() async {
        await announcing?.value
        await announcer?.settle()
    }

    func take(_ event: SessionServiceEvent) async {
        switch event {
        case .sessionsChanged(let sessions):
            notice(sessions)
            announce(.sessionsChanged(planned(sessions)))
        case .sealChanged:
            cache.clear()
            await refreshSealState()
            announce(event)
        case .activity(let activity):
            // The server records issued tokens and refusals, because it knows the calling process.
            if ![.issued, .tokenRefused].contains(activity.kind) { log.append(ActivityRecord(activity)) }
            announce(event)
        case .asked, .settled: announce(event)
        }
    }
}
