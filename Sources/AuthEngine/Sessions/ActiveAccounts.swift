internal import AuthModel
internal import SessionStore

/// The active account of each provider: the one that the provider's name alone means while several accounts are signed in.
struct ActiveAccounts: Sendable {
    let store: SessionStore

    /// Returns the session that is used when no account is named: the only one, or the active account's; `nil` if neither exists. All
    /// `sessions` are at one provider.
    func chosen(of sessions: [SessionSummary]) async -> SessionSummary? {
        guard sessions.count > 1, let provider = sessions.first?.name.provider else { return sessions.first }
        return await stored(at: [provider])[provider]?.session(among: sessions)
    }

    /// Returns the active account of each provider that has several sessions.
    func accounts(among sessions: [SessionSummary]) async -> [ProviderName: String] {
        let several = Dictionary(grouping: sessions, by: \.name.provider).filter { $0.value.count > 1 }
        var accounts: [ProviderName: String] = [:]
        for (provider, active) in await stored(at: Array(several.keys)) {
            accounts[provider] = active.session(among: several[provider] ?? [])?.name.account
        }
        return accounts
    }

    /// Makes the account of `session` the active one of `provider`; `nil` removes the choice.
    func set(_ session: SessionSummary?, at provider: ProviderName) async throws(AuthFailure) {
        let choice = session.flatMap(ActiveAccount.init)
        do {
            try await store.setSealedValue(choice.map { Secret($0.json.text) }, for: Self.key(of: provider))
        } catch {
            throw error.failure
        }
    }

    /// Returns the active account of each provider; empty if the store cannot be read now.
    private func stored(at providers: [ProviderName]) async -> [ProviderName: ActiveAccount] {
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
