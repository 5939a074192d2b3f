import AuthModel

/// Beyond Identity, in the generation whose SDK has an AuthView, and the backend of an app that signs in there.
///
/// The authorization server and the management API follow their documentation. Every integrator has its own backend; this one follows the
/// SDK's sample where that is public. `/exchange`, `/recover` and `/session` are invented here.
actor BeyondIdentitySystem: ProviderBehaviour {
    let serverState: VendorServerState<BeyondIdentitySettings>
    var codes = AuthorizationCodes<BeyondIdentityGrant>()
    var accessTokens: [String: BeyondIdentityToken] = [:]
    /// The backend's sessions, by the identifier that the app gets.
    var sessions: [String: SandboxUser] = [:]
    /// The apps' redirects that wait for the backend, with the backend's verifiers, by the backend's `state`.
    var waiting: [String: (app: AppRedirect, verifier: String)] = [:]
    /// The tokens of the newer generation, by their text.
    var secureTokens: [String: SecureAccessToken] = [:]
    private var madeKeys: KeyRing?

    init(serverState: VendorServerState<BeyondIdentitySettings>) { self.serverState = serverState }

    nonisolated var issuer: String { serverState.origin + "/v2" }
    /// The backend's own redirect URI.
    nonisolated var backendRedirect: String { serverState.origin + "/backend/callback" }
    var settings: BeyondIdentitySettings { serverState.settings }
    var now: Timestamp { serverState.now }

    func keys() throws -> KeyRing {
        if let madeKeys { return madeKeys }
        let keys = try KeyRing(generation: 1, identifierPrefix: "byndid")
        madeKeys = keys
        return keys
    }

    nonisolated var routes: [Route] {
        let application = "/v1/tenants/{tenant}/realms/{realm}/applications/{application}"
        return [
            Route("GET", path: "/v2/.well-known/openid-configuration") { _ in await self.discovery() },
            Route("GET", path: "/v2/.well-known/jwks.json") { _ in await self.keySet() },
            Route("GET", "POST", path: "/v2/authorize") { await self.authorize($0) },
            Route("POST", path: "/v2/token") { await self.token($0) },
            Route("GET", path: "/v2/userinfo") { await self.userInfo($0) },
            Route("POST", path: "/v1/manage/users") { await self.manage($0) },
            Route("POST", path: "/v1/manage/recover-user") { await self.manage($0) },
            Route("GET", path: "/start") { await self.start($0) },
            Route("GET", path: "/backend/callback") { await self.backendCallback($0) },
            Route("POST", path: "/exchange") { await self.exchange($0) },
            Route("POST", path: "/enroll") { await self.enroll($0, through: "/v1/manage/users") },
            Route("POST", path: "/recover") { await self.enroll($0, through: "/v1/manage/recover-user") },
            Route("GET", path: "/session") { await self.session($0) },
            Route("POST", path: "/sign-out") { await self.signOut($0) },
            Route("GET", path: application + "/authorize") { await self.invoke($0) },
            Route("GET", path: application + "/.well-known/openid-configuration") { self.secureDiscovery($0) },
            Route("POST", path: application + "/token") { await self.secureToken($0) },
            Route("POST", path: application + "/revoke") { await self.secureRevoke($0) },
            Route("GET", path: application + "/tokens") { await self.secureTokenList($0) },
            Route("DELETE", path: application + "/tokens/{token}") { await self.secureTokenDelete($0) },
            Route("POST", path: "/v1/tenants/{tenant}/realms/{realm}/introspect") { await self.secureIntrospect($0) },
            Route("GET", path: "/bi-authenticate") { await self.authenticate($0) },
        ]
    }

    private func discovery() -> SandboxResponse {
        func url(_ path: String) -> JSONValue { .string(issuer + path) }
        return .json([
            "issuer": .string(issuer), "authorization_endpoint": url("/authorize"), "token_endpoint": url("/token"),
            "userinfo_endpoint": url("/userinfo"), "jwks_uri": url("/.well-known/jwks.json"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256", "ES256"], "scopes_supported": ["openid"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post", "none"],
        ])
    }

    private func keySet() -> SandboxResponse {
        guard let list = try? keys().publicKeys(.plain) else { return .text("the keys cannot be read\n", status: 500) }
        return .json(["keys": .array(list.filter { $0["use"] == "sig" })])
    }
}

/// A user's authorization of a client.
struct BeyondIdentityGrant: Sendable {
    var user: SandboxUser
    var clientID: String
    var scopes: ScopeSet
    var nonce: String?
}

/// An issued access token.
struct BeyondIdentityToken: Sendable {
    var grant: BeyondIdentityGrant
    var endsAt: Timestamp
}

