public import AuthModel

/// An authorization request without a response yet, with the values that the response is checked against.
public struct PendingAuthorization: Equatable, Sendable {
    /// The issuer of the request; `nil` for a provider without one.
    public let issuer: Issuer?
    /// The accepted issuers of responses and ID tokens; `nil` for a provider without an issuer.
    public let issuerRule: IssuerRule?
    /// The endpoint that the user's browser was sent to.
    public let authorizationEndpoint: WebURL
    /// Whether the provider announced `iss` in its responses.
    public let expectsIssuer: Bool
    /// The client identifier.
    public let clientID: String
    /// The redirect URI.
    public let redirectURI: String
    /// The requested scopes.
    public let scopes: ScopeSet
    /// The `state` parameter.
    public let state: Secret
    /// The `nonce` parameter.
    public let nonce: Secret
    /// The PKCE code verifier.
    public let verifier: Secret
    /// Whether the request had a code challenge. Otherwise, the code exchange sends no verifier.
    public let usesProofKey: Bool
    /// The requested `max_age`, in seconds.
    public let maxAge: Int?
    /// The resources that the tokens are for (RFC 8707). The code exchange repeats them.
    public let resources: [String]
}
