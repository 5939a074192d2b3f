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

/// Single sign-on: code A for the app, code B from the publisher, and then the user's session.
extension OpenWebGateway {
    /// The identity providers of `sso/provider`.
    static let providers = ["janrain", "gigya", "piano", "auth0", "foxid", "hearst"]

    /// Returns the JWT of the publisher's identity provider for `username`.
    static func jwt(for username: String) -> String { "sandbox.\(username).jwt" }

    /// Returns an identity provider's token for `username`.
    static func providerToken(for username: String) -> String { "sandbox-token-\(username)" }

    /// Starts a sign-in. `secret` is the Authorization; older clients send a JWT.
    func start(_ request: SandboxRequest) -> SandboxResponse {
        do throws(Refusal) {
            guard let sender = try session(of: request) else { throw .badAuthorization }
            let secret = body(of: request)["secret"]?.string
            let code = OpenIDProvider.makeName()
            codesA[code] = sender.authorization
            let withCode: [JSONValue.Member] = settings.omitsCodeA ? [] : [.init("code_a", .string(code))]
            guard let secret, secret != sender.authorization else { return answer(.object(withCode), to: request, authorization: nil) }
            let user = SandboxUser.standard.first { Self.jwt(for: $0.username) == secret }
            switch settings.jwt {
            case .running:
                return answer(.object(withCode + [.init("auto_complete", false), .init("success", true)]), to: request, authorization: nil)
            case .completes where user != nil:
                let signedIn = signIn(user, in: sender)
                return answer(
                    .object(withCode + [.init("auto_complete", true), .init("success", true), .init("user", signedIn.document)]),
                    to: request,
                    authorization: signedIn.authorization)
            case .completes, .fails:
                return answer(.object(withCode + [.init("auto_complete", true), .init("success", false)]), to: request, authorization: nil)
            }
        } catch {
            return error.answer
        }
    }

    func complete(_ request: SandboxRequest) -> SandboxResponse {
        do throws(Refusal) {
            guard let sender = try session(of: request) else { throw .badAuthorization }
            guard settings.completes, let code = body(of: request)["code_b"]?.string, let entry = codesB.removeValue(forKey: code),
                codesA[entry.codeA] == sender.authorization, let user = VendorServerState<OpenWebSettings>.user(entry.username)
            else { return answer(["success": false], to: request, authorization: nil) }
            codesA[entry.codeA] = nil
            let signedIn = signIn(user, in: sender)
            return answer(["success": true, "user": signedIn.document], to: request, authorization: signedIn.authorization)
        } catch {
            return error.answer
        }
    }

    func provider(_ request: SandboxRequest) -> SandboxResponse {
        do throws(Refusal) {
            guard let sender = try session(of: request) else { throw .badAuthorization }
            let body = body(of: request)
            let user = SandboxUser.standard.first { Self.providerToken(for: $0.username) == body["token"]?.string }
            guard Self.providers.contains(body["provider"]?.string ?? ""), let user else {
                return .json(["error": "invalid provider token"], status: 400)
            }
            let signedIn = signIn(user, in: sender)
            return answer(["user": signedIn.document], to: request, authorization: signedIn.authorization)
        } catch {
            return error.answer
        }
    }

    /// Ends the guest's Authorization and issues the user's.
    private func signIn(
        _ user: SandboxUser?, in sender: (authorization: String, session: Session)
    ) -> (document: JSONValue, authorization: String) {
        sessions[sender.authorization] = nil
        let session = Session(
            username: user?.username, userID: "u_" + (user?.username ?? ""), endsAt: now + settings.tokenLifetime,
            isRegistered: settings.registersUsers)
        return (document(of: session), open(session))
    }
}
