import AuthModel

extension Grants {
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
            key: entry.key, issuedAt: entry.expiresAt - rules.lifetimes.refreshToken, expiresAt: entry.expiresAt)
    }

    /// Revokes a token (RFC 7009 section 2.1): an access token alone, or a refresh token with its whole family.
    ///
    /// An unknown token is no error.
    mutating func revoke(token: String, clientID: String) throws(OAuthError) {
        guard let family = refreshTokens[token]?.family ?? accessTokens[token]?.family else { return }
        guard families[family]?.authorization.clientID == clientID else {
            throw OAuthError("invalid_grant", "the token belongs to another client")
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