/// The authorization endpoint, and the newer generation's invocation of the authenticator.
extension BeyondIdentitySystem {
    func authorize(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = (request.method == "POST" ? request.form : request.query).filter { $0.name != AccountChooserPage.username }
        func value(_ name: String) -> String? { SandboxRequest.single(name, in: parameters) }
        guard value("client_id") == settings.clientID, let redirect = value("redirect_uri"), accepts(redirect) else {
            return Self.problem("unknown client or redirect_uri")
        }
        guard value("response_type") == "code" else { return Self.problem("only response_type=code is supported") }
        if settings.requiresProofKey, value("code_challenge") == nil || value("code_challenge_method") != "S256" {
            let error = [("error", "invalid_request"), ("error_description", "a code_challenge with S256 is required")]
            return respond(redirect, error, state: value("state"))
        }
        let denial = [("error", "access_denied"), ("error_description", "the user denied the request")]
        if settings.deniesSignIn { return respond(redirect, denial, state: value("state")) }
        let user: SandboxUser
        if request.method == "POST" {
            guard let chosen = VendorServerState<BeyondIdentitySettings>.user(request.field(AccountChooserPage.username) ?? "") else {
                return respond(redirect, denial, state: value("state"))
            }
            user = chosen
        } else if let approved = serverState.autoApproved {
            user = approved
        } else {
            return AccountChooserPage.answer(
                title: "Sign in with Beyond Identity", action: "/v2/authorize", parameters: parameters, returnsTo: redirect)
        }
        let grant = BeyondIdentityGrant(
            user: user, clientID: settings.clientID, scopes: ScopeSet(wire: value("scope") ?? ""), nonce: value("nonce"))
        let binding = AuthorizationCodes<BeyondIdentityGrant>.Binding(
            clientID: settings.clientID, redirectURI: redirect, challenge: settings.requiresProofKey ? value("code_challenge") : nil)
        let code = codes.issue(grant, for: binding, until: now + serverState.common.codeLifetime)
        return respond(redirect, [("code", code)], state: value("state"))
    }

    /// Returns whether a redirect is registered, including its path. The port of a loopback literal is ignored only if the settings allow
    /// it.
    private func accepts(_ redirect: String) -> Bool {
        redirect == backendRedirect || serverState.common.accepts(redirect: redirect, of: settings.clientID)
    }

    private func respond(_ redirect: String, _ parameters: [(String, String)], state: String?) -> SandboxResponse {
        var all = parameters
        switch settings.stateFlaw {
        case .none: if let state { all.append(("state", state)) }
        case .missing: break
        case .tampered: all.append(("state", "tampered"))
        }
        return .redirect(to: redirect + "?" + FormEncoding.encode(all), status: 302)
    }

    private static func problem(_ text: String) -> SandboxResponse {
        Page.answer(title: "This sign-in cannot start", "<p class=\"problem\">\(text)</p>", status: 400)
    }

    // MARK: The newer generation

    /// Redirects the browser to the authenticator, or returns its URL.
    func invoke(_ request: SandboxRequest) -> SandboxResponse {
        let carried = SandboxBase64.url(Array(FormEncoding.encode(request.query.map { ($0.name, $0.value) }).utf8))
        let url = (settings.invokeURL ?? serverState.origin) + "/bi-authenticate?request=" + carried
        switch settings.invocationFlaw {
        case .none: break
        case .page: return Page.answer(title: "Sign in", "<p>Please enable JavaScript.</p>", status: 200)
        case .refusal: return Self.managementError("forbidden", "sign-in to the application is not allowed", status: 403)
        case .empty: return .json(["authenticate": true])
        }
        switch settings.invocation {
        case .automatic: return .redirect(to: url, status: 302)
        case .manual: return .json(["authenticate_url": .string(url)])
        }
    }

    /// The authenticator in a browser: continues with the request in its URL.
    func authenticate(_ request: SandboxRequest) -> SandboxResponse {
        guard let carried = request.parameter("request").flatMap(SandboxBase64.decodeURL),
            let text = String(validating: carried, as: UTF8.self)
        else {
            return Self.problem("this request is unknown")
        }
        return .redirect(to: issuer + "/authorize?" + text, status: 302)
    }
}

/// The token endpoint, userinfo, and the management API.
extension BeyondIdentitySystem {
    func token(_ request: SandboxRequest) -> SandboxResponse {
        do throws(ErrorReply) {
            let client = try authenticatedClient(request)
            guard request.field("grant_type") == "authorization_code" else {
                throw ErrorReply("unsupported_grant_type", "the grant type is not supported")
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

    private func authenticatedClient(_ request: SandboxRequest) throws(ErrorReply) -> String {
        let settings = settings
        let failure = ErrorReply("invalid_client", "client authentication failed", status: 401)
        switch settings.clientAuthentication {
        case .basic:
            let wanted = "Basic " + SandboxBase64.standard(Array("\(settings.clientID):\(settings.clientSecret)".utf8))
            guard request.header("Authorization") == wanted else { throw failure }
        case .post:
            guard request.field("client_id") == settings.clientID, request.field("client_secret") == settings.clientSecret else {
                throw failure
            }
        case .none: guard request.field("client_id") == settings.clientID else { throw failure }
        }
        return settings.clientID
    }

    func idToken(for grant: BeyondIdentityGrant, from issuer: String? = nil) throws(ErrorReply) -> String {
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
            throw ErrorReply("server_error", "the token cannot be signed", status: 500)
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
