import AuthModel
import SessionStore

/// Finds, locks and changes the sessions of the store.
struct StoredSessions: Sendable {
    let listing: SessionListing
    let events: SessionEvents
    let accounts: DefaultAccounts

    private var store: SessionStore { listing.store }

    // MARK: Finding

    /// Returns all sessions, with their warnings.
    func all() async throws(AuthFailure) -> [SessionSummary] {
        await events.watchStore()
        return try await listing.sessions()
    }

    func all(at provider: ProviderName) async throws(AuthFailure) -> [SessionSummary] {
        try await all().filter { $0.name.provider == provider }
    }

    /// Returns the record of `name`: the named account's, the only one, or the default account's.
    func record(_ name: SessionName) async throws(AuthFailure) -> SessionRecord {
        let full = try await resolve(name)
        do { if let record = try await store.record(full) { return record } } catch { throw error.failure }
        throw notSignedIn(name)
    }

    /// Returns `name` with its account. Throws if there is no such session.
    func resolve(_ name: SessionName) async throws(AuthFailure) -> SessionName {
        let candidates = try await all(at: name.provider)
        if name.account != nil {
            guard candidates.contains(where: { $0.name == name }) else { throw notSignedIn(name) }
            return name
        }
        guard !candidates.isEmpty else { throw notSignedIn(name) }
        guard let chosen = await accounts.chosen(of: candidates) else { throw candidates.ambiguity(at: name.provider) }
        return chosen.name
    }

    /// Returns the failure for a session that does not exist, with the nearest name as its hint.
    func notSignedIn(_ name: SessionName) -> AuthFailure {
        if let path = store.lostPath {
            return AuthFailure(
                .notSignedIn, UserMessage("store.missing", ["path": path]),
                hint: UserMessage("hint.restore_store_or_sign_in_again", ["provider": name.provider]))
        }
        if listing.providers[name.provider] == nil {
            return .noProvider(of: name, among: listing.providers.all.map(\.configuration.name))
        }
        return AuthFailure(
            .notSignedIn, UserMessage("session.not_signed_in", ["session": name]),
            hint: UserMessage("hint.sign_in", ["provider": name.provider]))
    }

    // MARK: Locking

    /// Locks a session across processes. Waits at most one minute.
    func lock(_ name: SessionName) async throws(AuthFailure) -> SessionLock {
        do { return try await store.lock(name, until: listing.time.bootTime + .seconds(60)) } catch { throw error.failure }
    }

    /// Runs `body` while it holds the session's lock.
    func locked<Value: Sendable>(
        _ name: SessionName, _ body: (SessionLock) async throws(AuthFailure) -> Value
    ) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            let lock = try await lock(name)
            defer { lock.release() }
            return .success(try await body(lock))
        } catch {
            return .failure(error)
        }
    }

    // MARK: Changing

    /// Writes a change to one record durably and returns the record.
    func change(
        _ name: SessionName, holding lock: SessionLock? = nil, _ change: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> SessionRecord {
        let changed: SessionRecord?
        do {
            changed = try await store.update(name, holding: lock) { record in
                if var known = record {
                    change(&known)
                    record = known
                }
                return record
            }
        } catch {
            throw error.failure
        }
        guard let changed else { throw .signedOutMeanwhile(name) }
        return changed
    }

    /// Makes an account the default one of its provider; `nil` removes the choice.
    func makeDefault(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        var choice: SessionSummary?
        if let account {
            choice = try await all(at: provider).first { $0.name.account == account }
            guard choice != nil else {
                guard let name = SessionName(provider: provider, account: account) else {
                    throw AuthFailure(.usage, "account.invalid_name", hint: "hint.list_accounts")
                }
                throw notSignedIn(name)
            }
        } else {
            guard store.storeState != .locked(isNew: true) else { return }
            _ = try listing.providers.adapter(for: provider)
        }
        try await accounts.set(choice, at: provider)
        await events.announceSessions()
    }
}

/// Completes the summaries of the store with what the engine knows: renewals in progress and warnings.
struct SessionListing: Sendable {
    let store: SessionStore
    let providers: ProviderDirectory
    let renewals: TasksInProgress<SessionName, SessionRecord>
    let time: any TimeSource

    /// Returns all sessions, sorted by name.
    func sessions() async throws(AuthFailure) -> [SessionSummary] {
        do {
            let known = try await renewals.whileNoneEnds { () async throws(StoreError) in try await store.summaries() }
            return completed(known)
        } catch {
            throw error.failure
        }
    }

