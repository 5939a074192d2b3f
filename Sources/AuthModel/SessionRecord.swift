/// A session as the store keeps it: a readable summary and sealed contents.
public struct SessionRecord: Equatable, Sendable {
    /// The summary. It is stored unencrypted; the seal authenticates it.
    public var summary: SessionSummary
    /// The tokens; `nil` if they were revoked or the grant is no longer valid.
    public var tokens: TokenSet?
    /// The verified identity. Sealed.
    public var identity: Identity
    /// The client that the tokens were issued to.
    public var clientID: String
    /// Additional data of the provider kind (its own keys and endpoints), as an object. Sealed.
    public var extras: JSONValue
    /// The failed renewals since these tokens were received. Sealed.
    public var renewalFailures = RenewalFailures()
    /// The claims of the tokens that the last renewal replaced, by ``TokenView/Kind``; empty if there were none. Unverified, and sealed.
    public var formerClaims: [TokenView.Kind: JSONValue] = [:]
    /// The credentials that other services issued for these tokens. Sealed.
    public var derivedCredentials: [DerivedCredential] = []

    /// Creates a session record.
    public init(summary: SessionSummary, tokens: TokenSet?, identity: Identity, clientID: String, extras: JSONValue = .object([])) {
        self.summary = summary
        self.tokens = tokens
        self.identity = identity
        self.clientID = clientID
        self.extras = extras
    }
}
