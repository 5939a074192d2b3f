internal import AuthModel
internal import SessionStore

extension SessionRecord {
    /// Creates the store's record of a sign-in's result.
    init(_ result: SignInResult, provider: ProviderName, label: String, adapter: any ProviderAdapter) throws(AuthFailure) {
        guard let name = SessionName(provider: provider, account: label) else {
            throw AuthFailure(.bug, "account.no_label_found")
        }
        guard !result.identity.subject.utf8.contains(0) else {
            throw AuthFailure(
                .security, UserMessage("account.invalid_name_characters", ["host": adapter.address]), hint: "hint.contact_its_administrator"
            )
        }
        let tokens = result.tokens
        let subject = result.identity.subject.isEmpty ? nil : result.identity.subject
        var warnings = result.warnings
        if adapter.configuration.sessionLifetime == .process { warnings.append(UserMessage("session.ends_with_process")) }
        if subject == nil {
            warnings.append(UserMessage("account.user_not_identified", ["host": adapter.address]))
        }
        let summary = SessionSummary(
            name: name, issuer: result.identity.issuer, subject: subject, recordedState: result.state,
            accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: tokens.refreshExpiresAt, isRenewable: adapter.canRenew(tokens),
            scopes: tokens.scopes, grantedAt: tokens.receivedAt, receivedAt: tokens.receivedAt, warnings: warnings)
        self.init(summary: summary, tokens: tokens, identity: result.identity, clientID: result.clientID, extras: result.extras)
    }
}
