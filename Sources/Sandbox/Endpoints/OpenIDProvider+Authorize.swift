import AuthModel

/// The authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2), and the authorization response.
extension OpenIDProvider {
    func authorize(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.method == "POST" ? request.form : request.query
        let authorization: AuthorizationRequest
        do throws(AuthorizationRefusal) {
            authorization = try authorizationRequest(resolvedParameters(parameters))
        } catch {
            switch error {
            case .page(let text): return messagePage("This sign-in cannot start", text, status: 400)
            case .redirect(let error, let redirectURI, let state):
                return respond(to: redirectURI, state: state, parameters: Self.parameters(of: error))
            }
        }
        // RFC 9126 section 5.
        if configuration.pushedRequests == .required, !parameters.contains(where: { $0.name == "request_uri" }) {
            return refuse(authorization, OAuthError("invalid_request", "the request must be pushed"))
        }
        if let username = autoApproves, user(username) != nil {
            return approve(authorization, username: username, scopes: authorization.scopes, browser: nil, since: now)
        }
        return begin(authorization, in: request)
    }

    /// Validates the parameters of an authorization request.
    func authorizationRequest(_ parameters: [(name: String, value: String)]) throws(AuthorizationRefusal) -> AuthorizationRequest {
        try AuthorizationRequest(
            parameters: parameters, client: client, offersPromptCreate: configuration.offersPromptCreate)
    }

    /// Starts an interaction and returns its first page, or its result.
    func begin(_ authorization: AuthorizationRequest, in request: SandboxRequest) -> SandboxResponse {
        let (browser, cookie) = browserSession(of: request)
        let id = Self.makeName()
        interactions[id] = Interaction(request: authorization, browserSession: browser)
        var answer = proceed(id)
        if let cookie { answer.headers.append(cookie) }
        return answer
    }

    /// `GET /continue`: returns the next page of an interaction, or its result.
    func resume(_ request: SandboxRequest) -> SandboxResponse {
        guard let id = request.parameter("interaction"), interaction(id, of: request) != nil else { return expiredPage }
        return proceed(id)
    }

    /// Returns the next page of an interaction, or the authorization response.
    func proceed(_ id: String) -> SandboxResponse {
        guard let interaction = interactions[id] else { return expiredPage }
        let request = interaction.request
        let browser = browsers[interaction.browserSession] ?? BrowserSession()
        let remembered = { [consents, configuration] (username: String) -> ScopeSet? in
            configuration.remembersConsent ? consents[Consent(username: username, clientID: request.clientID)] : nil
        }
        switch interaction.nextStep(browser: browser, remembered: remembered, now: now) {
        case .signIn(let hint): return signInPage(id, hint: hint)
        case .signUp: return signUpPage(id)
        case .chooseAccount: return chooseAccountPage(id, browser.accounts.map(\.username))
        case .consent(let username): return consentPage(id, username: username)
        case .refuse(let error):
            interactions[id] = nil
            return refuse(request, error)
        case .finish(let username, let scopes):
            interactions[id] = nil
            let since = browser.signedIn(username: username)?.since ?? now
            return approve(request, username: username, scopes: scopes, browser: interaction.browserSession, since: since)
        }
    }

    func approve(
        _ request: AuthorizationRequest, username: String, scopes: ScopeSet, browser: String?, since: Timestamp
    ) -> SandboxResponse {
        let authorization = Grants.Authorization(
            clientID: request.clientID, redirectURI: request.redirectURI, challenge: request.challenge, scopes: scopes,
            nonce: request.nonce, username: username, authenticatedAt: since, browserSession: browser,
            authenticationClass: request.authenticationClass ?? .password, resources: request.resources,
            keyThumbprint: request.keyThumbprint)
        switch request.responseTarget {
        case .redirect(let uri, let state):
            return respond(to: uri, state: state, parameters: [("code", grants.issueCode(for: authorization, now: now))])
        case .device(let code):
            grants.decide(deviceCode: code, .approved(authorization))
            return messagePage("Device connected", "You can close this page and return to the device.", status: 200)
        }
    }

    func refuse(_ request: AuthorizationRequest, _ error: OAuthError) -> SandboxResponse {
        switch request.responseTarget {
        case .redirect(let uri, let state): return respond(to: uri, state: state, parameters: Self.parameters(of: error))
        case .device(let code):
            grants.decide(deviceCode: code, .denied)
            return messagePage("Device not connected", "You can close this page.", status: 200)
        }
    }

    private static func parameters(of error: OAuthError) -> [(String, String)] {
        [("error", error.code), ("error_description", error.text)]
    }

    /// Returns the authorization response. Fault point: its parameters and how they are sent.
    private func respond(to redirectURI: String, state: String?, parameters: [(String, String)]) -> SandboxResponse {
        var parameters = parameters
        if let state { parameters.append(("state", state)) }
        if configuration.issuerParameter != .absent { parameters.append(("iss", issuer)) }
        let faults = faultSet.consumeFaults(CallbackFault.self, as: Fault.callback)
        parameters = faults.reduce(parameters) { $1.apply($0) }
        if faults.contains(.never) { return messagePage("Sign-in stopped", "The browser is not redirected.", status: 200) }
        if faults.contains(.post) { return postPage(to: redirectURI, parameters) }
        let joint = redirectURI.contains("?") ? "&" : "?"
        return .redirect(to: redirectURI + joint + FormEncoding.encode(parameters))
    }

    /// Returns the browser's session; creates one, with a cookie, if it has none.
    func browserSession(of request: SandboxRequest) -> (id: String, cookie: (name: String, value: String)?) {
        if let known = request.cookies(cookieName).first(where: { browsers[$0] != nil }) {
            browsers[known]?.expire(lifetime: configuration.lifetimes.browserSession, now: now)
            return (known, nil)
        }
        let id = Self.makeName()
        browsers[id] = BrowserSession()
        return (id, ("Set-Cookie", "\(cookieName)=\(id); Path=\(base.isEmpty ? "/" : base); HttpOnly; SameSite=Lax"))
    }

    /// Returns an interaction if this browser started it.
    func interaction(_ id: String, of request: SandboxRequest) -> Interaction? {
        guard let interaction = interactions[id], request.cookies(cookieName).contains(interaction.browserSession) else { return nil }
        return interaction
    }

    var expiredPage: SandboxResponse {
        messagePage("Page expired", "This sign-in was finished, or was started in another browser. Start it again.", status: 400)
    }

    func continuePage(_ id: String) -> SandboxResponse { .redirect(to: "\(base)/continue?interaction=\(id)") }
}
