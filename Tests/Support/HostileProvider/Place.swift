/// Where something can be spoiled: an answer of the provider, by what it is asked for.
package enum Place: String, Sendable, CaseIterable {
    case discovery, keys, authorize, token, userInfo, revocation, device, pushed, introspection, registration, other
    /// Userinfo that is a JWT.
    case signedUserInfo
    /// A protected resource, asked without a token.
    case resource
    /// What it says about itself (RFC 9728).
    case resourceMetadata
    /// The page that ends the provider's own session, and sends the browser back.
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

    /// Whether a browser is sent on from there, so that there is no document.
    var sendsBrowserOn: Bool { self == .authorize || self == .endSession }
}
