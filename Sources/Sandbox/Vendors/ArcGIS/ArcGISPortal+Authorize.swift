import AuthModel
import Crypto

/// Signing in with a browser: `oauth2/authorize` and similar endpoints.
extension ArcGISPortal {
    static let outOfBand = "urn:ietf:wg:oauth:2.0:oob"

    func authorize(_ request: SandboxRequest, path: String) -> SandboxResponse {
        do throws(ArcGISError) {
            try check(request.query)
        } catch {
            return Self.problemPage(error)
        }
        if settings.deniesSignIn { return respond(to: request.query, as: nil) }
        if let user = serverState.autoApproved { return respond(to: request.query, as: user) }
        return AccountChooserPage.answer(
            title: "Sign in to ArcGIS", action: path, parameters: request.query,
            returnsTo: SandboxRequest.single("redirect_uri", in: request.query))
    }

    /// Signs in with a social account.
    func authorizeSocially(_ request: SandboxRequest) -> SandboxResponse {
        let name = request.parameter("socialLoginProviderName") ?? ""
        guard settings.socialProviders.contains(name) else {
            return Self.problemPage(.oauth("invalid_request", "Invalid socialLoginProviderName"))
        }
        return authorize(request, path: Self.rest + "/oauth2/social/authorize")
    }

    /// Handles the user's choice on the account chooser page.
    func chosen(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.form.filter { $0.name != AccountChooserPage.username }
        do throws(ArcGISError) {
            try check(parameters)
        } catch {
            return Self.problemPage(error)
        }
        return respond(to: parameters, as: request.field(AccountChooserPage.username).flatMap(VendorServerState<ArcGISSettings>.user))
    }

    /// The page that shows a code to a user whose app has no redirect.
    nonisolated func approval(_ request: SandboxRequest) -> SandboxResponse {
        let code = request.parameter("code") ?? ""
        return Page.answer(
            title: "SUCCESS code=\(code)",
            "<p>Please copy this code, switch to your application and paste it there:</p><p><code id=\"code\">\(code)</code></p>")
    }

    /// Throws for errors that must not be sent to the redirect URI.
    private func check(_ parameters: [(name: String, value: String)]) throws(ArcGISError) {
        let single = { (name: String) in SandboxRequest.single(name, in: parameters) }
        guard let client = single("client_id"), settings.clientIDs.contains(client) else {
            throw .oauth("invalid_client_id", "Invalid client_id")
        }
        guard let redirect = single("redirect_uri"),
            redirect == Self.outOfBand || serverState.common.accepts(redirect: redirect, of: client)
        else {
            throw .oauth("invalid_redirect_uri", "Invalid redirect_uri")
        }
        guard single("response_type") == "code" else { throw .oauth("invalid_request", "Unsupported response_type") }
        if single("code_challenge") != nil, !["S256", "plain"].contains(single("code_challenge_method")) {
            throw .oauth("invalid_request", "Unsupported code_challenge_method")
        }
        if let minutes = single("expiration"), Int(minutes).map({ $0 > 0 }) != true {
            throw .oauth("invalid_request", "Invalid expiration")
        }
    }

    private func respond(to parameters: [(name: String, value: String)], as user: SandboxUser?) -> SandboxResponse {
        let single = { (name: String) in SandboxRequest.single(name, in: parameters) }
        let redirect = single("redirect_uri") ?? ""
        var answer: [(String, String)]
        if let user {
            let asked = single("expiration").flatMap { Int($0) }.map { Duration.seconds(min(max($0, 0), 21_600_000) * 60) }
            let code = codes.issue(
                CodeContent(
                    username: user.username, refreshLifetime: min(asked ?? settings.refreshLifetime, settings.longestRefreshLifetime)),
                for: .init(clientID: single("client_id") ?? "", redirectURI: redirect, challenge: Self.challenge(in: parameters)),
                until: now + serverState.common.codeLifetime)
            answer = [("code", code)]
        } else {
            answer = [("error", "access_denied"), ("error_description", "The user has denied your request")]
        }
        if let state = single("state") { answer.append(("state", state)) }
        let target = redirect == Self.outOfBand ? Self.rest + "/oauth2/approval" : redirect
        return .redirect(to: target + (target.contains("?") ? "&" : "?") + FormEncoding.encode(answer), status: 302)
    }

    /// Returns the S256 challenge; a plain challenge is the verifier itself and is hashed here.
    private static func challenge(in parameters: [(name: String, value: String)]) -> String? {
        let challenge = SandboxRequest.single("code_challenge", in: parameters)
        guard SandboxRequest.single("code_challenge_method", in: parameters) == "plain" else { return challenge }
        return challenge.map(AuthorizationCodes<CodeContent>.challenge)
    }

    private static func problemPage(_ error: ArcGISError) -> SandboxResponse {
        Page.answer(title: "This sign-in cannot start", "<pre>\(error.answer.text)</pre>", status: 400)
    }
}

/// HTTP authentication, as a web server in front of a server checks it.
enum WebTierAccount {
    static let realm = "sandbox web tier"
    /// Constant, because a replay does no harm here.
    static let nonce = "c2FuZGJveC1ub25jZQ"

    /// Checks HTTP Basic (RFC 7617).
    static func basic(_ field: String) -> SandboxUser? {
        guard field.hasPrefix("Basic ") else { return nil }
        return SandboxUser.standard.first {
            field.dropFirst("Basic ".count) == SandboxBase64.standard(Array("\($0.username):\($0.password)".utf8))
        }
    }

    /// Checks HTTP Digest (RFC 7616) with MD5 and `qop=auth`, as curl and most servers use it.
    static func digest(_ field: String, method: String) -> SandboxUser? {
        guard field.hasPrefix("Digest ") else { return nil }
        var values: [String: String] = [:]
        for part in field.dropFirst("Digest ".count).split(separator: ",") {
            let pair = part.split(separator: "=", maxSplits: 1)
            guard pair.count == 2 else { return nil }
            values[String(pair[0].drop { $0 == " " })] = pair[1].filter { $0 != "\"" }
        }
        guard let user = SandboxUser.standard.first(where: { $0.username == values["username"] }), values["nonce"] == nonce,
            let uri = values["uri"], let count = values["nc"], let clientNonce = values["cnonce"], values["qop"] == "auth"
        else { return nil }
        let secret = hash("\(user.username):\(realm):\(user.password)")
        let request = hash("\(method):\(uri)")
        return values["response"] == hash("\(secret):\(nonce):\(count):\(clientNonce):auth:\(request)") ? user : nil
    }

    private static func hash(_ text: String) -> String { Insecure.MD5.hash(data: Array(text.utf8)).hexadecimal }
}
