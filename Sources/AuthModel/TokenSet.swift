/// The tokens from a token endpoint (RFC 6749 section 5.1), with absolute times.
public struct TokenSet: Equatable, Sendable {
    /// The access token.
    public var accessToken: Secret
    /// The token type as the provider spelled it, such as `Bearer` or `DPoP`; compared without case.
    public var tokenType: String
    /// When the access token expires; `nil` if the provider did not say.
    public var accessExpiresAt: Timestamp?
    /// The refresh token, if one was issued.
    public var refreshToken: Secret?
    /// When the refresh token expires, if the provider says so.
    public var refreshExpiresAt: Timestamp?
    /// The ID token, unchanged.
    public var idToken: Secret?
    /// The granted scopes.
    public var scopes: ScopeSet
    /// When these tokens were received.
    public var receivedAt: Timestamp

    /// Creates a token set.
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
