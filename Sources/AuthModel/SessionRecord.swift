/// A session as the store keeps it: the summary, and what is sealed.
public struct SessionRecord: Equatable, Sendable {
    /// Kept in the clear, protected against change by the seal.
    public var summary: SessionSummary
    /// `nil` once the tokens are gone: revoked, or the grant is dead.
    public var tokens: TokenSet?
    public var identity: Identity
    /// The client the tokens belong to.
    public var clientID: String
    /// What a provider kind keeps beside the tokens (its own keys and endpoints), as an object. Sealed.
    public var extras: JSONValue
    /// What went wrong with renewals since these tokens came. Sealed.
    public var renewalFailures = RenewalFailures()

    public init(summary: SessionSummary, tokens: TokenSet?, identity: Identity, clientID: String, extras: JSONValue = .object([])) {
        self.summary = summary
        self.tokens = tokens
        self.identity = identity
        self.clientID = clientID
        self.extras = extras
    }
}
