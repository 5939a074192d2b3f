/// A grant type of the token endpoint.
enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    /// Token exchange (RFC 8693).
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// An assertion about a user (RFC 7523).
    case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// A device code (RFC 8628).
    case device = "urn:ietf:params:oauth:grant-type:device_code"
}
