public import AuthModel

/// An identity assertion grant, or ID-JAG (draft-ietf-oauth-identity-assertion-authz-grant): a user's identity provider exchanges the user's
/// ID token (RFC 8693) for a JWT with which the client gets tokens at another authorization server, by ``AssertionGrant``.
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

    /// Creates a request for tokens.
    public init(scopes: ScopeSet = [], resources: [String] = [], audiences: [String] = []) {
        self.scopes = scopes
        self.resources = resources
        self.audiences = audiences
    }

    /// Builds the request (section 4.4.2).
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient
    ) throws(OAuthError) -> WebRequest {
        var fields = [("grant_type", "client_credentials")]
        fields += client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        fields += audiences.map { ("audience", $0) }
        return client.tokenRequest(try TokenEndpoint.url(metadata, .clientCredentials), fields)
    }

    /// Reads the response with the same checks as other token responses.
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try TokenResponse.tokens(response, .clientCredentials, host: host, requested: scopes, requiresProof: requiresProof, now: now)
    }
}
