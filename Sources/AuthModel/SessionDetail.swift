/// Everything about one session that may be shown: identity, claims and the facts about its tokens, never a token.
public struct SessionDetail: Equatable, Sendable {
    public var summary: SessionSummary
    public var identity: Identity
    public var clientID: String
    /// The tokens held, in the order access, refresh, ID.
    public var tokens: [TokenView]
    /// What the provider's configuration says of where this session's token may go.
    public var apiHosts: [String]

    /// What its tokens were asked for (RFC 8707).
    public var resources: [String]

    /// What can be done with it at the provider, where the provider says who may do what.
    public var actions: [SessionCapability] = []

    public init(
        summary: SessionSummary, identity: Identity, clientID: String, tokens: [TokenView], apiHosts: [String], resources: [String] = []
    ) {
        self.summary = summary
        self.identity = identity
        self.clientID = clientID
        self.tokens = tokens
        self.apiHosts = apiHosts
        self.resources = resources
    }
}

/// Something that people do at a provider, and who may.
public struct SessionCapability: Equatable, Sendable {
    /// A word for it: `comment`, `vote`.
    public var name: String
    /// Whether a guest has to sign in for it.
    public var needsSignIn: Bool

    public init(_ name: String, needsSignIn: Bool) {
        self.name = name
        self.needsSignIn = needsSignIn
    }
}

/// What may be shown of a token.
public struct TokenView: Equatable, Sendable {
    public enum Kind: String, Sendable {
        case access
        case refresh
        case id
    }

    /// Whether the token was verified by us.
    public enum Verification: Equatable, Sendable {
        /// Not a JWT: nothing to see.
        case opaque
        /// Signature and claims were verified, with the algorithm and key named.
        case verified(algorithm: String, keyID: String?)
        /// Decoded, and not verified: it is meant for somebody else, or its keys are not to be had.
        case unverified(reason: String)
        /// Decoded, and not what it says it is: the signature is wrong, or is none that its provider makes.
        case refused(reason: String)
    }

    public var kind: Kind
    /// Its first characters and an ellipsis, or its length only; never enough to use.
    public var redacted: String
    public var expiresAt: Timestamp?
    /// The JOSE header, where it is a JWT.
    public var header: JSONValue?
    /// The claims, where it is a JWT.
    public var claims: JSONValue?
    public var verification: Verification

    public init(
        kind: Kind, redacted: String, expiresAt: Timestamp?, header: JSONValue?, claims: JSONValue?, verification: Verification
    ) {
        self.kind = kind
        self.redacted = redacted
        self.expiresAt = expiresAt
        self.header = header
        self.claims = claims
        self.verification = verification
    }
}
