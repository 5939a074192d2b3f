public import AuthModel

/// Token exchange (RFC 8693): exchanges a token of one session for an access token of another service.
public struct TokenExchange: Sendable {
    /// The token types (section 3).
    public enum TokenKind: String, Sendable {
        case accessToken = "urn:ietf:params:oauth:token-type:access_token"
        case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
        case idToken = "urn:ietf:params:oauth:token-type:id_token"
        case jwt = "urn:ietf:params:oauth:token-type:jwt"
    }

    /// A token and its type.
    public struct Presented: Equatable, Sendable {
        /// The token.
        public var token: Secret
        /// The type of the token.
        public var kind: TokenKind

        /// Creates a token with its type.
        public init(_ token: Secret, _ kind: TokenKind) {
            self.token = token
            self.kind = kind
        }
    }

    /// The token of the subject.
    public var subject: Presented
    /// The token of the party that acts for the subject, if any.
    public var actor: Presented?
    /// The resources that the new token is for (RFC 8707), as absolute URIs.
    public var resources: [String]
    /// The logical names of the target services at the provider.
    public var audiences: [String]
    /// The scopes to request.
    public var scopes: ScopeSet

    /// Creates a token exchange.
    public init(subject: Presented, actor: Presented? = nil, resources: [String] = [], audiences: [String] = [], scopes: ScopeSet = []) {
        self.subject = subject
        self.actor = actor
        self.resources = resources
        self.audiences = audiences
        self.scopes = scopes
    }

    /// The requested token type.
    static let requestedKind = TokenKind.accessToken

    /// Builds the request (section 2.1).
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        var fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", subject.token.reveal()),
            ("subject_token_type", subject.kind.rawValue), ("requested_token_type", Self.requestedKind.rawValue),
        ]
        if let actor { fields += [("actor_token", actor.token.reveal()), ("actor_token_type", actor.kind.rawValue)] }
        fields += resources.map { ("resource", $0) }
        fields += audiences.map { ("audience", $0) }
        fields += client.scopeFields(scopes)
        return client.tokenRequest(try TokenEndpoint.url(metadata, .tokenExchange), fields)
    }

    /// Reads the response (section 2.2.1): `issued_token_type` must be an access token, and `token_type` Bearer or DPoP. `N_A` means that
    /// the token is not an access token, so it is refused like every unknown type. An access token that is a JWT may be called one, as
    /// INDIGO IAM does: the type says nothing else (section 3).
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, dialect: ProviderDialect = ProviderDialect(), now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        let tokens = try TokenResponse.tokens(
            response, .tokenExchange, host: host, requested: scopes, requiresProof: requiresProof, dialect: dialect, now: now)
        let reader = try ResponseReader(response, .tokenExchange, host: host)
        let kind = TokenKind(rawValue: try reader.requiredString("issued_token_type"))
        let isToken = kind == Self.requestedKind || kind == .jwt && (try? JSONWebSignature(compact: tokens.accessToken.reveal())) != nil
        guard isToken else {
            throw OAuthError(.tokenExchange, .mismatch(what: UserMessage("phrase.issued_token_type")), host: host)
        }
        return tokens
    }
}

/// The exchange of a code by a backend that alone holds the client secret. The backend receives the code and the values of its request.
public enum BackendExchange {
    /// Builds a POST of `{"code", "state", "redirect_uri", "code_verifier"}` as JSON.
    public static func request(_ callback: ValidatedCallback, to backend: WebURL) -> WebRequest {
        let pending = callback.pending
        let body = JSONValue.object([
            .init("code", .string(callback.code.reveal())), .init("state", .string(pending.state.reveal())),
            .init("redirect_uri", .string(pending.redirectURI)), .init("code_verifier", .string(pending.verifier.reveal())),
        ])
        return WebRequest(
            method: .post, url: backend, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
            body: Array(body.text.utf8))
    }
}

/// An assertion exchanged for tokens: the JWT bearer grant (RFC 7523 section 2.1).
public struct AssertionGrant: Sendable {
    /// A signed JWT that the provider trusts: from another issuer, or made by ``ClientAssertion``. See also ``IdentityGrant``.
    public var assertion: Secret
    /// The scopes to request.
    public var scopes: ScopeSet
    /// The resources that the tokens are for (RFC 8707), as absolute URIs.
    public var resources: [String]

    /// Creates an assertion grant.
    public init(assertion: Secret, scopes: ScopeSet = [], resources: [String] = []) {
        self.assertion = assertion
        self.scopes = scopes
        self.resources = resources
    }

    /// Builds the request. Refuses an assertion that is not a signed JWT, to avoid sending another secret by mistake.
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        let url = try TokenEndpoint.url(metadata, .assertionGrant)
        guard (try? JSONWebSignature(compact: assertion.reveal())) != nil else {
            throw OAuthError(.assertionGrant, .misconfigured(UserMessage("exchange.assertion_not_signed_jwt")), host: url.origin.authority)
        }
        var fields = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.reveal())]
        fields += client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        return client.tokenRequest(url, fields)
    }

    /// Reads the response with the same checks as other token responses.
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, dialect: ProviderDialect = ProviderDialect(), now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try TokenResponse.tokens(
            response, .assertionGrant, host: host, requested: scopes, requiresProof: requiresProof, dialect: dialect, now: now)
    }
}

