import AuthModel

/// MapsIndoors: the gateway that describes a solution's sign-in, the authorization server behind it, and the data.
///
/// The authorization server follows the documentation and source of IdentityServer4. The gateway's address, and the names of members that
/// no public sample reads, are invented here.
actor MapsIndoorsSystem: ProviderBehaviour {
    let serverState: VendorServerState<MapsIndoorsSettings>
    var codes = AuthorizationCodes<MapsIndoorsGrant>()
    /// The access tokens, by their text.
    var accessTokens: [String: IssuedToken] = [:]
    var refreshTokens: [String: IssuedToken] = [:]
    /// The issued ID tokens; as a hint they never expire.
    var idTokens: Set<String> = []
    private var madeKeys: KeyRing?

    /// An issued token and its properties.
    struct IssuedToken: Sendable {
        var grant: MapsIndoorsGrant
        var issuedAt: Timestamp
        var endsAt: Timestamp
    }

    init(serverState: VendorServerState<MapsIndoorsSettings>) { self.serverState = serverState }

    nonisolated var issuer: String { serverState.origin }
    var settings: MapsIndoorsSettings { serverState.settings }
    var now: Timestamp { serverState.now }

    /// Returns the keys; creates them on first use, because creating an RSA key takes time.
    func keys() throws -> KeyRing {
        if let madeKeys { return madeKeys }
        let keys = try KeyRing(generation: 1, identifierPrefix: "mapsindoors")
        madeKeys = keys
        return keys
    }

    nonisolated var routes: [Route] {
        [
            Route("GET", path: "/gateway/{key}") { await self.details($0) },
            Route("GET", path: "/.well-known/openid-configuration") { _ in await self.discovery() },
            Route("GET", path: "/.well-known/openid-configuration/jwks") { _ in await self.keySet() },
            Route("GET", "POST", path: "/connect/authorize") { await self.authorize($0) },
            Route("POST", path: "/connect/token") { await self.token($0) },
            Route("GET", "POST", path: "/connect/userinfo") { await self.userInfo($0) },
            Route("POST", path: "/connect/revocation") { await self.revoke($0) },
            Route("POST", path: "/connect/introspect") { await self.introspect($0) },
            Route("GET", "POST", path: "/connect/endsession") { await self.endSession($0) },
            Route("GET", path: "/data") { await self.data($0) },
            Route("GET", path: "/booking") { await self.booking($0) },
        ]
    }

    // MARK: Metadata

    /// Returns the authentication details of a solution.
    private func details(_ request: SandboxRequest) -> SandboxResponse {
        let settings = settings
        guard request.segments["key"] == settings.apiKey else {
            return .json(["code": 101_500, "message": "the API key is not valid"], status: 401)
        }
        let names = settings.spelling == .iOS ? ("clientID", "preferredIDPS") : ("clientId", "preferredIDPs")
        var members: [JSONValue.Member] = [
            .init("authIssuer", .string(issuer)), .init("authScope", .string(settings.authScope)),
            .init("isAuthRequired", .bool(settings.isAuthRequired)), .init("sessionToken", .string(OpenIDProvider.makeName())),
        ]
        if !settings.omitsArrays {
            let clients = settings.clients.map { client in
                JSONValue.object([
                    .init(names.0, .string(client)),
                    .init(
                        names.1,
                        .array((settings.clientIdentityProviders[client] ?? settings.identityProviders).map(JSONValue.string))),
                ])
            }
            members += [.init("authClients", .array(clients)), .init("backendUrls", .array([.string(serverState.origin + "/data")]))]
        }
        let text = JSONValue.object(members).text
        return .text(settings.cutsDetails ? String(text.dropLast(text.utf8.count / 2)) : text, type: "application/json")
    }

    private func discovery() -> SandboxResponse {
        func url(_ path: String) -> JSONValue { .string(issuer + path) }
        let settings = settings
        var members: [JSONValue.Member] = [
            .init("issuer", .string(settings.hasWrongIssuer ? "https://auth.example.org" : issuer)),
            .init("jwks_uri", url("/.well-known/openid-configuration/jwks")),
            .init("authorization_endpoint", url("/connect/authorize")), .init("token_endpoint", url("/connect/token")),
            .init("userinfo_endpoint", url("/connect/userinfo")), .init("end_session_endpoint", url("/connect/endsession")),
            .init("revocation_endpoint", url("/connect/revocation")), .init("introspection_endpoint", url("/connect/introspect")),
            .init("scopes_supported", .array(["openid", "profile", "account", .string(settings.authScope), "offline_access"])),
            .init("grant_types_supported", ["authorization_code", "refresh_token"]),
            .init("response_types_supported", ["code", "id_token", "code id_token"]),
            .init("response_modes_supported", ["query", "fragment"]),
            .init("token_endpoint_auth_methods_supported", ["client_secret_basic", "client_secret_post"]),
            .init("id_token_signing_alg_values_supported", ["RS256"]), .init("subject_types_supported", ["public"]),
            .init("code_challenge_methods_supported", ["plain", "S256"]),
        ]
        members.removeAll { $0.name == settings.droppedMetadata }
        return .json(.object(members))
    }

    private func keySet() -> SandboxResponse {
        guard let list = try? keys().publicKeys(.plain) else { return .text("the keys cannot be read\n", status: 500) }
        return .json(["keys": .array(list.filter { $0["kty"] == "RSA" })])
    }
}

