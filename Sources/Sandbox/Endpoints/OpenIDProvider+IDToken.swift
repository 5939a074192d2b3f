import AuthModel
import Crypto

/// ID tokens (OpenID Connect Core section 2), and the other JWTs of this provider.
extension OpenIDProvider {
    func idToken(for issued: Grants.Issued, isRefresh: Bool) throws(OAuthError) -> String {
        let authorization = issued.authorization
        guard let user = user(authorization.username) else { throw OAuthError("invalid_grant", "the user no longer exists") }
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

    func sign(_ draft: TokenDraft) throws(OAuthError) -> String {
        do {
            return try keys.sign(draft)
        } catch {
            throw OAuthError("server_error", "the token cannot be signed", status: 500)
        }
    }

    /// Returns `at_hash` (section 3.1.3.6): the left half of the hash that the algorithm uses.
    private static func hash(_ token: String, for algorithm: SandboxConfiguration.SigningAlgorithm) -> String {
        let bytes = Array(token.utf8)
        switch algorithm {
        case .rs256, .es256: return Base64.url(Array(SHA256.hash(data: bytes)).prefix(16))
        // Ed25519 hashes with SHA-512.
        case .edDSA: return Base64.url(Array(SHA512.hash(data: bytes)).prefix(32))
        }
    }
}
