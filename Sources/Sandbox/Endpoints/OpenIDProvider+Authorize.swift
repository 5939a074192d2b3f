import AuthModel

/// The authorization endpoint (RFC 6749 section 4.1.1, OpenID Connect Core section 3.1.2), and the authorization response.
extension OpenIDProvider {
    func authorize(_ request: SandboxRequest) -> SandboxResponse {
        let parameters = request.method == "POST" ? request.form : request.query
        let authorization: ReceivedAuthorization
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
            return refuse(authorization, ErrorReply("invalid_request", "the request must be pushed"))
        }
        if let username = autoApproves, user(username) != nil {
            return approve(authorization, username: username, scopes: authorization.scopes, browser: nil, since: now)
        }
        return begin(authorization, in: request)
    }

    /// Validates the parameters of an authorization request.
    func authorizationRequest(_ parameters: [(name: String, value: String)]) throws(AuthorizationRefusal) -> ReceivedAuthorization {
        try ReceivedAuthorization(
            parameters: parameters, client: client, offersPromptCreate: configuration.offersPromptCreate)
    }

    /// Starts an interaction and returns its first page, or its result.
    func begin(_ authorization: ReceivedAuthorization, in request: SandboxRequest) -> SandboxResponse {
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
        _ request: ReceivedAuthorization, username: String, scopes: ScopeSet, browser: String?, since: Timestamp
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

    func refuse(_ request: ReceivedAuthorization, _ error: ErrorReply) -> SandboxResponse {
        switch request.responseTarget {
        case .redirect(let uri, let state): return respond(to: uri, state: state, parameters: Self.parameters(of: error))
        case .device(let code):
            grants.decide(deviceCode: code, .denied)
            return messagePage("Device not connected", "You can close this page.", status: 200)
        }
    }

    private static func parameters(of error: ErrorReply) -> [(String, String)] {
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

/// An authorization request that a client pushed (RFC 9126): usable once, for a limited time.
struct PushedRequest: Sendable {
    var clientID: String
    var parameters: [(name: String, value: String)]
    var expiresAt: Timestamp
}

/// Pushed authorization requests (RFC 9126).
extension OpenIDProvider {
    func pushedAuthorization(_ request: SandboxRequest) -> SandboxResponse {
        guard configuration.pushedRequests != .off else { return .notFound }
        return answering(.pushed) {
            // Fault point: the response of the endpoint.
            let faults = faultSet.consumeFaults(PushedRequestFault.self, as: Fault.pushed)
            if let refusal = faults.lazy.compactMap(\.refusal).first { return refusal }
            do throws(ErrorReply) {
                let uri = try push(request)
                let lifetime = configuration.lifetimes.pushedRequest.wholeSeconds
                let honest = SandboxResponse.json(["request_uri": .string(uri), "expires_in": .number(lifetime)], status: 201)
                let answer = faults.reduce(honest) { $1.apply($0, elsewhere: elsewhere) }
                return withNonce(answer, of: .authorizationServer, isDemand: false)
            } catch {
                return refusal(error)
            }
        }
    }

    private func push(_ request: SandboxRequest) throws(ErrorReply) -> String {
        let client = try authenticatedClient(request)
        let key = try provedKey(request, by: .authorizationServer)
        // Client credentials belong to this request only.
        let credentials: Set = ["client_secret", "client_assertion", "client_assertion_type", "client_id"]
        var parameters = request.form.filter { !credentials.contains($0.name) } + [(name: "client_id", value: client.id)]
        // RFC 9449 section 10.1: the proof has the effect of dpop_jkt.
        if let key {
            let named = request.form.filter { $0.name == "dpop_jkt" }
            guard named.allSatisfy({ $0.value == key }) else {
                throw ErrorReply("invalid_dpop_proof", "dpop_jkt names another key than the proof")
            }
            if named.isEmpty { parameters.append((name: "dpop_jkt", value: key)) }
        }
        do throws(AuthorizationRefusal) {
            _ = try authorizationRequest(parameters)
        } catch {
            switch error {
            case .page(let text): throw ErrorReply("invalid_request", text)
            case .redirect(let error, _, _): throw error
            }
        }
        pushed = pushed.filter { now < $0.value.expiresAt }
        let uri = "urn:ietf:params:oauth:request_uri:" + Self.makeName()
        pushed[uri] = PushedRequest(clientID: client.id, parameters: parameters, expiresAt: now + configuration.lifetimes.pushedRequest)
        return uri
    }

    /// Returns the parameters of an authorization request; with a request_uri, only the pushed parameters (section 4).
    func resolvedParameters(_ parameters: [(name: String, value: String)]) throws(AuthorizationRefusal) -> [(name: String, value: String)] {
        guard configuration.pushedRequests != .off, parameters.contains(where: { $0.name == "request_uri" }) else { return parameters }
        guard let uri = SandboxRequest.single("request_uri", in: parameters), let request = pushed.removeValue(forKey: uri),
            now < request.expiresAt
        else { throw .page("This request_uri is unknown, was used before, or has expired.") }
        guard SandboxRequest.single("client_id", in: parameters) == request.clientID else {
            throw .page("This request_uri belongs to another client.")
        }
        return request.parameters
    }
}
