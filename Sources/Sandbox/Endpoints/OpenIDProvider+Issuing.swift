import AuthModel
import Crypto

/// Token responses (RFC 6749 section 5.1), and access tokens that are JWTs (RFC 9068).
extension OpenIDProvider {
    /// Returns the response of the token endpoint.
    func answer(with honest: Grants.Issued, isRefresh: Bool) throws(ErrorReply) -> SandboxResponse {
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
            .init("expires_in", .number(grants.rules.accessTokenLifetime(of: issued.authorization.clientID).wholeSeconds)),
            .init("scope", .string(issued.scopes.wire)),
        ]
    }

    /// Returns the tokens with the access token in the configured format.
    func finished(_ honest: Grants.Issued) throws(ErrorReply) -> Grants.Issued {
        let opaque = applyingFaults(binding: honest)
        return configuration.accessTokens == .jwt ? try withJWT(opaque) : opaque
    }

    /// Returns the tokens with the access token as a JWT (RFC 9068).
    private func withJWT(_ opaque: Grants.Issued) throws(ErrorReply) -> Grants.Issued {
        guard let subject = subject(of: opaque.authorization) else { throw ErrorReply("invalid_grant", "the user no longer exists") }
        let lifetime = grants.rules.accessTokenLifetime(of: opaque.authorization.clientID)
        var claims: JSONValue = [
            "iss": .string(issuer), "sub": .string(subject), "aud": audience(of: opaque.resources),
            "client_id": .string(opaque.authorization.clientID), "scope": .string(opaque.scopes.wire), "jti": .string(opaque.accessToken),
            "iat": .number(now.seconds), "exp": .number((now + lifetime).seconds),
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

/// ID tokens (OpenID Connect Core section 2), and the other JWTs of this provider.
extension OpenIDProvider {
    func idToken(for issued: Grants.Issued, isRefresh: Bool) throws(ErrorReply) -> String {
        let authorization = issued.authorization
        guard let user = user(authorization.username) else { throw ErrorReply("invalid_grant", "the user no longer exists") }
        var members: [JSONValue.Member] = [
            .init("iss", .string(issuer)),
            .init("sub", .string(user.subject)),
            .init("aud", .string(authorization.clientID)),
            .init("exp", .number((now + configuration.lifetimes.idToken).seconds)),
            .init("iat", .number(now.seconds)),
            .init("auth_time", .number(authorization.authenticatedAt.seconds)),
            .init("acr", .string(authorization.authenticationClass.rawValue)),
            .init("at_hash", .string(Self.hash(issued.accessToken, for: configuration.idTokenAlgorithm))),
        ]
        // Section 12.2: a refreshed ID token should have no nonce.
        if let nonce = authorization.nonce, !isRefresh { members.append(.init("nonce", .string(nonce))) }
        members += claims(of: user, scopes: issued.scopes)
        let token = try sign(applyingFaults(idToken: draft(.object(members)), isRefreshed: isRefresh))
        idTokens[token] = Consent(username: user.username, clientID: authorization.clientID)
        return token
    }

    /// Returns the user's claims for the given scopes (section 5.4).
    func claims(of user: SandboxUser, scopes: ScopeSet) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if scopes.contains("profile") {
            members += [.init("name", .string(user.name)), .init("preferred_username", .string(user.username))]
        }
        if scopes.contains("email") {
            members += [.init("email", .string(user.email)), .init("email_verified", true)]
        }
        return members + user.claims
    }

    func draft(_ claims: JSONValue, type: String = "JWT") -> TokenDraft {
        let algorithm = configuration.idTokenAlgorithm
        return TokenDraft(
            header: ["alg": .string(algorithm.rawValue), "kid": .string(keys.identifier(algorithm)), "typ": .string(type)], claims: claims,
            signer: .own(algorithm))
    }

    func sign(_ draft: TokenDraft) throws(ErrorReply) -> String {
        do {
            return try keys.sign(draft)
        } catch {
            throw ErrorReply("server_error", "the token cannot be signed", status: 500)
        }
    }

    /// Returns `at_hash` (section 3.1.3.6): the left half of the hash that the algorithm uses.
    private static func hash(_ token: String, for algorithm: SandboxConfiguration.SigningAlgorithm) -> String {
        let bytes = Array(token.utf8)
        switch algorithm {
        case .rs256, .es256: return SandboxBase64.url(Array(SHA256.hash(data: bytes)).prefix(16))
        // Ed25519 hashes with SHA-512.
        case .edDSA: return SandboxBase64.url(Array(SHA512.hash(data: bytes)).prefix(32))
        }
    }
}

/// Userinfo (OpenID Connect Core section 5.3), and the request log.
extension OpenIDProvider {
    func userInfo(_ request: SandboxRequest) -> SandboxResponse {
        answering(.userInfo) {
            let token: PresentedToken
            do throws(AccessRefusal) {
                token = try admit(request, token: request.accessToken.flatMap { resourceToken($0.token) }, audience: nil)
                guard token.scopes.contains("openid") else {
                    throw AccessRefusal(error: "insufficient_scope", status: 403, wantsProof: token.key != nil)
                }
            } catch {
                return challenge(error)
            }
            guard let user = user(token.username) else { return challenge(AccessRefusal(error: "invalid_token")) }
            let claims = JSONValue.object([.init("sub", .string(user.subject))] + self.claims(of: user, scopes: token.scopes))
            let answer = applyingFaults(userInfo: claims) { claims in
                switch configuration.userInfo {
                case .json: return .json(claims)
                case .jwt:
                    let signed = claims.setting("iss", .string(issuer)).setting("aud", .string(token.clientID))
                    guard let text = try? keys.sign(draft(signed)) else { return .text("the answer cannot be signed\n", status: 500) }
                    return .text(text, type: "application/jwt", headers: [("Cache-Control", "no-store")])
                }
            }
            return withNonce(answer, of: .resource, isDemand: false)
        }
    }

    /// `GET /__log`: returns the requests so far, if the configuration allows it.
    func requestLog(_ request: SandboxRequest) -> SandboxResponse {
        configuration.showsRequestLog ? .json(.array(log.requests.map(\.json))) : .notFound
    }
}

extension SandboxResponse {
    /// Returns a refusal with a challenge (RFC 6750 section 3).
    static func bearerChallenge(error: String?) -> SandboxResponse {
        let challenge = "Bearer realm=\"sandbox\"" + (error.map { ", error=\"\($0)\"" } ?? "")
        var answer = SandboxResponse.json(error.map { ["error": .string($0)] } ?? [:], status: 401)
        answer.setHeader("WWW-Authenticate", challenge)
        return answer
    }
}
