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
        /// Whether the token is of a machine, which `username` names, and not of a user.
        var isMachine = false
        /// The time when the user entered the password.
        var authenticatedAt: Timestamp
        /// The browser session in which the user authorized the client.
        var browserSession: String?
        /// The way that the user signed in (OpenID Connect Core section 2, `acr`).
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
        /// The lifetimes for clients that have their own, by client identifier.
        var clients: [String: SandboxClient.Lifetimes] = [:]

        func accessTokenLifetime(of client: String) -> Duration { clients[client]?.accessToken ?? lifetimes.accessToken }

        func refreshTokenLifetime(of client: String) -> Duration { clients[client]?.refreshToken ?? lifetimes.refreshToken }

        /// Returns whether an authorization starts with a refresh token.
        func issuesRefreshToken(for authorization: Authorization) -> Bool {
            if let own = clients[authorization.clientID], own.refreshToken == nil { return false }
            return switch refreshTokens {
            case .forOfflineAccess: authorization.scopes.contains("offline_access")
            case .always: true
            case .never: false
            }
        }
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

    mutating func issueCode(for authorization: Authorization, now: Timestamp) -> String {
        let code = makeName()
        codes[code] = Code(authorization: authorization, expiresAt: now + rules.lifetimes.code)
        return code
    }

    /// Exchanges a code (RFC 6749 section 4.1.3).
    ///
    /// - Parameter challenge: the S256 challenge computed from the presented verifier; `nil` if none was presented.
    mutating func redeem(
        code: String, clientID: String, redirectURI: String?, challenge: String?, terms: Terms = Terms(), now: Timestamp
    ) throws(ErrorReply) -> Issued {
        guard let entry = codes[code], entry.authorization.clientID == clientID else {
            throw ErrorReply("invalid_grant", "the code is unknown")
        }
        if let family = entry.family {
            // RFC 6749 section 4.1.2: either of the two requests may come from an attacker.
            revokeFamily(family)
            throw ErrorReply("invalid_grant", "the code was used before")
        }
        guard now < entry.expiresAt else { throw ErrorReply("invalid_grant", "the code has expired") }
        guard entry.authorization.redirectURI == redirectURI else {
            throw ErrorReply("invalid_grant", "redirect_uri differs from the authorization request")
        }
        switch (entry.authorization.challenge, challenge) {
        case (let expected?, let presented?) where expected == presented: break
        case (nil, nil): break
        case (nil, _): throw ErrorReply("invalid_grant", "code_verifier was sent, but the authorization request had no code_challenge")
        default: throw ErrorReply("invalid_grant", "code_verifier does not match")
        }
        let issued = try begin(entry.authorization, terms: terms, now: now)
        codes[code]?.family = issued.family
        return issued
    }

    /// Starts a token family for an authorization.
    ///
    /// - Parameter withRefresh: whether to issue a refresh token; `nil` follows the rules.
    mutating func begin(
        _ authorization: Authorization, terms: Terms, withRefresh: Bool? = nil, now: Timestamp
    ) throws(ErrorReply) -> Issued {
        if let expected = authorization.keyThumbprint, expected != terms.key {
            throw ErrorReply("invalid_grant", "the authorization is bound to another key")
        }
        try Self.check(terms, within: authorization)
        let family = makeName()
        families[family] = Family(authorization: authorization)
        return issue(
            family: family, authorization: authorization, scopes: authorization.scopes, terms: terms,
            withRefresh: withRefresh ?? rules.issuesRefreshToken(for: authorization), now: now)
    }

    /// Throws if the token would be for a resource outside the authorization (RFC 8707 section 2.2).
    private static func check(_ terms: Terms, within authorization: Authorization) throws(ErrorReply) {
        guard authorization.resources.isEmpty || terms.resources.allSatisfy(authorization.resources.contains) else {
            throw ErrorReply("invalid_target", "the resource was not granted")
        }
    }

    /// Exchanges a refresh token (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - scopes: the requested scopes; `nil` for those of the authorization.
    ///   - keepsPresented: keeps the presented token valid even if it would be rotated.
    mutating func refresh(
        token: String, clientID: String, scopes: ScopeSet?, terms: Terms = Terms(), keepsPresented: Bool = false, now: Timestamp
    ) throws(ErrorReply) -> Issued {
        guard let entry = refreshTokens[token], let family = families[entry.family], family.authorization.clientID == clientID else {
            throw ErrorReply("invalid_grant", "the refresh token is unknown")
        }
        if entry.isSpent {
            revokeFamily(entry.family)
            throw ErrorReply("invalid_grant", "the refresh token was used before: everything of this grant is revoked")
        }
        guard !family.isRevoked, !entry.isRevoked else { throw ErrorReply("invalid_grant", "the grant is revoked") }
        guard now < entry.expiresAt else { throw ErrorReply("invalid_grant", "the refresh token has expired") }
        // RFC 9449 section 5: checked before the token is used up, so that the right key can still use it.
        if let key = entry.key, key != terms.key {
            throw ErrorReply("invalid_grant", "the refresh token is bound to another key")
        }
        try Self.check(terms, within: family.authorization)
        let granted = family.authorization.scopes
        if let scopes, !scopes.values.allSatisfy(granted.contains) {
            throw ErrorReply("invalid_scope", "the scope is wider than the grant")
        }
        let rotates = rules.rotation == .rotatesAndDetectsReuse && !keepsPresented
        if rotates { refreshTokens[token]?.isSpent = true }
        return issue(
            family: entry.family, authorization: family.authorization, scopes: scopes ?? granted, terms: terms, withRefresh: rotates,
            now: now)
    }

    private mutating func issue(
        family: String, authorization: Authorization, scopes: ScopeSet, terms: Terms, withRefresh: Bool, now: Timestamp
    ) -> Issued {
        let access = makeName()
        let resources = terms.resources.isEmpty ? authorization.resources : terms.resources
        accessTokens[access] = AccessToken(
            family: family, scopes: scopes, resources: resources, key: terms.key, issuedAt: now,
            expiresAt: now + rules.accessTokenLifetime(of: authorization.clientID))
        var refresh: String?
        if withRefresh {
            let name = makeName()
            refreshTokens[name] = RefreshToken(
                family: family, key: terms.bindsRefreshToken ? terms.key : nil,
                expiresAt: now + rules.refreshTokenLifetime(of: authorization.clientID))
            refresh = name
        }
        return Issued(
            family: family, authorization: authorization, accessToken: access, refreshToken: refresh, scopes: scopes,
            resources: resources, key: terms.key)
    }

    /// Replaces the text of an access token, for example by a JWT.
    mutating func rename(accessToken token: String, to text: String) {
        accessTokens[text] = accessTokens.removeValue(forKey: token)
    }

    /// The properties of a valid token.
    struct Good: Equatable, Sendable {
        var authorization: Authorization
        var scopes: ScopeSet
        var resources: [String]
        /// The thumbprint of the key that the token is bound to.
        var key: String?
        var issuedAt: Timestamp
        var expiresAt: Timestamp
    }

    /// Returns the properties of an access token; `nil` if it is unknown, expired or revoked.
    func inspect(accessToken token: String, now: Timestamp) -> Good? {
        guard let entry = accessTokens[token], let family = families[entry.family], !family.isRevoked, !entry.isRevoked,
            now < entry.expiresAt
        else { return nil }
        return Good(
            authorization: family.authorization, scopes: entry.scopes, resources: entry.resources, key: entry.key,
            issuedAt: entry.issuedAt, expiresAt: entry.expiresAt)
    }

    /// Returns the properties of a refresh token; `nil` if it is unknown, used, expired or revoked.
    func inspect(refreshToken token: String, now: Timestamp) -> Good? {
        guard let entry = refreshTokens[token], let family = families[entry.family], !family.isRevoked, !entry.isRevoked, !entry.isSpent,
            now < entry.expiresAt
        else { return nil }
        return Good(
            authorization: family.authorization, scopes: family.authorization.scopes, resources: family.authorization.resources,
            key: entry.key, issuedAt: entry.expiresAt - rules.refreshTokenLifetime(of: family.authorization.clientID),
            expiresAt: entry.expiresAt)
    }

    /// Revokes a token (RFC 7009 section 2.1): an access token alone, or a refresh token with its whole family.
    ///
    /// An unknown token is no error.
    mutating func revoke(token: String, clientID: String) throws(ErrorReply) {
        guard let family = refreshTokens[token]?.family ?? accessTokens[token]?.family else { return }
        guard families[family]?.authorization.clientID == clientID else {
            throw ErrorReply("invalid_grant", "the token belongs to another client")
        }
        if refreshTokens[token] != nil { revokeFamily(family) } else { accessTokens[token]?.isRevoked = true }
    }

    mutating func revokeFamily(_ family: String) { families[family]?.isRevoked = true }

    /// Revokes every family, as an administrator would.
    mutating func revokeAll() {
        for family in families.keys { revokeFamily(family) }
    }

    /// Revokes what was granted in a browser session and does not outlive it (OpenID Connect Core section 11).
    mutating func end(browserSession: String, username: String) {
        for (name, family) in families
        where family.authorization.browserSession == browserSession && family.authorization.username == username
            && !family.authorization.scopes.contains("offline_access")
        {
            revokeFamily(name)
        }
    }
}
