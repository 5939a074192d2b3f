internal import AuthModel
internal import SessionStore

extension SessionRecord {
    /// Creates the store's record of a sign-in's result.
    init(_ grant: SignInResult, provider: ProviderName, label: String, adapter: any ProviderAdapter) throws(AuthFailure) {
        guard let name = SessionName(provider: provider, account: label) else {
            throw AuthFailure(.bug, "account.no_label_found")
        }
        guard !grant.identity.subject.utf8.contains(0) else {
            throw AuthFailure(
                .security, UserMessage("account.invalid_name_characters", ["host": adapter.address]), hint: "hint.contact_its_administrator"
            )
        }
        let tokens = grant.tokens
        let subject = grant.identity.subject.isEmpty ? nil : grant.identity.subject
        var warnings = grant.warnings
        if adapter.configuration.sessionLifetime == .process { warnings.append(UserMessage("session.ends_with_process")) }
        if subject == nil {
            warnings.append(UserMessage("account.user_not_identified", ["host": adapter.address]))
        }
        let summary = SessionSummary(
            name: name, issuer: grant.identity.issuer, subject: subject, recordedState: grant.state,
            accessExpiresAt: tokens.accessExpiresAt, refreshExpiresAt: tokens.refreshExpiresAt, isRenewable: adapter.canRenew(tokens),
            scopes: tokens.scopes, grantedAt: tokens.receivedAt, receivedAt: tokens.receivedAt, warnings: warnings)
        self.init(summary: summary, tokens: tokens, identity: grant.identity, clientID: grant.clientID, extras: grant.extras)
    }
}