/// A user's authorization of a client.
struct MapsIndoorsGrant: Sendable {
    var user: SandboxUser
    var clientID: String
    var scopes: ScopeSet
    /// `local`, or the name after `idp:` in `acr_values`.
    var identityProvider: String
    var nonce: String?
    var authenticatedAt: Timestamp
}

/// The resources, and revocation, introspection and sign-out.
extension MapsIndoorsSystem {
    /// The data that the sign-in protects.
    func data(_ request: SandboxRequest) -> SandboxResponse {
        guard settings.isAuthRequired else { return .json(["venues": ["Yett House"]]) }
        return withToken(request) { token in
            guard token.grant.clientID != settings.bookingClient else { return Self.refusal("insufficient_scope", status: 403) }
            return .json(["venues": ["Yett House"], "sub": .string(token.grant.user.subject)])
        }
    }

    /// The Booking service: accepts the tokens of its own tenant, never those that MapsIndoors issued for the data.
    func booking(_ request: SandboxRequest) -> SandboxResponse {
        withToken(request) { token in
            guard token.grant.clientID == settings.bookingClient else { return Self.refusal("invalid_token", status: 401) }
            return .json(["bookings": .array([]), "tenant": request.header("X-Tenant-Id").map(JSONValue.string) ?? .null])
        }
    }

    func userInfo(_ request: SandboxRequest) -> SandboxResponse {
        withToken(request) { token in
            guard token.grant.scopes.contains("openid") else { return Self.refusal("insufficient_scope", status: 403) }
            return .json(.object([.init("sub", .string(token.grant.user.subject))] + Self.claims(of: token.grant)))
        }
    }

    private func withToken(_ request: SandboxRequest, _ body: (IssuedToken) -> SandboxResponse) -> SandboxResponse {
        let field = request.header("Authorization") ?? ""
        guard field.lowercased().hasPrefix("bearer "), let token = accessTokens[String(field.dropFirst(7))], now < token.endsAt else {
            return field.isEmpty
                ? .text("unauthorized\n", status: 401, headers: [("WWW-Authenticate", "Bearer")])
                : Self.refusal("invalid_token", status: 401)
        }
        return body(token)
    }

    private static func refusal(_ code: String, status: Int) -> SandboxResponse {
        .text("unauthorized\n", status: status, headers: [("WWW-Authenticate", "Bearer error=\"\(code)\"")])
    }

    /// RFC 7009; an unknown token counts as revoked.
    func revoke(_ request: SandboxRequest) -> SandboxResponse {
        guard let client = request.field("client_id"), let token = request.field("token") else {
            return .json(["error": "invalid_request"], status: 400)
        }
        if accessTokens[token]?.grant.clientID == client { accessTokens[token] = nil }
        if refreshTokens[token]?.grant.clientID == client { refreshTokens[token] = nil }
        return SandboxResponse(status: 200)
    }

    /// RFC 7662; for API resources, which the sandbox does not authenticate.
    func introspect(_ request: SandboxRequest) -> SandboxResponse {
        guard let token = request.field("token"), let known = accessTokens[token], now < known.endsAt else {
            return .json(["active": false])
        }
        return .json([
            "active": true, "sub": .string(known.grant.user.subject), "client_id": .string(known.grant.clientID),
            "exp": .number(known.endsAt.seconds),
        ])
    }

    /// Redirects the browser if the address is registered and the ID token hint is from here; otherwise shows a page
    /// (`EndSessionRequestValidator`). Revokes no token.
    func endSession(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.method == "POST" ? request.form : request.query
        func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
        if let hint = value("id_token_hint"), idTokens.contains(hint), let target = value("post_logout_redirect_uri"),
            serverState.common.accepts(redirect: target, among: settings.postLogoutRedirects)
        {
            let joint = target.contains("?") ? "&" : "?"
            return .redirect(to: value("state").map { target + joint + FormEncoding.encode([("state", $0)]) } ?? target)
        }
        return Page.answer(title: "Signed out", "<p>You are signed out of MapsIndoors.</p>")
    }
}
