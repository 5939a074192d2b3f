import AuthModel

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
            guard let held = try session(of: request) else { throw .badAuthorization }
            let secret = body(of: request)["secret"]?.string
            let code = OpenIDProvider.makeName()
            codesA[code] = held.authorization
            let withCode: [JSONValue.Member] = settings.omitsCodeA ? [] : [.init("code_a", .string(code))]
            guard let secret, secret != held.authorization else { return answer(.object(withCode), to: request, authorization: nil) }
            let user = SandboxUser.standard.first { Self.jwt(for: $0.username) == secret }
            switch settings.jwt {
            case .goesOn:
                return answer(.object(withCode + [.init("auto_complete", false), .init("success", true)]), to: request, authorization: nil)
            case .completes where user != nil:
                let signedIn = signIn(user, in: held)
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
            guard let held = try session(of: request) else { throw .badAuthorization }
            guard settings.completes, let code = body(of: request)["code_b"]?.string, let entry = codesB.removeValue(forKey: code),
                codesA[entry.codeA] == held.authorization, let user = VendorServerState<OpenWebSettings>.user(entry.username)
            else { return answer(["success": false], to: request, authorization: nil) }
            codesA[entry.codeA] = nil
            let signedIn = signIn(user, in: held)
            return answer(["success": true, "user": signedIn.document], to: request, authorization: signedIn.authorization)
        } catch {
            return error.answer
        }
    }

    func provider(_ request: SandboxRequest) -> SandboxResponse {
        do throws(Refusal) {
            guard let held = try session(of: request) else { throw .badAuthorization }
            let body = body(of: request)
            let user = SandboxUser.standard.first { Self.providerToken(for: $0.username) == body["token"]?.string }
            guard Self.providers.contains(body["provider"]?.string ?? ""), let user else {
                return .json(["error": "invalid provider token"], status: 400)
            }
            let signedIn = signIn(user, in: held)
            return answer(["user": signedIn.document], to: request, authorization: signedIn.authorization)
        } catch {
            return error.answer
        }
    }

    /// Ends the guest's Authorization and issues the user's.
    private func signIn(
        _ user: SandboxUser?, in held: (authorization: String, session: Session)
    ) -> (document: JSONValue, authorization: String) {
        sessions[held.authorization] = nil
        let session = Session(
            username: user?.username, userID: "u_" + (user?.username ?? ""), endsAt: now + settings.tokenLifetime,
            isRegistered: settings.registersUsers)
        return (document(of: session), open(session))
    }
}
