public import AuthModel

/// An assertion exchanged for tokens: the JWT bearer grant (RFC 7523 section 2.1).
public struct AssertionGrant: Sendable {
    /// A signed JWT that the provider trusts: from another issuer, or made by ``ClientAssertion``.
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
    ///
    /// - Parameter headers: additional header fields, such as a DPoP proof.
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient, headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        let url = try TokenEndpoint.url(metadata, .assertionGrant)
        guard (try? JSONWebSignature(compact: assertion.reveal())) != nil else {
            throw OAuthError(.assertionGrant, .misconfigured(UserMessage("exchange.assertion_not_signed_jwt")), host: url.origin.authority)
        }
        var fields = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.reveal())]
        fields += client.scopeFields(scopes)
        fields += resources.map { ("resource", $0) }
        return client.tokenRequest(url, fields, headers: headers)
    }

    /// Reads the response with the same checks as other token responses.
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try TokenResponse.tokens(response, .assertionGrant, host: host, requested: scopes, requiresProof: requiresProof, now: now)
    }
}
