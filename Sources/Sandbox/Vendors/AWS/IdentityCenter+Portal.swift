import AuthModel

/// The portal: accounts, roles, their credentials, and the AWS console.
extension IdentityCenter {
    /// An error of the portal.
    enum PortalError: Error {
        case invalidRequest(String)
        case unauthorized
        case tooManyRequests
        case notFound(String)
        /// Not in the published model, but the answer of AWS for a role that the user does not have.
        case forbidden
        case unavailable

        var answer: SandboxResponse {
            let (type, status, text) =
                switch self {
                case .invalidRequest(let text): ("InvalidRequestException", 400, text)
                case .unauthorized: ("UnauthorizedException", 401, "Session token not found or invalid")
                case .tooManyRequests: ("TooManyRequestsException", 429, "HTTP 429 Too Many Requests")
                case .notFound(let text): ("ResourceNotFoundException", 404, text)
                case .forbidden: ("ForbiddenException", 403, "No access")
                case .unavailable: ("InternalServerException", 500, "Internal Server Error")
                }
            return .json(
                ["message": .string(text), "__type": .string("com.amazonaws.switchboard.portal#" + type)], status: status,
                headers: [("x-amzn-ErrorType", type)])
        }
    }

    /// An account of the organisation.
    struct Account {
        var id: String
        var name: String
        var email: String
    }

    nonisolated var organisation: [Account] {
        let names = ["production", "staging", "development"]
        return (0..<settings.accountCount).map { index in
            let name = index < names.count ? names[index] : "team-\(index)"
            let digits = String(index + 1)
            return Account(
                id: String(repeating: "0", count: 12 - digits.count) + digits, name: name, email: "aws-\(name)@example.test")
        }
    }

    private nonisolated func roles(in account: String) -> [String] {
        settings.roles.filter { !settings.removedRoles.contains("\(account)/\($0)") }
    }

    private func session(of request: SandboxRequest) throws(PortalError) -> String {
        if settings.throttles != 0 {
            if settings.throttles > 0 { serverState.change { $0.throttles -= 1 } }
            throw .tooManyRequests
        }
        if settings.portalErrors > 0 {
            serverState.change { $0.portalErrors -= 1 }
            throw .unavailable
        }
        guard let token = request.header("x-amz-sso_bearer_token"), let held = accessTokens[token], held.endsAt > now,
            isAlive(held.session)
        else { throw .unauthorized }
        return held.session
    }

    private func answering(
        _ request: SandboxRequest, _ content: (_ session: String) throws(PortalError) -> JSONValue
    ) -> SandboxResponse {
        do throws(PortalError) { return .json(try content(try session(of: request))) } catch { return error.answer }
    }

    func accounts(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { _ throws(PortalError) in
            try page("accountList", of: organisation, request) {
                ["accountId": .string($0.id), "accountName": .string($0.name), "emailAddress": .string($0.email)]
            }
        }
    }

    func roles(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { _ throws(PortalError) in
            let account = try account(in: request)
            guard !settings.removedAccounts.contains(account) else { throw .notFound("No such account") }
            return try page("roleList", of: roles(in: account), request) { ["roleName": .string($0), "accountId": .string(account)] }
        }
    }

    private func account(in request: SandboxRequest) throws(PortalError) -> String {
        guard let id = request.parameter("account_id") else { throw .invalidRequest("account_id is missing") }
        guard organisation.contains(where: { $0.id == id }) else { throw .notFound("The account does not exist") }
        return id
    }

    /// Returns one page of a list. The token of the next page is the number of its first entry.
    private func page<Entry>(
        _ name: String, of entries: [Entry], _ request: SandboxRequest, _ document: (Entry) -> JSONValue
    ) throws(PortalError) -> JSONValue {
        let asked = request.parameter("max_result").map { Int($0) ?? 0 } ?? settings.pageSize
        guard (1...100).contains(asked) else { throw .invalidRequest("max_result is invalid") }
        let start = request.parameter("next_token").map { Int($0) ?? -1 } ?? 0
        guard (0...entries.count).contains(start) else { throw .invalidRequest("next_token is invalid") }
        let end = min(start + min(asked, settings.pageSize), entries.count)
        return [
            "nextToken": end < entries.count ? .string(String(end)) : .null, name: .array(entries[start..<end].map(document)),
        ]
    }

    func roleCredentials(_ request: SandboxRequest) -> SandboxResponse {
        answering(request) { session throws(PortalError) in
            let account = try account(in: request)
            guard let role = request.parameter("role_name") else { throw .invalidRequest("role_name is missing") }
            guard roles(in: account).contains(role) else { throw .forbidden }
            let key = "ASIA" + OpenIDProvider.makeName().uppercased().filter { $0.isLetter || $0.isNumber }.prefix(16)
            let made = RoleCredentials(
                account: account, role: role, secret: OpenIDProvider.makeName(), token: OpenIDProvider.makeName(),
                endsAt: now + settings.roleLifetime)
            credentials[key] = made
            return [
                "roleCredentials": [
                    "accessKeyId": .string(key), "secretAccessKey": .string(made.secret), "sessionToken": .string(made.token),
                    "expiration": .number(made.endsAt.milliseconds),
                ]
            ]
        }
    }

    /// Ends the session: none of its tokens is valid any more. Credentials of roles stay valid until they expire, as with AWS.
    func logOut(_ request: SandboxRequest) -> SandboxResponse {
        do throws(PortalError) {
            sessions[try session(of: request)] = nil
            return SandboxResponse(status: 200)
        } catch {
            return error.answer
        }
    }

    // MARK: The console

    /// The federation endpoint of the AWS sign-in: `getSigninToken` turns a role's credentials into a token, and `login` signs the browser
    /// in with it.
    func console(_ request: SandboxRequest) -> SandboxResponse {
        switch request.parameter("Action") {
        case "getSigninToken":
            guard let session = request.parameter("Session").flatMap({ try? JSONValue(strict: $0) }),
                let key = session["sessionId"]?.string, let held = credentials[key], held.endsAt > now,
                session["sessionKey"]?.string == held.secret, session["sessionToken"]?.string == held.token
            else { return .text("invalid credentials\n", status: 400) }
            let token = OpenIDProvider.makeName()
            consoleTokens[token] = key
            return .json(["SigninToken": .string(token)])
        case "login":
            guard let key = request.parameter("SigninToken").flatMap({ consoleTokens.removeValue(forKey: $0) }),
                let held = credentials[key], request.parameter("Destination") != nil
            else { return Page.answer(title: "This sign-in is not valid", "<p>Start again.</p>", status: 400) }
            return Page.answer(title: "AWS console", "<p id=\"role\">\(held.account)/\(held.role)</p>")
        default: return .text("unknown action\n", status: 400)
        }
    }
}
