import AuthModel

/// The redirect of an app that waits for the end of a sign-in.
struct AppRedirect: Sendable {
    var redirect: String
    /// The app's own state, which is returned unchanged.
    var state: String?

    /// Returns the redirect with parameters appended.
    func url(_ parameters: [(String, String)]) -> String {
        redirect + "?" + FormEncoding.encode(parameters + (state.map { [("state", $0)] } ?? []))
    }
}

/// The backend of an app: it has the secret, and only it talks to the token endpoint and the management API.
extension BeyondIdentitySystem {
    // MARK: Sign-ins that the backend mediates

    /// The sample's sign-in page: redirects to Beyond Identity, and then back to the app with a session.
    func start(_ request: SandboxRequest) -> SandboxResponse {
        guard let redirect = request.parameter("redirect"), WebURL(redirect)?.origin.isLoopback == true || Self.isOfAnApp(redirect) else {
            return .text("redirect is missing or not allowed\n", status: 400)
        }
        guard settings.appRedirects.isEmpty || settings.appRedirects.contains(redirect) else {
            return .text("redirect is not registered\n", status: 400)
        }
        let state = OpenIDProvider.makeName()
        let verifier = OpenIDProvider.makeName()
        waiting[state] = (AppRedirect(redirect: redirect, state: request.parameter("state")), verifier)
        let query = FormEncoding.encode([
            ("client_id", settings.clientID), ("redirect_uri", backendRedirect), ("response_type", "code"), ("scope", "openid"),
            ("state", state), ("code_challenge", AuthorizationCodes<BeyondIdentityGrant>.challenge(for: verifier)),
            ("code_challenge_method", "S256"),
        ])
        return .redirect(to: issuer + "/authorize?" + query, status: 302)
    }

    /// Returns whether the redirect has an app's own scheme, as on phones: `acme://`.
    private static func isOfAnApp(_ redirect: String) -> Bool {
        guard let end = redirect.firstRange(of: "://") else { return false }
        let scheme = redirect[..<end.lowerBound]
        let isName =
            scheme.first?.isLetter == true
            && scheme.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
        let isPlain = redirect[end.upperBound...].utf8.allSatisfy { (0x21...0x7E).contains($0) }
        return isName && isPlain && !["http", "https", "file", "data", "javascript"].contains(scheme)
    }

    func backendCallback(_ request: SandboxRequest) async -> SandboxResponse {
        guard let state = request.parameter("state"), let (app, verifier) = waiting.removeValue(forKey: state) else {
            return .text("this sign-in did not start here\n", status: 400)
        }
        guard let code = request.parameter("code"), let user = await redeem(code, redirectURI: backendRedirect, verifier: verifier) else {
            return .redirect(to: app.url([("error", request.parameter("error") ?? "server_error")]), status: 302)
        }
        let parameters: [(String, String)]
        switch settings.payload {
        case .session: parameters = [("session", newSession(for: user))] + lifetime
        case .userInfo: parameters = [("email", user.email), ("name", user.name)]
        case .none: parameters = []
        }
        return .redirect(to: app.url(parameters), status: 302)
    }

    private var lifetime: [(String, String)] { settings.sessionLifetime.map { [("expires_in", String($0))] } ?? [] }

    private func newSession(for user: SandboxUser) -> String {
        let session = OpenIDProvider.makeName()
        sessions[session] = user
        return session
    }

    /// Requests the token endpoint over HTTP, as a backend on another machine would, and returns the user of the token.
    private func redeem(_ code: String, redirectURI: String, verifier: String?) async -> SandboxUser? {
        let settings = settings
        var form = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
        var headers = ["Content-Type: application/x-www-form-urlencoded"]
        switch settings.clientAuthentication {
        case .basic:
            headers.append("Authorization: Basic " + SandboxBase64.standard(Array("\(settings.clientID):\(settings.clientSecret)".utf8)))
        case .post: form += [("client_id", settings.clientID), ("client_secret", settings.clientSecret)]
        case .none: form.append(("client_id", settings.clientID))
        }
        if let verifier { form.append(("code_verifier", verifier)) }
        guard
            let answer = await LoopbackClient.ask(
                "POST", serverState.plainOrigin + "/v2/token", headers: headers, body: FormEncoding.encode(form)),
            answer.status == 200, let token = (try? JSONValue(strict: answer.text))?["access_token"]?.string
        else { return nil }
        return accessTokens[token]?.grant.user
    }

    // MARK: Codes that the app sends

    func exchange(_ request: SandboxRequest) async -> SandboxResponse {
        guard let body = try? JSONValue(strict: String(decoding: request.body, as: UTF8.self)), let code = body["code"]?.string,
            let redirect = body["redirect_uri"]?.string, body["state"]?.string != nil
        else { return .json(["error": "invalid_request", "error_description": "code, state or redirect_uri is missing"], status: 400) }
        guard let user = await redeem(code, redirectURI: redirect, verifier: body["code_verifier"]?.string) else {
            return .json(["error": "invalid_grant", "error_description": "the code was not accepted"], status: 400)
        }
        var members: [JSONValue.Member] = []
        if settings.payload == .session { members.append(.init("session_id", .string(newSession(for: user)))) }
        if settings.payload != .none { members.append(.init("user", Self.claims(of: user))) }
        if settings.payload == .session, let lifetime = settings.sessionLifetime { members.append(.init("expires_in", .number(lifetime))) }
        return .json(.object(members))
    }

    /// Returns the user of the session that the app sends as a bearer token.
    func session(_ request: SandboxRequest) -> SandboxResponse {
        let field = request.header("Authorization") ?? ""
        guard let user = sessions[String(field.dropFirst("Bearer ".count))] else {
            return .text("unauthorized\n", status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        return .json(Self.claims(of: user))
    }

    /// Ends the session that is sent as a bearer token.
    func signOut(_ request: SandboxRequest) -> SandboxResponse {
        let field = request.header("Authorization") ?? ""
        guard sessions.removeValue(forKey: String(field.dropFirst("Bearer ".count))) != nil else {
            return .text("unauthorized\n", status: 401, headers: [("WWW-Authenticate", "Bearer error=\"invalid_token\"")])
        }
        return .json(["success": true])
    }

    // MARK: Sign-up and recovery

    /// Creates or recovers a user; the real system would then send an e-mail with a link.
    func enroll(_ request: SandboxRequest, through path: String) async -> SandboxResponse {
        let status = settings.enrollStatus
        guard status == 200 else { return .json(["error": "enrollment failed, try again"], status: status) }
        let body = try? JSONValue(strict: String(decoding: request.body, as: UTF8.self))
        guard let email = body?["email"]?.string, email.contains("@") else { return .json(["error": "email is missing"], status: 400) }
        let name = body?["display_name"]?.string ?? email
        let user: JSONValue = [
            "external_id": .string(email), "email": .string(email), "user_name": .string(email), "display_name": .string(name),
            "binding_token_delivery_method": "email",
        ]
        let answer = await LoopbackClient.ask(
            "POST", serverState.plainOrigin + path,
            headers: ["Content-Type: application/json", "Authorization: Bearer \(settings.apiToken)"],
            body: user.text)
        guard answer?.status == 200 else { return .json(["error": "enrollment failed, try again"], status: 502) }
        return .json(["message": "check your email"])
    }
}
