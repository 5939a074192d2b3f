import AuthModel

extension Grants {
    /// Gives a code for what a person agreed to.
    mutating func issueCode(for authorization: Authorization, now: Timestamp) -> String {
        let code = makeName()
        codes[code] = Code(authorization: authorization, expiresAt: now + rules.lifetimes.code)
        return code
    }

    /// Exchanges a code (RFC 6749 section 4.1.3).
    ///
    /// - Parameter challenge: The S256 challenge that the presented verifier gives; `nil` when none was presented.
    mutating func redeem(
        code: String, clientID: String, redirectURI: String?, challenge: String?, now: Timestamp
    ) throws(OAuthError) -> Issued {
        guard let entry = codes[code], entry.authorization.clientID == clientID else {
            throw OAuthError("invalid_grant", "the code is not known")
        }
        if let family = entry.family {
            // RFC 6749 section 4.1.2: whoever comes second may be the thief or the victim.
            revokeFamily(family)
            throw OAuthError("invalid_grant", "the code was used before")
        }
        guard now < entry.expiresAt else { throw OAuthError("invalid_grant", "the code has expired") }
        guard entry.authorization.redirectURI == redirectURI else {
            throw OAuthError("invalid_grant", "redirect_uri is not the one of the authorization request")
        }
        switch (entry.authorization.challenge, challenge) {
        case (let expected?, let presented?) where expected == presented: break
        case (nil, nil): break
        case (nil, _): throw OAuthError("invalid_grant", "code_verifier was sent, but no code_challenge before")
        default: throw OAuthError("invalid_grant", "code_verifier does not match")
        }
        let family = makeName()
        families[family] = Family(authorization: entry.authorization)
        codes[code]?.family = family
        let wantsRefresh =
            switch rules.refreshTokens {
            case .forOfflineAccess: entry.authorization.scopes.contains("offline_access")
            case .always: true
            case .never: false
            }
        return issue(
            family: family, authorization: entry.authorization, scopes: entry.authorization.scopes, withRefresh: wantsRefresh, now: now)
    }

    /// Exchanges a refresh token (RFC 6749 section 6).
    ///
    /// - Parameters:
    ///   - scopes: The scopes asked for; `nil` for those of the grant.
    ///   - keepsPresented: Leaves the presented token good even where it would be rotated.
    mutating func refresh(
        token: String, clientID: String, scopes: ScopeSet?, keepsPresented: Bool = false, now: Timestamp
    ) throws(OAuthError) -> Issued {
        guard let entry = refreshTokens[token], let family = families[entry.family], family.authorization.clientID == clientID else {
            throw OAuthError("invalid_grant", "the refresh token is not known")
        }
        if entry.isSpent {
            revokeFamily(entry.family)
            throw OAuthError("invalid_grant", "the refresh token was used before: everything of this grant is revoked")
        }
        guard !family.isRevoked, !entry.isRevoked else { throw OAuthError("invalid_grant", "the grant is revoked") }
        guard now < entry.expiresAt else { throw OAuthError("invalid_grant", "the refresh token has expired") }
        let granted = family.authorization.scopes
        if let scopes, !scopes.values.allSatisfy(granted.contains) {
            throw OAuthError("invalid_scope", "the scope is wider than what was granted")
        }
        let rotates = rules.rotation == .rotatesAndDetectsReuse && !keepsPresented
        if rotates { refreshTokens[token]?.isSpent = true }
        return issue(
            family: entry.family, authorization: family.authorization, scopes: scopes ?? granted, withRefresh: rotates, now: now)
    }

    private mutating func issue(
        family: String, authorization: Authorization, scopes: ScopeSet, withRefresh: Bool, now: Timestamp
    ) -> Issued {
        let access = makeName()
        accessTokens[access] = AccessToken(family: family, scopes: scopes, issuedAt: now, expiresAt: now + rules.lifetimes.accessToken)
        var refresh: String?
        if withRefresh {
            let name = makeName()
            refreshTokens[name] = RefreshToken(family: family, expiresAt: now + rules.lifetimes.refreshToken)
            refresh = name
        }
        return Issued(family: family, authorization: authorization, accessToken: access, refreshToken: refresh, scopes: scopes)
    }

    /// Lets an access token go by another text, such as a JWT.
    mutating func rename(accessToken token: String, to text: String) {
        accessTokens[text] = accessTokens.removeValue(forKey: token)
    }
}
