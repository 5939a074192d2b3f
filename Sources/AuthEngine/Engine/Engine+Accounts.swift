public import AuthModel
internal import OAuth
internal import SessionStore

/// Resolves a provider's name alone to a session.
extension Engine {
    /// Returns `name` with its account. Throws if there is no such session.
    func resolve(_ name: SessionName) async throws(AuthFailure) -> SessionName {
        let candidates = try await sessions().filter { $0.name.provider == name.provider }
        if name.account != nil {
            guard candidates.contains(where: { $0.name == name }) else { throw notSignedIn(name) }
            return name
        }
        guard !candidates.isEmpty else { throw notSignedIn(name) }
        guard let chosen = await chosen(of: candidates) else { throw candidates.ambiguity(at: name.provider) }
        return chosen.name
    }

    /// Returns the session that is used when no account is named: the only one, or the active account's. All `sessions` are at one
    /// provider.
    func chosen(of sessions: [SessionSummary]) async -> SessionSummary? {
        guard sessions.count > 1, let provider = sessions.first?.name.provider else { return sessions.first }
        return await activeAccounts(at: [provider])[provider]?.session(among: sessions)
    }

    /// Returns the active account of each provider that has several sessions.
    func activeAccounts(among sessions: [SessionSummary]) async -> [ProviderName: String] {
        let several = Dictionary(grouping: sessions, by: \.name.provider).filter { $0.value.count > 1 }
        var accounts: [ProviderName: String] = [:]
        for (provider, active) in await activeAccounts(at: Array(several.keys)) {
            accounts[provider] = active.session(among: several[provider] ?? [])?.name.account
        }
        return accounts
    }

    /// Makes an account the active one of its provider; `nil` removes the choice.
    public func activate(_ account: String?, at provider: ProviderName) async throws(AuthFailure) {
        var choice: ActiveAccount?
        if let account {
            let here = try await sessions().filter { $0.name.provider == provider }
            guard let session = here.first(where: { $0.name.account == account }) else {
                guard let name = SessionName(provider: provider, account: account) else {
                    throw AuthFailure(.usage, "the account name is invalid", hint: "to list the accounts, run: yett accounts")
                }
                throw notSignedIn(name)
            }
            choice = ActiveAccount(session)
        } else {
            guard store.sealState != .locked(isNew: true) else { return }
            _ = try adapter(for: provider)
        }
        do {
            try await store.setSealedValue(choice.map { Secret($0.json.text) }, for: Self.key(of: provider))
        } catch {
            throw error.failure
        }
        await announceSessions()
    }

    /// Returns the active account of each provider; empty if the store cannot be read now.
    private func activeAccounts(at providers: [ProviderName]) async -> [ProviderName: ActiveAccount] {
        guard !providers.isEmpty, store.sealState == .unlocked,
            let kept = try? await store.sealedValues(for: providers.map(Self.key))
        else { return [:] }
        var accounts: [ProviderName: ActiveAccount] = [:]
        for provider in providers {
            let text = kept[Self.key(of: provider)]?.reveal()
            accounts[provider] = text.flatMap { try? JSONValue(strict: $0) }.flatMap(ActiveAccount.init)
        }
        return accounts
    }

    private static func key(of provider: ProviderName) -> String { "active-account:\(provider)" }
}

/// The stored active account of a provider. Matched by issuer and subject, so it stays active under a new label and after a new sign-in.
private struct ActiveAccount {
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
