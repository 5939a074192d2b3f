/// A request for a token of a session.
public struct TokenRequest: Equatable, Sendable {
    public enum Wanted: String, Sendable {
        case access
        case id
    }

    public var session: SessionName
    public var wanted: Wanted
    /// How long the token must still be good.
    public var minimumValidity: Duration
    /// Whether a renewal may be made for it.
    public var mayRenew: Bool
    /// The program that asks, for the record.
    public var caller: String?

    public init(
        session: SessionName, wanted: Wanted = .access, minimumValidity: Duration = SessionSummary.freshness, mayRenew: Bool = true,
        caller: String? = nil
    ) {
        self.session = session
        self.wanted = wanted
        self.minimumValidity = minimumValidity
        self.mayRenew = mayRenew
        self.caller = caller
    }
}

/// A token that was handed out.
public struct TokenGrant: Equatable, Sendable {
    public var token: Secret
    /// `Bearer`, `DPoP`: the scheme it is sent under.
    public var tokenType: String
    public var expiresAt: Timestamp?
    public var scopes: ScopeSet
    public var session: SessionName

    public init(token: Secret, tokenType: String, expiresAt: Timestamp?, scopes: ScopeSet, session: SessionName) {
        self.token = token
        self.tokenType = tokenType
        self.expiresAt = expiresAt
        self.scopes = scopes
        self.session = session
    }
}
