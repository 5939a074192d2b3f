import AuthModel

/// The issued codes and tokens, and their states. Does no I/O; the caller passes the time and the source of random names.
///
/// A code goes `issued → redeemed`; redeeming it twice revokes the token family that it started. A family goes `live → revoked`, together
/// with all its tokens.
struct Grants: Sendable {
    /// The user's authorization of a client.
    struct Authorization: Equatable, Sendable {
        var clientID: String
        /// The redirect URI of the code; `nil` if no code went through a browser.
        var redirectURI: String?
        /// The S256 challenge (RFC 7636 section 4.2).
        var challenge: String?
        var scopes: ScopeSet
        var nonce: String?
        var username: String
        /// The time when the user entered the password.
        var authenticatedAt: Timestamp
        /// The browser session in which the user authorized the client.
        var browserSession: String?
        /// The class of the user's sign-in (OpenID Connect Core section 2, `acr`).
        var authenticationClass = AuthenticationClass.password
        /// The resources that tokens may be for (RFC 8707); empty for this provider's own.
        var resources: [String] = []
        /// The thumbprint of the key that must redeem the code (RFC 9449 section 10).
        var keyThumbprint: String?
    }

    /// The values that a token request adds to an authorization.
    struct Terms: Equatable, Sendable {
        /// The thumbprint of the key that the request proved (RFC 9449 section 5).
        var key: String?
        /// Whether the refresh token is bound to that key as well, as it is for public clients.
        var bindsRefreshToken = false
        /// The resources that this access token is for (RFC 8707 section 2.2); empty for all of the authorization.
        var resources: [String] = []
    }

    /// All tokens from one authorization, which are revoked together.
    struct Family: Equatable, Sendable {
        var authorization: Authorization
        var isRevoked = false
    }

    struct Code: Equatable, Sendable {
        var authorization: Authorization
        var expiresAt: Timestamp
        /// The family that the code started; `nil` until it is redeemed.
        var family: String?
    }

    struct AccessToken: Equatable, Sendable {
        var family: String
        var scopes: ScopeSet
        var resources: [String]
        /// The thumbprint of the key that the token is bound to.
        var key: String?
        var issuedAt: Timestamp
        var expiresAt: Timestamp
        var isRevoked = false
    }

    struct RefreshToken: Equatable, Sendable {
        var family: String
        /// The thumbprint of the key that the token is bound to.
        var key: String?
        var expiresAt: Timestamp
        var isSpent = false
        var isRevoked = false
    }

    /// Tokens that are issued together.
    struct Issued: Equatable, Sendable {
        var family: String
        var authorization: Authorization
        var accessToken: String
        var refreshToken: String?
        var scopes: ScopeSet
        var resources: [String]
        /// The thumbprint of the key that the access token is bound to.
        var key: String?
    }

    /// The provider's rules for issuing tokens.
    struct Rules: Sendable {
        var lifetimes: SandboxConfiguration.Lifetimes
        var refreshTokens: SandboxConfiguration.RefreshTokens
        var rotation: SandboxConfiguration.Rotation
    }

    let rules: Rules
    /// Returns an unguessable, unique name.
    let makeName: @Sendable () -> String

    var codes: [String: Code] = [:]
    var families: [String: Family] = [:]
    var accessTokens: [String: AccessToken] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    /// The device codes, by their text.
    var deviceCodes: [String: DeviceCode] = [:]

    init(rules: Rules, makeName: @escaping @Sendable () -> String) {
        self.rules = rules
        self.makeName = makeName
    }
}
