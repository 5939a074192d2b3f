/// Where something can be spoiled: an answer of the provider, by what it is asked for.
package enum Place: String, Sendable, CaseIterable {
    case discovery, keys, authorize, token, userInfo, revocation, device, pushed, other

    init(_ request: RawRequest) {
        switch request.path {
        case let path where path.contains("/.well-known/"): self = .discovery
        case "/jwks": self = .keys
        case "/authorize": self = .authorize
        case "/token": self = .token
        case "/userinfo": self = .userInfo
        case "/revoke": self = .revocation
        case "/device_authorization": self = .device
        case "/par": self = .pushed
        default: self = .other
        }
    }
}
