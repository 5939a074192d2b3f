/// A kind of provider response that can be damaged.
package enum Place: String, Sendable, CaseIterable {
    case discovery, keys, authorize, token, userInfo, revocation, device, pushed, introspection, registration, other
    /// A userinfo response that is a JWT.
    case signedUserInfo
    /// A protected resource, requested without a token.
    case resource
    /// The resource's metadata (RFC 9728).
    case resourceMetadata
    /// The end-session page, which ends the provider's own session and redirects the browser to the client.
    case endSession

    init(_ request: RawRequest) {
        switch request.path {
        case let path where path.contains("/.well-known/oauth-protected-resource"): self = .resourceMetadata
        case let path where path.contains("/.well-known/"): self = .discovery
        case "/jwks": self = .keys
        case "/authorize": self = .authorize
        case "/token": self = .token
        case "/userinfo": self = .userInfo
        case "/revoke": self = .revocation
        case "/device_authorization": self = .device
        case "/par": self = .pushed
        case "/introspect": self = .introspection
        case "/register": self = .registration
        case "/mcp": self = .resource
        case "/logout": self = .endSession
        default: self = .other
        }
    }

    /// Whether the response redirects the browser and has no document.
    var sendsBrowserOn: Bool { self == .authorize || self == .endSession }
}
