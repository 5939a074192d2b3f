import AuthModel

extension Grants {
    /// Issues a code for an authorization.
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
    ) throws(OAuthError) -> Issued {
        guard let entry = codes[code], entry.authorization.clientID == clientID else {
            throw OAuthError("invalid_grant", "the code is unknown")
        }
        if let family = entry.family {
            // RFC 6749 section 4.1.2: either of the two requests may come from an attacker.
            revokeFamily(family)
            throw OAuthError("invalid_grant", "the code was used before")
        }
        guard now < entry.expiresAt else { throw OAuthError("invalid_grant", "the code has expired") }
        guard entry.authorization.redirectURI == redirectURI else {
            throw OAuthError("invalid_grant", "redirect_uri differs from the authorization request")
        }
        switch (entry.authorization.challenge, challenge) {
        case (let expected?, let presented?) where expected == presented: break
        case (nil, nil): break
        case (nil, _): throw OAuthError("invalid_grant", "code_verifier was sent, but the authorization request had no code_challenge")
        default: throw OAuthError("invalid_grant", "code_verifier does not match")
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
    ) throws(OAuthError) -> Issued {
        if let expected = authorization.keyThumbprint, expected != terms.key {
            throw OAuthError("invalid_grant", "the authorization is bound to another key")
        }
        try Self.check(terms, within: authorization)
        let family = makeName()
        families[family] = Family(authorization: authorization)
        let wantsRefresh =
            switch rules.refreshTokens {
            case .forOfflineAccess: authorization.scopes.contains("offline_access")
            case .always: true
            case .never: false
            }
        return issue(
            family: family, authorization: authorization, scopes: authorization.scopes, terms: terms,
            withRefresh: withRefresh ?? wantsRefresh, now: now)
    }

    /// Throws if the token would be for a resource outside the authorization (RFC 8707 section 2.2).
    private static func check(_ terms: Terms, within authorization: Authorization) throws(OAuthError) {
        guard authorization.resources.isEmpty || terms.resources.allSatisfy(authorization.resources.contains) else {
            throw OAuthError("invalid_target", "the resource was not granted")
        }
    }

    /// Exchanges a refresh token (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - scopes: the requested scopes; `nil` for those of the authorization.
    ///   - keepsPresented: keeps the presented token valid even if it would be rotated.
    mutating func refresh(
        token: String, clientID: String, scopes: ScopeSet?, terms: Terms = Terms(), keepsPresented: Bool = false, now: Timestamp
    ) throws(OAuthError) -> Issued {
        guard let entry = refreshTokens[token], let family = families[entry.family], family.authorization.clientID == clientID else {
            throw OAuthError("invalid_grant", "the refresh token is unknown")
        }
        if entry.isSpent {
            revokeFamily(entry.family)
            throw OAuthError("invalid_grant", "the refresh token was used before: everything of this grant is revoked")
        }
        guard !family.isRevoked, !entry.isRevoked else { throw OAuthError("invalid_grant", "the grant is revoked") }
        guard now < entry.expiresAt else { throw OAuthError("invalid_grant", "the refresh token has expired") }
        // RFC 9449 section 5: checked before the token is used up, so that the right key can still use it.
        if let key = entry.key, key != terms.key {
            throw OAuthError("invalid_grant", "the refresh token is bound to another key")
        }
        try Self.check(terms, within: family.authorization)
        let granted = family.authorization.scopes
        if let scopes, !scopes.values.allSatisfy(granted.contains) {
            throw OAuthError("invalid_scope", "the scope is wider than the grant")
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
            expiresAt: now + rules.lifetimes.accessToken)
        var refresh: String?
        if withRefresh {
            let name = makeName()
            refreshTokens[name] = RefreshToken(
                family: family, key: terms.bindsRefreshToken ? terms.key : nil, expiresAt: now + rules.lifetimes.refreshToken)
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
}