    /// Returns the summaries of all sessions with renewals in progress and warnings.
    private func completed(_ known: [SessionSummary]) -> [SessionSummary] {
        known.map { session in
            var summary = withProgress(session)
            summary.warnings += providers[session.name.provider]?.mismatches(of: session, among: known) ?? []
            return summary
        }
    }

    /// Returns the summary with the renewal that is in progress in this engine.
    func withProgress(_ summary: SessionSummary) -> SessionSummary {
        var summary = summary
        // The stored value is the earliest time of the next renewal; a past one has no effect.
        if let end = summary.nextRenewalAt, end <= time.now { summary.nextRenewalAt = nil }
        if renewals[summary.name] != nil { summary.recordedState = .renewing }
        return summary
    }
}

extension AuthFailure {
    /// Returns the failure for a session that has ended: only a new sign-in helps.
    static func sessionEnded(_ record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, record.summary.warnings.last ?? UserMessage("session.ended", ["session": record.summary.name]),
            hint: UserMessage("hint.sign_in_again", ["provider": record.summary.name.provider]))
    }

    /// Returns the failure for a session that was deleted while an operation used it.
    static func signedOutMeanwhile(_ name: SessionName) -> AuthFailure {
        AuthFailure(
            .notSignedIn, UserMessage("session.signed_out_meanwhile", ["session": name]),
            hint: UserMessage("hint.sign_in", ["provider": name.provider]))
    }
}

/// The default account of each provider: the one that the provider's name alone means while several accounts are signed in.
struct DefaultAccounts: Sendable {
    let store: SessionStore

    /// Returns the session that is used when no account is named: the only one, or the default account's; `nil` if neither exists. All
    /// `sessions` are at one provider.
    func chosen(of sessions: [SessionSummary]) async -> SessionSummary? {
        guard sessions.count > 1, let provider = sessions.first?.name.provider else { return sessions.first }
        return await stored(at: [provider])[provider]?.session(among: sessions)
    }

    /// Returns the default account of each provider that has several sessions.
    func accounts(among sessions: [SessionSummary]) async -> [ProviderName: String] {
        let several = Dictionary(grouping: sessions, by: \.name.provider).filter { $0.value.count > 1 }
        var accounts: [ProviderName: String] = [:]
        for (provider, active) in await stored(at: Array(several.keys)) {
            accounts[provider] = active.session(among: several[provider] ?? [])?.name.account
        }
        return accounts
    }

    /// Makes the account of `session` the default one of `provider`; `nil` removes the choice.
    func set(_ session: SessionSummary?, at provider: ProviderName) async throws(AuthFailure) {
        let choice = session.flatMap(DefaultAccount.init)
        do {
            try await store.setSealedValue(choice.map { Secret($0.json.text) }, for: Self.key(of: provider))
        } catch {
            throw error.failure
        }
    }

    /// Returns the default account of each provider; empty if the store cannot be read now.
    private func stored(at providers: [ProviderName]) async -> [ProviderName: DefaultAccount] {
        guard !providers.isEmpty, store.storeState == .unlocked,
            let kept = try? await store.sealedValues(for: providers.map(Self.key))
        else { return [:] }
        var accounts: [ProviderName: DefaultAccount] = [:]
        for provider in providers {
            let text = kept[Self.key(of: provider)]?.reveal()
            accounts[provider] = text.flatMap { try? JSONValue(strict: $0) }.flatMap(DefaultAccount.init)
        }
        return accounts
    }

    private static func key(of provider: ProviderName) -> String { "active-account:\(provider)" }
}

/// The stored default account of a provider. Matched by issuer and subject, so it stays active under a new label and after a new sign-in.
private struct DefaultAccount {
    var account: String
    var issuer: String?
    var subject: String?

    init?(_ session: SessionSummary) {
        guard let account = session.name.account else { return nil }
        (self.account, issuer, subject) = (account, session.issuer, session.subject)
    }

    init?(_ json: JSONValue) {
        guard let account = json["account"]?.string else { return nil }
        self.account = account
        issuer = json["issuer"]?.string
        subject = json["subject"]?.string
    }

    var json: JSONValue {
        ["account": .string(account), "issuer": issuer.map(JSONValue.string) ?? .null, "subject": subject.map(JSONValue.string) ?? .null]
    }

    /// Returns the account's session. Without a subject, only the label identifies the account.
    func session(among sessions: [SessionSummary]) -> SessionSummary? {
        sessions.first { session in
            guard let subject else { return session.subject == nil && session.name.account == account }
            return session.subject == subject && session.issuer == issuer
        }
    }
}
