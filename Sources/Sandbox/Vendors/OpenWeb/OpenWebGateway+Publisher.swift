import AuthModel

/// The publisher's own backend, and the endpoints of OpenWeb that it calls.
extension OpenWebGateway {
    func publisherLogin(_ request: SandboxRequest) -> SandboxResponse {
        let body = body(of: request)
        let name = SandboxRequest.single("username", in: request.form) ?? body["username"]?.string ?? ""
        let password = SandboxRequest.single("password", in: request.form) ?? body["password"]?.string
        guard let user = VendorServerState<OpenWebSettings>.user(name), password == user.password else {
            return .json(["error": "wrong user name or password"], status: 401)
        }
        let token = OpenIDProvider.makeName()
        publisherTokens[token] = user.username
        return .json(["token": .string(token)])
    }

    /// Exchanges a code A for a code B at OpenWeb, with the publisher's secret.
    func publisherCode(_ request: SandboxRequest) async -> SandboxResponse {
        switch settings.publisherMode {
        case .normal: return await requestCode(request)
        case .notImplemented: return .json(["error": "not implemented"], status: 501)
        case .neverAnswers: break
        case .renewsButNeverReports: _ = await requestCode(request)
        case .answersWithoutRenewing: return .json(["success": true])
        }
        var answer = SandboxResponse(status: 200)
        answer.delivery = .never
        return answer
    }

    private func requestCode(_ request: SandboxRequest) async -> SandboxResponse {
        let token = request.header("access-token-network") ?? request.header("Authorization").map { $0.replacingFirst("Bearer ", with: "") }
        guard let token, let own = publisherTokens[token] ?? (settings.acceptsForeignTokens ? settings.vouchesFor : nil) else {
            return .json(["error": "not signed in"], status: 401)
        }
        let username = settings.vouchesFor.isEmpty ? own : settings.vouchesFor
        guard let code = body(of: request)["code_a"]?.string, let user = VendorServerState<OpenWebSettings>.user(username) else {
            return .json(["error": "code_a is missing"], status: 400)
        }
        let query = FormEncoding.encode([
            ("code_a", code), ("access_token", Self.publisherSecret), ("primary_key", user.subject), ("user_name", user.username),
            ("display_name", user.name), ("email", user.email), ("email_verified", "true"),
        ])
        guard let answer = await LoopbackClient.ask("GET", serverState.plainOrigin + "/api/sso/v1/register-user?" + query) else {
            return .json(["error": "OpenWeb does not respond"], status: 502)
        }
        guard answer.status == 200 else { return .json(["error": "OpenWeb refused"], status: 502) }
        return settings.registration == .json ? .text(answer.text, type: "application/json") : .text(answer.text)
    }

    func registerUser(_ request: SandboxRequest) -> SandboxResponse {
        if settings.registration == .refused { return .json(["error": "bad request"], status: 400) }
        guard settings.registration != .requestID, request.parameter("access_token") == Self.publisherSecret,
            let codeA = request.parameter("code_a"), codesA[codeA] != nil, let username = request.parameter("user_name"),
            request.parameter("primary_key") != nil
        else {
            // The real API answers invalid input with success and an identifier that is not a code, as integrators report.
            return .text(String(OpenIDProvider.makeName().prefix(20)))
        }
        rename(username, as: request)
        let code = OpenIDProvider.makeName()
        codesB[code] = (username, codeA)
        return settings.registration == .json ? .json(["code_b": .string(code)]) : .text(code)
    }

    /// Like `register-user`, for a registered user: updates the user's data without signing in.
    func updateUser(_ request: SandboxRequest) -> SandboxResponse {
        guard request.parameter("access_token") == Self.publisherSecret, let username = request.parameter("user_name"),
            let user = VendorServerState<OpenWebSettings>.user(username), request.parameter("primary_key") == user.subject
        else { return .text(String(OpenIDProvider.makeName().prefix(20))) }
        rename(username, as: request)
        return .json(["success": true])
    }

    private func rename(_ username: String, as request: SandboxRequest) {
        guard let name = request.parameter("display_name"), !name.isEmpty else { return }
        displayNames[username] = name
    }
}
