/// What a token endpoint gave (RFC 6749 section 5.1), with the times worked out.
public struct TokenSet: Equatable, Sendable {
    public var accessToken: Secret
    /// How the access token is presented, as the provider spelled it: `Bearer`, `DPoP`; compared without case.
    public var tokenType: String
    /// When the access token ends; `nil` when the provider did not say.
    public var accessExpiresAt: Timestamp?
    public var refreshToken: Secret?
    /// When the refresh token ends, where the provider says so.
    public var refreshExpiresAt: Timestamp?
    /// The ID token, as it came.
    public var idToken: Secret?
    /// The scopes granted.
    public var scopes: ScopeSet
    /// When these tokens were received.
    public var receivedAt: Timestamp

    public init(
        accessToken: Secret, tokenType: String, accessExpiresAt: Timestamp?, refreshToken: Secret?, refreshExpiresAt: Timestamp?,
        idToken: Secret?, scopes: ScopeSet, receivedAt: Timestamp
    ) {
        self.accessToken = accessToken
        self.tokenType = tokenType
        self.accessExpiresAt = accessExpiresAt
        self.refreshToken = refreshToken
        self.refreshExpiresAt = refreshExpiresAt
        self.idToken = idToken
        self.scopes = scopes
        self.receivedAt = receivedAt
    }
}
