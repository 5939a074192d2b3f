import AuthModel

/// Token responses (RFC 6749 section 5.1), and access tokens that are JWTs (RFC 9068).
extension OpenIDProvider {
    /// Returns the response of the token endpoint.
    func answer(with honest: Grants.Issued, isRefresh: Bool) throws(OAuthError) -> SandboxResponse {
        let issued = try finished(honest)
        var members = members(of: issued)
        if let refresh = issued.refreshToken { members.append(.init("refresh_token", .string(refresh))) }
        if issued.scopes.contains("openid") {
            members.append(.init("id_token", .string(try idToken(for: issued, isRefresh: isRefresh))))
        }
        return .json(.object(members), headers: [("Pragma", "no-cache")])
    }

    /// Returns the members that every response with an access token has.
    func members(of issued: Grants.Issued) -> [JSONValue.Member] {
        [
            .init("access_token", .string(issued.accessToken)),
            .init("token_type", .string(issued.key == nil ? "Bearer" : "DPoP")),
            .init("expires_in", .number(configuration.lifetimes.accessToken.wholeSeconds)),
            .init("scope", .string(issued.scopes.wire)),
        ]
    }

    /// Returns the tokens with the access token in the configured format.
    func finished(_ honest: Grants.Issued) throws(OAuthError) -> Grants.Issued {
        let opaque = applyingFaults(binding: honest)
        return configuration.accessTokens == .jwt ? try withJWT(opaque) : opaque
    }

    /// Returns the tokens with the access token as a JWT (RFC 9068).
    private func withJWT(_ opaque: Grants.Issued) throws(OAuthError) -> Grants.Issued {
        guard let user = user(opaque.authorization.username) else { throw OAuthError("invalid_grant", "the user no longer exists") }
        var claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(user.subject), "aud": audience(of: opaque.resources),
            "client_id": .string(opaque.authorization.clientID), "scope": .string(opaque.scopes.wire), "jti": .string(opaque.accessToken),
            "iat": .number(now.seconds), "exp": .number((now + configuration.lifetimes.accessToken).seconds),
        ]
        if let key = opaque.key { claims = claims.setting("cnf", ["jkt": .string(key)]) }
        var issued = opaque
        issued.accessToken = try sign(draft(claims, type: "at+jwt"))
        grants.rename(accessToken: opaque.accessToken, to: issued.accessToken)
        return issued
    }

    /// Returns `aud` of an access token: its resources, or this provider's API.
    func audience(of resources: [String]) -> JSONValue {
        switch resources.count {
        case 0: .string(issuer + "/api")
        case 1: .string(resources[0])
        default: .array(resources.map { .string($0) })
        }
    }
}
