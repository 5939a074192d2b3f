import AuthModel
import Crypto

/// The token endpoint of IdentityServer4 for public clients, and the tokens that it issues.
extension MapsIndoorsSystem {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        do throws(OAuthError) {
            guard let client = request.field("client_id"), settings.clients.contains(client) || client == settings.bookingClient else {
                throw OAuthError("invalid_client", "unknown client")
            }
            switch request.field("grant_type") {
            case "authorization_code":
                guard let code = request.field("code") else { throw OAuthError("invalid_grant", "no code") }
                let grant = try codes.redeem(
                    code, clientID: client, redirectURI: request.field("redirect_uri"), verifier: request.field("code_verifier"), now: now)
                return try tokens(for: grant, isRefresh: false, keeping: nil)
            case "refresh_token": return try refresh(request, client: client)
            default: throw OAuthError("unsupported_grant_type", "the grant type is not supported")
            }
        } catch {
            // Error responses have no description by default (`TokenErrorResult`).
            return .json(["error": .string(error.code)], status: 400)
        }
    }

    private func refresh(_ request: SandboxRequest, client: String) throws(OAuthError) -> SandboxResponse {
        guard let presented = request.field("refresh_token"), let known = refreshTokens[presented], known.grant.clientID == client,
            now < known.endsAt
        else { throw OAuthError("invalid_grant", "the refresh token is invalid") }
        guard settings.usesSingleUseRefreshTokens else { return try tokens(for: known.grant, isRefresh: true, keeping: presented) }
        refreshTokens[presented] = nil
        return try tokens(for: known.grant, isRefresh: true, keeping: nil)
    }

    /// Issues tokens.
    ///
    /// - Parameter kept: the refresh token that stays valid.
    private func tokens(for grant: MapsIndoorsGrant, isRefresh: Bool, keeping kept: String?) throws(OAuthError) -> SandboxResponse {
        let settings = settings
        let accessToken = try sign(
            [
                "iss": .string(issuer), "sub": .string(grant.user.subject), "aud": .string(issuer + "/resources"),
                "client_id": .string(grant.clientID), "iat": .number(now.seconds), "exp": .number((now + settings.accessLifetime).seconds),
                "scope": .array(grant.scopes.values.map(JSONValue.string)), "idp": .string(grant.identityProvider),
                "jti": .string(OpenIDProvider.makeName()),
            ], type: "at+jwt")
        accessTokens[accessToken] = IssuedToken(grant: grant, issuedAt: now, endsAt: now + settings.accessLifetime)
        var members: [JSONValue.Member] = []
        if grant.scopes.contains("openid"), settings.idTokenFlaw != .missing {
            members.append(.init("id_token", .string(try idToken(for: grant, with: accessToken, isRefresh: isRefresh))))
        }
        members += [
            .init("access_token", .string(accessToken)), .init("expires_in", .number(settings.accessLifetime.components.seconds)),
            .init("token_type", "Bearer"),
        ]
        if grant.scopes.contains("offline_access"), settings.allowsOfflineAccess {
            let refreshToken = kept ?? OpenIDProvider.makeName()
            // Sliding for 15 days, at most 30 days after the sign-in.
            let end = min(now + .seconds(15 * 86_400), grant.authenticatedAt + .seconds(30 * 86_400))
            refreshTokens[refreshToken] = IssuedToken(grant: grant, issuedAt: now, endsAt: end)
            members.append(.init("refresh_token", .string(refreshToken)))
        }
        members.append(.init("scope", .string(grant.scopes.wire)))
        return .json(.object(members), headers: [("Pragma", "no-cache")])
    }

    private func idToken(for grant: MapsIndoorsGrant, with accessToken: String, isRefresh: Bool) throws(OAuthError) -> String {
        let flaw = settings.idTokenFlaw
        var issuedAt = now
        if flaw == .issuedEarly { issuedAt = now + .seconds(-601) }
        if flaw == .issuedLate { issuedAt = now + .seconds(601) }
        let end = flaw == .expired ? now + .seconds(-1) : now + settings.idTokenLifetime
        let party: JSONValue = flaw == .wrongAuthorizedParty ? ["somebody-else", .string(grant.clientID)] : .string(grant.clientID)
        var members: [JSONValue.Member] = [
            .init("iss", .string(flaw == .badIssuer ? "https://auth.example.org" : issuer)), .init("sub", .string(grant.user.subject)),
            .init("aud", party), .init("nbf", .number(issuedAt.seconds)), .init("iat", .number(issuedAt.seconds)),
            .init("exp", .number(end.seconds)), .init("auth_time", .number(grant.authenticatedAt.seconds)),
            .init("at_hash", .string(Base64.url(Array(SHA256.hash(data: Array(accessToken.utf8))).prefix(16)))),
            .init("idp", .string(grant.identityProvider)), .init("amr", [grant.identityProvider == "local" ? "pwd" : "external"]),
        ]
        if flaw == .wrongAuthorizedParty { members.append(.init("azp", "somebody-else")) }
        if let nonce = grant.nonce, !isRefresh {
            members.append(.init("nonce", .string(flaw == .wrongNonce ? "another" : nonce)))
        }
        members += Self.claims(of: grant)
        let signer: TokenDraft.Signer = flaw == .badSignature ? .unpublishedKey(.rs256) : flaw == .unsigned ? .unsigned : .own(.rs256)
        let token = try sign(.object(members), type: "JWT", by: signer)
        idTokens.insert(token)
        return token
    }

    /// Returns the user's claims for the granted scopes.
    static func claims(of grant: MapsIndoorsGrant) -> [JSONValue.Member] {
        guard grant.scopes.contains("profile") else { return [] }
        let user = grant.user
        return [
            .init("name", .string(user.name)), .init("preferred_username", .string(user.username)),
            .init("email", .string(user.email)),
        ]
    }

    private func sign(_ claims: JSONValue, type: String, by signer: TokenDraft.Signer = .own(.rs256)) throws(OAuthError) -> String {
        do {
            let keys = try keys()
            let algorithm = signer == .unsigned ? "none" : "RS256"
            let header: JSONValue = ["alg": .string(algorithm), "kid": .string(keys.identifier(.rs256)), "typ": .string(type)]
            return try keys.sign(TokenDraft(header: header, claims: claims, signer: signer))
        } catch {
            throw OAuthError("server_error", "the token cannot be signed", status: 500)
        }
    }
}
