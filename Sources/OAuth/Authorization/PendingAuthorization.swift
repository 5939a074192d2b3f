public import AuthModel

/// An authorization request that was sent and not yet answered: what the answer is checked against.
public struct PendingAuthorization: Equatable, Sendable {
    /// The issuer the request went to; `nil` at a provider without one.
    public let issuer: Issuer?
    /// Where the person's browser was sent.
    public let authorizationEndpoint: WebURL
    /// Whether the provider announced that its answers carry `iss`.
    public let expectsIssuer: Bool
    public let clientID: String
    public let redirectURI: String
    public let scopes: ScopeSet
    public let state: Secret
    public let nonce: Secret
    public let verifier: Secret
    /// The `max_age` that was asked.
    public let maxAge: Int?
    /// What the tokens are for (RFC 8707); said again when the code is exchanged.
    public let resources: [String]
}
