/// A token of the same user that the provider lists, regardless of the client that received it. Contains only the last characters of the
/// token.
public struct RemoteToken: Equatable, Sendable {
    /// The provider's identifier of the token.
    public var id: String
    /// The last characters of the token, if the provider returns them.
    public var suffix: String?
    /// The token type as the provider names it, such as `access_token` or `refresh_token`.
    public var kind: String?
    /// The scopes of the token.
    public var scopes: ScopeSet
    /// When the token was issued, if known.
    public var issuedAt: Timestamp?
    /// When the token expires, if known.
    public var expiresAt: Timestamp?

    /// Creates a remote token.
    public init(id: String, suffix: String?, kind: String?, scopes: ScopeSet, issuedAt: Timestamp?, expiresAt: Timestamp?) {
        self.id = id
        self.suffix = suffix
        self.kind = kind
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
