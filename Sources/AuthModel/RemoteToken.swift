/// A token of the same person that the provider itself lists, wherever it was issued. Never the token, only its end.
public struct RemoteToken: Equatable, Sendable {
    /// The provider's name for it.
    public var id: String
    /// Its last characters, where the provider tells them.
    public var suffix: String?
    /// `access_token`, `refresh_token`, in the provider's words.
    public var kind: String?
    public var scopes: ScopeSet
    public var issuedAt: Timestamp?
    public var expiresAt: Timestamp?

    public init(id: String, suffix: String?, kind: String?, scopes: ScopeSet, issuedAt: Timestamp?, expiresAt: Timestamp?) {
        self.id = id
        self.suffix = suffix
        self.kind = kind
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
