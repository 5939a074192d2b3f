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

    package init(summary: SessionSummary, tokens: TokenSet?, identity: Identity, clientID: String, extras: JSONValue = .object([])) {
        self.summary = summary
        self.tokens = tokens
        self.identity = identity
        self.clientID = clientID
        self.extras = extras
    }

    /// Stores a credential in place of an older one for the same purpose. Removes those that are no longer usable, and the ones that end
    /// first if there are too many, or if they are too large together.
    public mutating func store(_ credential: DerivedCredential, at now: Timestamp) {
        derivedCredentials.removeAll { $0.purpose == credential.purpose || $0.usableUntil <= now }
        derivedCredentials.append(credential)
        derivedCredentials.sort { $0.usableUntil > $1.usableUntil }
        var room = DerivedCredential.totalSizeLimit
        derivedCredentials = derivedCredentials.prefix(DerivedCredential.countLimit).filter { kept in
            let size = kept.purpose.utf8.count + kept.secret.count
            guard size <= room else { return false }
            room -= size
            return true
        }
    }
}

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

    /// The refresh token, unless the access token stands in for it.
    public var ownRefreshToken: Secret? { refreshToken == accessToken ? nil : refreshToken }

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

/// The credentials of a client that this program registered dynamically (RFC 7591 section 3.2.1, RFC 7592 section 3). They are stored
/// sealed.
public struct ClientManagement: Equatable, Sendable {
    /// The issuer where the client is registered.
    public var issuer: Issuer
    /// The client identifier.
    public var clientID: String
    /// `registration_client_uri`; `nil` if the registration cannot be managed.
    public var url: WebURL?
    /// `registration_access_token`. It authorizes changing and deleting the client.
    public var token: Secret?
    /// `client_secret`, if the server issued one.
    public var secret: Secret?
    /// When the secret expires; `nil` if it never expires or the server did not say.
    public var secretExpiresAt: Timestamp?
    /// `token_endpoint_auth_method`: how the client presents its secret.
    public var authenticationMethod: String?

    /// Creates management credentials.
    public init(
        issuer: Issuer, clientID: String, url: WebURL? = nil, token: Secret? = nil, secret: Secret? = nil,
        secretExpiresAt: Timestamp? = nil, authenticationMethod: String? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.url = url
        self.token = token
        self.secret = secret
        self.secretExpiresAt = secretExpiresAt
        self.authenticationMethod = authenticationMethod
    }
}

/// A credential that another service issued for a session's token, such as the temporary credentials of a cloud role.
public struct DerivedCredential: Equatable, Sendable {
    /// The purpose: the service, the role and everything else that makes another credential. It is compared as a whole.
    public var purpose: String
    /// The credential, in the form in which its tool gets it.
    public var secret: Secret
    /// When a new one must be requested: shortly before it ends.
    public var usableUntil: Timestamp

    package init(purpose: String, secret: Secret, usableUntil: Timestamp) {
        self.purpose = purpose
        self.secret = secret
        self.usableUntil = usableUntil
    }

    /// The maximum size of the purpose and the secret together, in bytes.
    public static let sizeLimit = 32 << 10

    /// The maximum number of credentials that a session keeps: enough for a user who works with many roles.
    public static let countLimit = 128

    /// The maximum size of all credentials that a session keeps, in bytes.
    public static let totalSizeLimit = 512 << 10
}
