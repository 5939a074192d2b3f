import AuthModel

/// The newer generation: an OpenID provider for each application, and the part of the management API that lists and revokes its tokens.
///
/// Paths, members and errors follow its API document, with one exception: here an application's own access token may list its user's
/// tokens; the real API takes a token of the management API's application.
extension BeyondIdentitySystem {
    nonisolated private func application(_ request: SandboxRequest) -> String {
        let segments = request.segments
        return "\(serverState.origin)/v1/tenants/\(segments["tenant"] ?? "")/realms/\(segments["realm"] ?? "")/applications/"
            + (segments["application"] ?? "")
    }

    nonisolated func secureDiscovery(_ request: SandboxRequest) -> SandboxResponse {
        let issuer = application(request)
        let realm = "\(serverState.origin)/v1/tenants/\(request.segments["tenant"] ?? "")/realms/\(request.segments["realm"] ?? "")"
        return .json([
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "revocation_endpoint": .string(issuer + "/revoke"),
            "introspection_endpoint": .string(realm + "/introspect"),
            "jwks_uri": .string(serverState.origin + "/v2/.well-known/jwks.json"), "response_types_supported": ["code"],
            "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["ES256"],
            "code_challenge_methods_supported": ["S256"], "token_endpoint_auth_methods_supported": ["none"],
            "scopes_supported": ["openid"], "grant_types_supported": ["authorization_code", "refresh_token"],
        ])
    }

    /// The token endpoint for public clients; a code needs its verifier if the settings require it.
    func secureToken(_ request: SandboxRequest) -> SandboxResponse {
        do throws(ErrorReply) {
            // A refresh token identifies its client; in the API document it is sent without a client_id.
            let isAlone = request.field("grant_type") == "refresh_token" && request.field("client_id") == nil
            guard isAlone || request.field("client_id") == settings.clientID else {
                throw ErrorReply("invalid_client", "unknown client", status: 401)
            }
            let grant: BeyondIdentityGrant
            switch request.field("grant_type") {
            case "authorization_code":
                grant = try codes.redeem(
                    request.field("code") ?? "", clientID: settings.clientID, redirectURI: request.field("redirect_uri"),
                    verifier: settings.requiresProofKey ? request.field("code_verifier") : nil, now: now)
            case "refresh_token":
                guard let token = request.field("refresh_token"), let known = secureTokens[token], known.kind == "refresh_token" else {
                    throw ErrorReply("invalid_grant", "the refresh token is unknown")
                }
                end(family: known.family)
                grant = known.grant
            default: throw ErrorReply("unsupported_grant_type", "the grant type is not supported")
            }
            return try secureTokens(for: grant, from: application(request))
        } catch {
            return .error(error)
        }
    }

    private func secureTokens(for grant: BeyondIdentityGrant, from issuer: String) throws(ErrorReply) -> SandboxResponse {
        let family = OpenIDProvider.makeName()
        func issue(_ kind: String, for lifetime: Int64) -> String {
            let token = OpenIDProvider.makeName()
            secureTokens[token] = SecureAccessToken(
                id: OpenIDProvider.makeName(), kind: kind, family: family, grant: grant, issuedAt: now, endsAt: now + .seconds(lifetime))
            return token
        }
        var members: [JSONValue.Member] = [
            .init("access_token", .string(issue("access_token", for: 86_400))), .init("token_type", "Bearer"),
            .init("expires_in", .number(86_400)),
        ]
        if grant.scopes.contains("openid") { members.append(.init("id_token", .string(try idToken(for: grant, from: issuer)))) }
        if settings.issuesRefreshTokens { members.append(.init("refresh_token", .string(issue("refresh_token", for: 2_592_000)))) }
        return .json(.object(members))
    }

