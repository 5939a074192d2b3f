/// What can be exchanged at the token endpoint.
enum GrantType: String, Sendable, CaseIterable {
    case authorizationCode = "authorization_code"
    case refreshToken = "refresh_token"
    /// RFC 8628.
    case device = "urn:ietf:params:oauth:grant-type:device_code"
}
