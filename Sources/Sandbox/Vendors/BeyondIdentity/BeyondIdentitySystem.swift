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