    /// RFC 7009: responds with 200 even for an unknown token.
    func secureRevoke(_ request: SandboxRequest) -> SandboxResponse {
        guard let token = request.field("token") else { return .error(ErrorReply("invalid_request", "token is missing")) }
        if let known = secureTokens[token] {
            if known.kind == "refresh_token" { end(family: known.family) } else { secureTokens[token] = nil }
        }
        return .json(.object([]))
    }

    /// RFC 7662: responds with 200 and `active` false for any token that is not valid.
    func secureIntrospect(_ request: SandboxRequest) -> SandboxResponse {
        guard let known = validToken(request.field("token") ?? "") else { return .json(["active": false]) }
        return .json([
            "active": true, "sub": .string(known.grant.user.subject), "client_id": .string(known.grant.clientID),
            "exp": .number(known.endsAt.seconds),
        ])
    }

    private func end(family: String) { secureTokens = secureTokens.filter { $0.value.family != family } }

    private func validToken(_ token: String) -> SecureAccessToken? {
        secureTokens[token].flatMap { now < $0.endsAt ? $0 : nil }
    }

    // MARK: The management API

    static func managementError(_ code: String, _ message: String, status: Int) -> SandboxResponse {
        .json(["code": .string(code), "message": .string(message)], status: status)
    }

    /// Returns the user whose access token the request carries.
    private func user(of request: SandboxRequest) -> SandboxUser? {
        let field = request.header("Authorization") ?? ""
        guard field.hasPrefix("Bearer "), let token = validToken(String(field.dropFirst("Bearer ".count))), token.kind == "access_token"
        else {
            return nil
        }
        return token.grant.user
    }

    func secureTokenList(_ request: SandboxRequest) -> SandboxResponse {
        guard let user = user(of: request) else {
            return Self.managementError("unauthorized", "the access token is invalid", status: 401)
        }
        guard request.parameter("principal_type") == "identity", let principal = request.parameter("principal_id") else {
            return Self.managementError("bad_request", "principal_type and principal_id are required", status: 400)
        }
        guard principal == user.subject else { return Self.managementError("forbidden", "principal_id is another user's", status: 403) }
        let mine = secureTokens.filter { $0.value.grant.user.subject == principal && now < $0.value.endsAt }
            .sorted { ($0.value.issuedAt, $0.value.id) < ($1.value.issuedAt, $1.value.id) }
        let start = request.parameter("page_token").flatMap { Int($0) } ?? 0
        guard (0...mine.count).contains(start) else { return Self.managementError("bad_request", "no such page", status: 400) }
        let page = mine[start...].prefix(max(1, settings.tokensPerPage))
        let list = page.map { token, known -> JSONValue in
            [
                "id": .string(known.id), "scopes": .array(known.grant.scopes.values.map { .string($0) }),
                "issued_at": .string(known.issuedAt.description), "expires": .string(known.endsAt.description),
                "token_type": .string(known.kind), "token_format": "referential", "token_suffix": .string(String(token.suffix(4))),
            ]
        }
        var members: [JSONValue.Member] = [.init("tokens", .array(list)), .init("total_size", .number(mine.count))]
        if page.endIndex < mine.endIndex { members.append(.init("next_page_token", .string(String(page.endIndex)))) }
        return .json(.object(members))
    }

    func secureTokenDelete(_ request: SandboxRequest) -> SandboxResponse {
        guard let user = user(of: request) else {
            return Self.managementError("unauthorized", "the access token is invalid", status: 401)
        }
        let id = request.segments["token"] ?? ""
        guard let token = secureTokens.first(where: { $0.value.id == id && $0.value.grant.user.subject == user.subject })?.key else {
            return Self.managementError("not_found", "no such token", status: 404)
        }
        secureTokens[token] = nil
        return .json(.object([]))
    }
}

/// A token of the newer generation.
struct SecureAccessToken: Sendable {
    /// The identifier in the management API.
    var id: String
    var kind: String
    /// The sign-in or renewal that issued the token.
    var family: String
    var grant: BeyondIdentityGrant
    var issuedAt: Timestamp
    var endsAt: Timestamp
}
