/// Everything about one session that may be shown: identity, claims and facts about its tokens, but no token.
public struct SessionDetail: Equatable, Sendable {
    /// The summary of the session.
    public var summary: SessionSummary
    /// The verified identity.
    public var identity: Identity
    /// The client that the tokens were issued to.
    public var clientID: String
    /// The tokens of the session, in the order access, refresh, ID.
    public var tokens: [TokenView]
    /// The configured hosts to which the session's token may be sent.
    public var apiHosts: [String]

    /// The resources that the tokens were requested for (RFC 8707).
    public var resources: [String]

    /// The session's permissions at the provider, if the provider reports them.
    public var actions: [SessionCapability] = []

    package init(
        summary: SessionSummary, identity: Identity, clientID: String, tokens: [TokenView], apiHosts: [String], resources: [String] = []
    ) {
        self.summary = summary
        self.identity = identity
        self.clientID = clientID
        self.tokens = tokens
        self.apiHosts = apiHosts
        self.resources = resources
    }

    /// The name of the user as far as it is known: the full name, the name at the service, or the account's label.
    public var userName: String {
        identity.displayName ?? identity.readableLabel ?? summary.name.account ?? identity.defaultLabel
    }
}

/// An action at a provider and whether it requires a sign-in.
public struct SessionCapability: Equatable, Sendable {
    /// The name of the action, such as `comment` or `vote`.
    public var name: String
    /// Whether guests must sign in for it.
    public var needsSignIn: Bool

    package init(_ name: String, needsSignIn: Bool) {
        self.name = name
        self.needsSignIn = needsSignIn
    }
}

/// The parts of a token that may be shown.
public struct TokenView: Equatable, Sendable {
    /// The type of a token.
    public enum Kind: String, Sendable {
        case access
        case refresh
        case id
    }

    /// The result of Yett's own verification of the token.
    public enum Verification: Equatable, Sendable {
        /// Not a JWT, so it cannot be decoded.
        case opaque
        /// The signature and claims were verified, with the given algorithm and key.
        case verified(algorithm: String, keyID: String?)
        /// Decoded but not verified: the token is for another recipient, or its keys are not available.
        case unverified(reason: UserMessage)
        /// Decoded and invalid: the signature is wrong, or uses a method that its provider does not use.
        case refused(reason: UserMessage)
    }

    /// The type of the token.
    public var kind: Kind
    /// The first characters and an ellipsis, or only the length; never enough to use the token.
    public var redacted: UserMessage
    /// When the token expires, if known.
    public var expiresAt: Timestamp?
    /// The JOSE header of a JWT.
    public var header: JSONValue?
    /// The claims of a JWT.
    public var claims: JSONValue?
    /// The result of the verification.
    public var verification: Verification
    /// The claims of the token that the last renewal replaced; `nil` if there was none, or it had the same claims.
    public var formerClaims: JSONValue?

    package init(
        kind: Kind, redacted: UserMessage, expiresAt: Timestamp?, header: JSONValue?, claims: JSONValue?, verification: Verification
    ) {
        self.kind = kind
        self.redacted = redacted
        self.expiresAt = expiresAt
        self.header = header
        self.claims = claims
        self.verification = verification
    }
}

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

    package init(id: String, suffix: String?, kind: String?, scopes: ScopeSet, issuedAt: Timestamp?, expiresAt: Timestamp?) {
        self.id = id
        self.suffix = suffix
        self.kind = kind
        self.scopes = scopes
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
    }
}
