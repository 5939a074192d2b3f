public import AuthModel

/// The renewal of a provider's sessions.
public protocol RenewalAdapter: ProviderRole {
    /// Gets new tokens for a session.
    func renew(_ record: SessionRecord, sessions: any BaseSessions) async throws(RenewalFailure) -> Renewal

    /// Whether a session with these tokens can be renewed without the user.
    func canRenew(_ tokens: TokenSet) -> Bool

    /// Whether a session that a resource refused may be renewed now.
    func mayRenewNow(_ record: SessionRecord) -> Bool
}

extension RenewalAdapter {
    /// Default: true if there is a refresh token.
    public func canRenew(_ tokens: TokenSet) -> Bool { tokens.refreshToken != nil }

    /// Default: true.
    public func mayRenewNow(_ record: SessionRecord) -> Bool { true }
}
