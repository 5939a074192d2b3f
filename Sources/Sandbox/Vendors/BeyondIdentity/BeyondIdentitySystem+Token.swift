import AuthModel

/// The token endpoint, userinfo, and the management API.
extension BeyondIdentitySystem {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        do throws(OAuthError) {
            let client = try authenticatedClient(request)
            guard request.field("grant_type") == "authorization_code" else {
                throw OAuthError("unsupported_grant_type", "the grant type is not supported")
            }
            let grant = try codes.redeem(
                request.field("code") ?? "", clientID: client, redirectURI: request.field("redirect_uri"),
                verifier: settings.requiresProofKey ? request.field("code_verifier") : nil, now: now)
            let token = OpenIDProvider.makeName()
            accessTokens[token] = BeyondIdentityToken(grant: grant, endsAt: now + .seconds(86_400))
            var members: [JSONValue.Member] = [
                .init("access_token", .string(token)), .init("token_type", "Bearer"), .init("expires_in", .number(86_400)),
            ]
            if grant.scopes.contains("openid") { members.append(.init("id_token", .string(try idToken(for: grant)))) }
            return .json(.object(members))
        } catch {
            return .error(error)
        }
    }

    private func authenticatedClient(_ request: SandboxRequest) throws(OAuthError) -> String {
        let settings = settings
        let failure = OAuthError("invalid_client", "client authentication failed", status: 401)
        switch settings.clientAuthentication {
        case .basic:
            let wanted = "Basic " + Base64.standard(Array("\(settings.clientID):\(settings.clientSecret)".utf8))
            guard request.header("Authorization") == wanted else { throw failure }
        case .post:
            guard request.field("client_id") == settings.clientID, request.field("client_secret") == settings.clientSecret else {
                throw failure
            }
        case .none: guard request.field("client_id") == settings.clientID else { throw failure }
        }
        return settings.clientID
    }

    func idToken(for grant: BeyondIdentityGrant, from issuer: String? = nil) throws(OAuthError) -> String {
        var members: [JSONValue.Member] = [
            .init("iss", .string(issuer ?? self.issuer)), .init("sub", .string(grant.user.subject)),
            .init("aud", .string(grant.clientID)),
            .init("iat", .number(now.seconds)), .init("exp", .number((now + .seconds(300)).seconds)),
        ]
        if let nonce = grant.nonce { members.append(.init("nonce", .string(nonce))) }
        do {
            let keys = try keys()
            let header: JSONValue = ["alg": "ES256", "kid": .string(keys.identifier(.es256)), "typ": "JWT"]
            return try keys.sign(TokenDraft(header: header, claims: .object(members), signer: .own(.es256)))
        } catch {
            throw OAuthError("server_error", "the token cannot be signed", status: 500)
        }
    }

    func userInfo(_ request: SandboxRequest) -> SandboxResponse {
        let field = request.header("Authorization") ?? ""
        guard let token = accessTokens[String(field.dropFirst("Bearer ".count))], now < token.endsAt else {
            return .text("unauthorized\n", status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        return .json(Self.claims(of: token.grant.user))
    }

    static func claims(of user: SandboxUser) -> JSONValue {
        [
            "email": .string(user.email), "external_id": .string(user.username), "id": .string(user.subject),
            "name": .string(user.name), "preferred_username": .string(user.username), "sub": .string(user.subject),
        ]
    }

    /// Creates or recovers a user. Requires the API token and all fields.
    func manage(_ request: SandboxRequest) -> SandboxResponse {
        guard request.header("Authorization") == "Bearer \(settings.apiToken)" else {
            return .json(["code": "unauthorized", "message": "the API token is invalid"], status: 401)
        }
        let body = try? JSONValue(strict: String(decoding: request.body, as: UTF8.self))
        let needed = request.path.hasSuffix("users") ? ["external_id", "email", "user_name", "display_name"] : ["external_id"]
        guard let body, (needed + ["binding_token_delivery_method"]).allSatisfy({ body[$0]?.string?.isEmpty == false }) else {
            return .json(["code": "bad_request", "message": "a field is missing"], status: 400)
        }
        let time = JSONValue.string(now.description)
        return .json([
            "internal_id": .string(OpenIDProvider.makeName()), "external_id": body["external_id"] ?? .null, "email": body["email"] ?? .null,
            "user_name": body["user_name"] ?? .null, "display_name": body["display_name"] ?? .null, "date_created": time,
            "date_modified": time, "status": "USER_STATUS_ACTIVE",
        ])
    }
}
