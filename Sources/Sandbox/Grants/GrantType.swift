/// What can be exchanged at the token endpoint.
enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    /// One token for another (RFC 8693).
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    /// An assertion that stands for a person (RFC 7523).
    case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// RFC 8628.
    case device = "urn:ietf:params:oauth:grant-type:device_code"
}