/// An identity assertion grant, or ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant): a user's identity provider exchanges the
/// user's ID token (RFC 8693) for a JWT with which the client gets tokens at another authorization server, by ``AssertionGrant``.
///
/// The grant is not an access token, and is never sent to a resource.
public struct IdentityGrant: Equatable, Sendable {
    /// The user's ID token at the identity provider.
    public var idToken: Secret
    /// The authorization server that the grant is for.
    public var audience: Issuer
    /// The resources that the tokens are for (RFC 8707), as absolute URIs.
    public var resources: [String]
    /// The scopes to request.
    public var scopes: ScopeSet

    /// Creates a request for a grant.
    public init(idToken: Secret, audience: Issuer, resources: [String] = [], scopes: ScopeSet = []) {
        self.idToken = idToken
        self.audience = audience
        self.resources = resources
        self.scopes = scopes
    }

    static let profile = "urn:ietf:params:oauth:grant-profile:id-jag"
    static let tokenType = "urn:ietf:params:oauth:token-type:id-jag"

    /// Builds the request to the identity provider's token endpoint.
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        var fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("requested_token_type", Self.tokenType),
            ("audience", audience.text), ("subject_token", idToken.reveal()),
            ("subject_token_type", TokenExchange.TokenKind.idToken.rawValue),
        ]
        fields += resources.map { ("resource", $0) }
        fields += client.scopeFields(scopes)
        return client.tokenRequest(try TokenEndpoint.url(metadata, .tokenExchange), fields)
    }

    /// Reads the response: `issued_token_type` must be the requested one and `token_type` `N_A`, and the JWT must be of the type
    /// `oauth-id-jag+jwt` and for the audience alone, so that no other token is sent there by mistake. The audience checks everything else.
    public func grant(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) -> Secret {
        try response.requireSuccess(.tokenExchange, host: host, now: now)
        let reader = try ResponseReader(response, .tokenExchange, host: host)
        try reader.requireNoError(status: response.status)
        guard try reader.requiredString("issued_token_type").hasSameBytes(as: Self.tokenType) else {
            throw OAuthError(.tokenExchange, .mismatch(what: UserMessage("phrase.issued_token_type")), host: host)
        }
        guard try reader.requiredString("token_type").asciiLowercased() == "n_a" else {
            throw OAuthError(.tokenExchange, .tokenTypeNotUnderstood, host: host)
        }
        let text = try reader.requiredString("access_token")
        do throws(TokenError) {
            let token = try JSONWebSignature(compact: text)
            guard ["oauth-id-jag+jwt", "application/oauth-id-jag+jwt"].contains(token.type?.asciiLowercased()) else {
                throw .wrongTokenType
            }
            let claims = token.unverifiedClaims
            let audiences = claims["aud"]?.string.map { [$0] } ?? claims["aud"]?.strings ?? []
            guard audiences.count == 1, audiences[0].hasSameBytes(as: audience.text) else { throw .wrongAudience }
        } catch {
            throw OAuthError(.tokenExchange, .token(error), host: host)
        }
        return Secret(text)
    }
}

extension ProviderMetadata {
    /// Whether the authorization server says that it accepts identity assertion grants of the identity providers that it trusts.
    public var acceptsIdentityGrants: Bool { grantProfiles?.contains(IdentityGrant.profile) == true }

    /// Whether the identity provider says that it issues identity assertion grants.
    public var issuesIdentityGrants: Bool { chainingTokenTypes?.contains(IdentityGrant.tokenType) == true }
}

/// The client credentials grant (RFC 6749 section 4.4): tokens for the client itself, without a user.
public struct ClientCredentialsGrant: Equatable, Sendable {
    /// The scopes to request.
    public var scopes: ScopeSet
    /// The resources that the tokens are for (RFC 8707), as absolute URIs.
    public var resources: [String]
    /// The target services as the provider names them, where it has names for them.
    public var audiences: [String]
    /// The value of `grant_type`, which some services have a word of their own for.
    public var grantType: String

    /// Creates a request for tokens.
    public init(scopes: ScopeSet = [], resources: [String] = [], audiences: [String] = [], grantType: String = "client_credentials") {
        self.scopes = scopes
        self.resources = resources
        self.audiences = audiences
        self.grantType = grantType
    }

    /// Builds the request (section 4.4.2).
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        var fields = [("grant_type", grantType)]
        fields += client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        fields += audiences.map { ("audience", $0) }
        return client.tokenRequest(try TokenEndpoint.url(metadata, .clientCredentials), fields)
    }

    /// Reads the response with the same checks as other token responses.
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, dialect: ProviderDialect = ProviderDialect(), now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try TokenResponse.tokens(
            response, .clientCredentials, host: host, requested: scopes, requiresProof: requiresProof, dialect: dialect, now: now)
    }
}
