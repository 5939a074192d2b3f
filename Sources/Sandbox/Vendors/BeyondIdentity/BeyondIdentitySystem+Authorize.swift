import AuthModel

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
        let carried = Base64.url(Array(FormEncoding.encode(request.query.map { ($0.name, $0.value) }).utf8))
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
        guard let carried = request.parameter("request").flatMap(Base64.decodeURL), let text = String(validating: carried, as: UTF8.self)
        else {
            return Self.problem("this request is unknown")
        }
        return .redirect(to: issuer + "/authorize?" + text, status: 302)
    }
}
