import AuthModel

/// What was granted to clients: codes, families of tokens, and what became of them. No I/O, no clock and no chance of its own.
///
/// A code goes `issued → redeemed`; redeeming it twice revokes the family that it began. A family goes `live → revoked`, and all of its
/// tokens with it.
struct Grants: Sendable {
    /// What a person agreed to.
    struct Authorization: Equatable, Sendable {
        var clientID: String
        var redirectURI: String
        /// The S256 challenge (RFC 7636 section 4.2).
        var challenge: String?
        var scopes: ScopeSet
        var nonce: String?
        var username: String
        /// When the person typed the password.
        var authenticatedAt: Timestamp
        /// The browser session that it was given in.
        var browserSession: String?
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
        var issuedAt: Timestamp
        var expiresAt: Timestamp
        var isRevoked = false
    }

    struct RefreshToken: Equatable, Sendable {
        var family: String
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

    init(rules: Rules, makeName: @escaping @Sendable () -> String) {
        self.rules = rules
        self.makeName = makeName
    }
}
