internal import AuthModel
internal import SessionStore

/// Reports events to the engine's observers, including changes that other processes make to the store.
actor SessionEvents {
    private let store: SessionStore
    private let listing: SessionListing
    private let environment: EngineEnvironment
    private var watchers: [Int: AsyncStream<SessionServiceEvent>.Continuation] = [:]
    private var nextWatcher = 0
    private var storeWatch: Task<Void, Never>?
    /// The last report of the sessions, so that the next one waits for it.
    private var lastReport: Task<Void, Never>?

    init(listing: SessionListing, environment: EngineEnvironment) {
        store = listing.store
        self.listing = listing
        self.environment = environment
    }

    deinit {
        storeWatch?.cancel()
        for watcher in watchers.values { watcher.finish() }
    }

    // MARK: Observers

    /// Returns the events from now on.
    func stream() -> AsyncStream<SessionServiceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let id = nextWatcher
        nextWatcher += 1
        watchers[id] = continuation
        continuation.onTermination = { [weak self] _ in
            Task { await self?.removeWatcher(id) }
        }
        watchStore()
        return stream
    }

    private func removeWatcher(_ id: Int) { watchers[id] = nil }

    // MARK: Changes of the store

    /// Watches for changes that other processes make to the store, if there is an observer. If the store is removed, the watch ends; the
    /// next read starts it again for a new store.
    func watchStore() {
        guard storeWatch == nil, !watchers.isEmpty else { return }
        let changes = store.changes()
        storeWatch = Task { [weak self] in
            var hasTold = false
            for await _ in changes {
                hasTold = true
                await self?.announceSessions()
            }
            await self?.endWatch(afterChange: hasTold)
        }
    }

    private func endWatch(afterChange hasTold: Bool) async {
        storeWatch = nil
        // A new store may have replaced the removed one before it was watched.
        if hasTold, store.lostPath == nil { await announceSessions() }
    }

    // MARK: Reports

    /// Reports an event to all observers.
    func announce(_ event: SessionServiceEvent) {
        for watcher in watchers.values { watcher.yield(event) }
    }

    /// Reports the seal's state to all observers. It is read here, so that the last report has the last state.
    func announceSeal() { announce(.storeStateChanged(store.storeState)) }

    /// Reports the current sessions to all observers and to the environment. Does nothing if the store cannot be read.
    func announceSessions() async {
        guard !watchers.isEmpty || environment.sessionsChanged != nil else { return }
        watchStore()
        // One after the other: the last report must have the last state.
        let previous = lastReport
        let report = Task {
            await previous?.value
            guard let sessions = try? await listing.sessions() else { return }
            environment.sessionsChanged?(sessions)
            announce(.sessionsChanged(sessions))
        }
        lastReport = report
        await report.value
    }

    /// Records an activity and reports it to all observers.
    func announce(_ kind: Activity.Kind, _ session: SessionName?, _ message: UserMessage) {
        let activity = Activity(at: environment.time.now, kind: kind, session: session, message: message)
        environment.recorder?.record(activity)
        announce(.activity(activity))
    }
}
