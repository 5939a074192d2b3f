public import AuthModel
public import SessionStore

/// The session service that works in this process: runs flows, renews sessions, issues tokens and signs out, under the store's locks.
///
/// Several engines, in one process or in many, may use one store at the same time. They coordinate through the store: a renewal runs under
/// the session's lock and reads the record again once it holds the lock.
public actor Engine: SessionService {
    let store: SessionStore
    let environment: EngineEnvironment
    /// The adapter of each provider. An attempt in progress keeps the adapter that it started with.
    private(set) var adapters: [ProviderName: any ProviderAdapter]
    /// Sign-in attempts in progress.
    var attempts: [SignInAttempt.ID: RunningAttempt] = [:]
    /// Waits for the browser after a sign-out.
    var returns: [BrowserReturn.ID: RunningReturn] = [:]
    /// Renewals in progress in this process. Concurrent callers share the result.
    var renewals: [SessionName: Task<Result<SessionRecord, AuthFailure>, Never>] = [:]
    /// Responses that are still to be saved.
    var unsavedResponses: [SessionName: UnsavedResponse] = [:]
    /// Pauses after recently failed renewals.
    var pauses = RenewalPauses()
    /// Cached tokens with restrictions.
    var narrowedTokens = NarrowedTokens()
    var narrowings: [NarrowedTokens.Key: Task<Result<IssuedToken, AuthFailure>, Never>] = [:]
    private var watchers: [Int: AsyncStream<SessionServiceEvent>.Continuation] = [:]
    private var nextWatcher = 0
    private var storeWatch: Task<Void, Never>?

    /// Creates an engine for the configured providers.
    public init(providers: [ProviderConfiguration], store: SessionStore, environment: EngineEnvironment) {
        self.store = store
        var environment = environment
        environment.registration = { (clientID, issuer) async throws(AuthFailure) in
            try await Self.registration(clientID, at: issuer, in: store)
        }
        self.environment = environment
        var adapters: [ProviderName: any ProviderAdapter] = [:]
        for provider in providers { adapters[provider.name] = provider.makeAdapter(in: environment) }
        self.adapters = adapters
    }

    /// Replaces the configured providers. Operations in progress at a removed or changed provider continue with the old configuration.
    public func configure(_ providers: [ProviderConfiguration]) {
        var changed: [ProviderName: any ProviderAdapter] = [:]
        for provider in providers {
            let known = adapters[provider.name].flatMap { $0.configuration == provider ? $0 : nil }
            changed[provider.name] = known ?? provider.makeAdapter(in: environment)
        }
        adapters = changed
    }

    deinit {
        storeWatch?.cancel()
        for running in returns.values { running.task.cancel() }
        for watcher in watchers.values { watcher.finish() }
    }

    // MARK: Providers and sessions

    /// Lists the configured providers, sorted by name, with the accounts that are signed in.
    public func providers() async throws(AuthFailure) -> [ProviderSummary] {
        let sessions = try await sessions()
        let active = await activeAccounts(among: sessions)
        return adapters.values.sorted { $0.configuration.name < $1.configuration.name }.map { adapter in
            let configuration = adapter.configuration
            let here = sessions.filter { $0.name.provider == configuration.name }
                .sorted { ($0.lastUsedAt ?? $0.grantedAt) > ($1.lastUsedAt ?? $1.grantedAt) }
            var summary = ProviderSummary(
                name: configuration.name, kind: configuration.kind, address: adapter.address, scopes: configuration.scopes,
                offersSignUp: adapter.offersSignUp, accounts: here.filter { !$0.isAnonymousGuest }.compactMap(\.name.account),
                labels: configuration.labels, promptsGuests: adapter.promptsGuests)
            summary.activeAccount = active[configuration.name]
            summary.base = adapter.base
            summary.revokes = adapter.revokes
            summary.hasBrowserSession = adapter.hasBrowserSession
            summary.endsWithProcess = configuration.sessionLifetime == .process
            return summary
        }
    }

    /// Lists all sessions, with their warnings.
    public func sessions() async throws(AuthFailure) -> [SessionSummary] {
        watchStore()
        let known: [SessionSummary]
        do { known = try await store.summaries() } catch { throw error.failure }
        return known.map { session in
            var summary = planned(session)
            summary.warnings += adapters[session.name.provider]?.mismatches(of: session, among: known) ?? []
            return summary
        }
    }

    /// Returns the summary with this engine's own knowledge of renewals.
    func planned(_ summary: SessionSummary) -> SessionSummary {
        var summary = summary
        // The stored value is the earliest time of the next renewal; a past one has no effect.
        if let end = summary.nextRenewalAt, end <= environment.time.now { summary.nextRenewalAt = nil }
        if renewals[summary.name] != nil { summary.recordedState = .renewing }
        return summary
    }

    func adapter(for provider: ProviderName) throws(AuthFailure) -> any ProviderAdapter {
        if let adapter = adapters[provider] { return adapter }
        let near = adapters.keys.map(\.text).nearest(to: provider.text)
        throw AuthFailure(
            .configuration, "no provider is named \(provider)",
            hint: near.map { "did you mean \($0)? to see all, run: yett providers list" }
                ?? "add it with: yett providers add ISSUER --name \(provider)")
    }

    /// Returns the record of `name`: the named account's, the only one, or the active account's.
    func record(_ name: SessionName) async throws(AuthFailure) -> SessionRecord {
        let full = try await resolve(name)
        do {
            if let record = try await store.record(full) { return record }
        } catch {
            throw error.failure
        }
        throw notSignedIn(name)
    }

    func notSignedIn(_ name: SessionName) -> AuthFailure {
        if let path = store.lostPath {
            return AuthFailure(
                .notSignedIn, "the store is missing: \(path) does not exist",
                hint: "restore it, or sign in again with: yett login \(name.provider)")
        }
        if adapters[name.provider] == nil {
            let providers = adapters.keys.map(\.text).sorted()
            let summary = "no session \(name), and no provider \(name.provider)"
            if let near = providers.nearest(to: name.provider.text) {
                return AuthFailure(.notSignedIn, summary, hint: "did you mean \(near)?")
            }
            let known = providers.prefix(5).joined(separator: ", ") + (providers.count > 5 ? ", …" : "")
            return AuthFailure(
                .notSignedIn, summary,
                hint: providers.isEmpty ? "add a provider with: yett providers add" : "the providers are: \(known)")
        }
        return AuthFailure(.notSignedIn, "not signed in: \(name)", hint: "sign in with: yett login \(name.provider)")
    }

    // MARK: Events

    /// Returns the engine's events from now on, including changes by other processes.
    public func events() async -> AsyncStream<SessionServiceEvent> {
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

    /// Watches for changes that other processes make to the store. If the store is removed, the watch ends; the next read starts it again
    /// for a new store.
    private func watchStore() {
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

    private func removeWatcher(_ id: Int) { watchers[id] = nil }

    func announce(_ event: SessionServiceEvent) {
        for watcher in watchers.values { watcher.yield(event) }
    }

    func announceSessions() async {
        guard !watchers.isEmpty, let sessions = try? await sessions() else { return }
        announce(.sessionsChanged(sessions))
    }

    func announce(_ kind: Activity.Kind, _ session: SessionName?, _ text: String) {
        let activity = Activity(at: environment.time.now, kind: kind, session: session, text: text)
        environment.recorder?.record(activity)
        announce(.activity(activity))
    }

    /// Returns the latest activity, at most `limit` entries; empty without a recorder.
    public func activity(_ limit: Int) async throws(AuthFailure) -> [Activity] { try environment.recorder?.recorded(limit) ?? [] }

    /// Returns ``events()``: in this process, the caller of ``token(_:)`` asks the user itself.
    public func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { await events() }

    /// Throws, because this service asks no questions.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        throw TokenConsentRequest.isOver
    }

    // MARK: Seal

    /// Returns the state of the seal. Without a store, only a store with a passphrase counts as locked.
    public func seal() async -> SealState {
        let state = store.sealState
        return state == .locked(isNew: true) && store.seal != .passphrase ? .unlocked : state
    }

    /// Returns whether a passphrase unlocks the store.
    public func needsPassphrase() async -> Bool { store.seal == .passphrase }

    /// Unlocks an existing store that needs no passphrase.
    public func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {
        // Without a store there is nothing to unlock; the next sign-in creates it.
        guard store.seal != .passphrase, store.sealState == .locked(isNew: false) else { return }
        do { try await store.unlock() } catch { throw error.failure }
        announce(.sealChanged(.unlocked))
    }

    /// Makes sure the store is unlocked; creates it if it is missing and needs no passphrase.
    func requireOpenStore() async throws(AuthFailure) {
        guard case .locked(let isNew) = store.sealState else { return }
        guard isNew else { throw AuthFailure(.configuration, "the store is locked", hint: "unlock it first, then sign in") }
        guard store.seal != .passphrase else {
            throw AuthFailure(.configuration, "there is no store yet", hint: "create one and choose its passphrase: yett agent unlock")
        }
        do { try await store.unlock() } catch { throw error.failure }
        await announceSessions()
    }

    /// Unlocks the store; creates it if there is none.
    public func unlock(passphrase: Secret) async throws(AuthFailure) {
        do { try await store.unlock(passphrase: passphrase) } catch { throw error.failure }
        announce(.sealChanged(store.sealState))
    }

    /// Locks the store, clears the cached tokens, and waits for the holders of session locks.
    public func lock() async throws(AuthFailure) {
        do { try store.lock() } catch { throw error.failure }
        narrowedTokens.clear()
        announce(.sealChanged(store.sealState))
        // A renewal in progress holds the keys until its response is sealed.
        await store.settle()
        narrowedTokens.clear()
        unsavedResponses = [:]
    }

    /// Waits until this process holds no session lock, and refuses new ones.
    public func retire() async { await store.retire() }
}
