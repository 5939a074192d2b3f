import AuthModel
import Crypto

/// The token endpoint (RFC 6749 sections 3.2, 4.1.3 and 6; RFC 7636 section 4.6).
extension OpenIDProvider {
    func token(_ request: SandboxRequest) -> Answer {
        let isRefresh = request.field("grant_type") == "refresh_token"
        return answering(isRefresh ? .refresh : .token) {
            // Fault point: the answer of the token endpoint.
            let faults = misbehaviour.strike(TokenFault.self) { isRefresh ? .refresh($0) : .token($0) }
            let presented = request.field("refresh_token")
            let honest: Answer
            if faults.contains(where: \.refusesBeforehand) {
                honest = Answer(status: 200, headers: [("Content-Type", "application/json")], body: .bytes(Array("{}".utf8)))
            } else {
                honest = exchange(request, keepsPresented: faults.contains(where: \.keepsPresentedRefreshToken))
            }
            return faults.reduce(honest) { $1.distort($0, presentedRefreshToken: presented) }
        }
    }

    private func exchange(_ request: SandboxRequest, keepsPresented: Bool) -> Answer {
        do throws(OAuthError) {
            if let repeated = SandboxRequest.repeated(in: request.form).first {
                throw OAuthError("invalid_request", "\(FormEncoding.escape(repeated)) stands there twice")
            }
            let client = try authenticatedClient(request)
            switch request.field("grant_type") {
            case "authorization_code":
                guard let code = request.field("code") else { throw OAuthError("invalid_request", "code is missing") }
                let verifier = request.field("code_verifier")
                if let verifier, !(43...128).contains(verifier.utf8.count) {
                    throw OAuthError("invalid_grant", "code_verifier has to be of 43 to 128 characters")
                }
                let issued = try grants.redeem(
                    code: code, clientID: client.id, redirectURI: request.field("redirect_uri"),
                    challenge: verifier.map { Base64.url(Array(SHA256.hash(data: Array($0.utf8)))) }, now: now)
                return try answer(with: issued, isRefresh: false)
            case "refresh_token":
                guard let token = request.field("refresh_token") else { throw OAuthError("invalid_request", "refresh_token is missing") }
                let issued = try grants.refresh(
                    token: token, clientID: client.id, scopes: request.field("scope").map { ScopeSet(wire: $0) },
                    keepsPresented: keepsPresented, now: now)
                return try answer(with: issued, isRefresh: true)
            case nil: throw OAuthError("invalid_request", "grant_type is missing")
            default: throw OAuthError("unsupported_grant_type", "only codes and refresh tokens are exchanged here")
            }
        } catch {
            return .error(error)
        }
    }

    private func answer(with opaque: Grants.Issued, isRefresh: Bool) throws(OAuthError) -> Answer {
        let issued = configuration.accessTokens == .jwt ? try withJWT(opaque) : opaque
        var members: [JSONValue.Member] = [
            .init("access_token", .string(issued.accessToken)),
            .init("token_type", "Bearer"),
            .init("expires_in", .number(configuration.lifetimes.accessToken.wholeSeconds)),
            .init("scope", .string(issued.scopes.wire)),
        ]
        if let refresh = issued.refreshToken { members.append(.init("refresh_token", .string(refresh))) }
        if issued.scopes.contains("openid") {
            members.append(.init("id_token", .string(try idToken(for: issued, isRefresh: isRefresh))))
        }
        return .json(.object(members), headers: [("Pragma", "no-cache")])
    }

    /// The same grant with its access token as a JWT (RFC 9068).
    private func withJWT(_ opaque: Grants.Issued) throws(OAuthError) -> Grants.Issued {
        guard let person = person(opaque.authorization.username) else { throw OAuthError("invalid_grant", "the person is gone") }
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(person.subject), "aud": .string(issuer + "/api"),
            "client_id": .string(opaque.authorization.clientID), "scope": .string(opaque.scopes.wire), "jti": .string(opaque.accessToken),
            "iat": .number(now.seconds), "exp": .number((now + configuration.lifetimes.accessToken).seconds),
        ]
        var issued = opaque
        issued.accessToken = try sign(draft(claims, type: "at+jwt"))
        grants.rename(accessToken: opaque.accessToken, to: issued.accessToken)
        return issued
    }
}
