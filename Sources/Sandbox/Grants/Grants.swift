import AuthModel

/// What was granted to clients: codes, families of tokens, and what became of them. No I/O, no clock and no chance of its own.
///
/// A code goes `issued → redeemed`; redeeming it twice revokes the family that it began. A family goes `live → revoked`, and all of its
/// tokens with it.
struct Grants: Sendable {
    /// What a person agreed to.
    struct Authorization: Equatable, Sendable {
        var clientID: String
        /// Where the code goes; `nil` where no code went through a browser.
        var redirectURI: String?
        /// The S256 challenge (RFC 7636 section 4.2).
        var challenge: String?
        var scopes: ScopeSet
        var nonce: String?
        var username: String
        /// When the person typed the password.
        var authenticatedAt: Timestamp
        /// The browser session that it was given in.
        var browserSession: String?
        /// How the person signed in (OpenID Connect Core section 2, `acr`).
        var authenticationClass = AuthenticationClass.password
        /// The resources that tokens may be for (RFC 8707); empty for this provider's own.
        var resources: [String] = []
        /// The thumbprint of the key that has to redeem the code (RFC 9449 section 10).
        var keyThumbprint: String?
    }

    /// What the request to the token endpoint adds to an authorization.
    struct Terms: Equatable, Sendable {
        /// The thumbprint of the key that it proved (RFC 9449 section 5).
        var key: String?
        /// Whether the refresh token is bound to that key as well, as it is for public clients.
        var bindsRefreshToken = false
        /// The resources that this access token is for (RFC 8707 section 2.2); empty for all of the authorization.
        var resources: [String] = []
    }

    /// What begins with one authorization and ends as one.
    struct Family: Equatable, Sendable {
        var authorization: Authorization
        var isRevoked = false
    }

    struct Code: Equatable, Sendable {
        var authorization: Authorization
        var expiresAt: Timestamp
        /// The family that it began; `nil` until it was redeemed.
        var family: String?
    }

    struct AccessToken: Equatable, Sendable {
        var family: String
        var scopes: ScopeSet
        var resources: [String]
        /// The key that it is bound to.
        var key: String?
        var issuedAt: Timestamp
        var expiresAt: Timestamp
        var isRevoked = false
    }

    struct RefreshToken: Equatable, Sendable {
        var family: String
        /// The key that it is bound to.
        var key: String?
        var expiresAt: Timestamp
        var isSpent = false
        var isRevoked = false
    }

    /// Tokens that go out together.
    struct Issued: Equatable, Sendable {
        var family: String
        var authorization: Authorization
        var accessToken: String
        var refreshToken: String?
        var scopes: ScopeSet
        var resources: [String]
        /// The key that the access token is bound to.
        var key: String?
    }

    /// The rules of this provider.
    struct Rules: Sendable {
        var lifetimes: SandboxConfiguration.Lifetimes
        var refreshTokens: SandboxConfiguration.RefreshTokens
        var rotation: SandboxConfiguration.Rotation
    }

    let rules: Rules
    /// A name that nobody can guess, never the same twice.
    let makeName: @Sendable () -> String

    var codes: [String: Code] = [:]
    var families: [String: Family] = [:]
    var accessTokens: [String: AccessToken] = [:]
    var refreshTokens: [String: RefreshToken] = [:]
    /// By device code.
    var deviceCodes: [String: DeviceCode] = [:]

    init(rules: Rules, makeName: @escaping @Sendable () -> String) {
        self.rules = rules
        self.makeName = makeName
    }
}
