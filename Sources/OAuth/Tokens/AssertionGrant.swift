public import AuthModel

/// An assertion for tokens: the JWT bearer grant (RFC 7523 section 2.1).
public struct AssertionGrant: Sendable {
    /// A signed JWT that the provider trusts: one of another issuer, or one that ``ClientAssertion`` made.
    public var assertion: Secret
    public var scopes: ScopeSet
    /// What the tokens are for (RFC 8707), each an absolute URI.
    public var resources: [String]

    public init(assertion: Secret, scopes: ScopeSet = [], resources: [String] = []) {
        self.assertion = assertion
        self.scopes = scopes
        self.resources = resources
    }

    /// The request. What is no JWT is not sent: it would be somebody's secret at the wrong place.
    ///
    /// - Parameter headers: further fields, such as a DPoP proof.
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient, headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        let url = try TokenEndpoint.url(metadata, .assertionGrant)
        guard (try? JSONWebSignature(compact: assertion.reveal())) != nil else {
            throw OAuthError(.assertionGrant, .misconfigured("the assertion is no signed JWT"), host: url.origin.authority)
        }
        var fields = [("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion.reveal())]
        if !scopes.isEmpty { fields.append(("scope", scopes.wire)) }
        fields += resources.map { ("resource", $0) }
        return client.form(url, fields, headers: headers)
    }

    /// Reads the answer, as strictly as any other of the token endpoint.
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        try TokenResponse.tokens(response, .assertionGrant, host: host, requested: scopes, requiresProof: requiresProof, now: now)
    }
}
