internal import AuthEngine
internal import AuthModel
internal import OAuth

extension ArcGISAdapter {
    func signIn(
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        .session(try await signedIn(request, attempt: attempt))
    }

    /// Runs one sign-in, and returns its session.
    func signedIn(_ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> SignInResult {
        guard request.purpose == .signIn else {
            throw AuthFailure(
                .configuration, UserMessage("arcgis.create_accounts_at_portal", ["host": host]),
                hint: UserMessage("hint.open_in_browser", ["url": settings.portal]))
        }
        let place = server(named: request).flatMap(ArcGISAddress.root) ?? settings.portal
        return try await allowingCertificate(place, request, attempt: attempt).signInAtTrustedServer(request, attempt: attempt)
    }

    /// Signs in after the certificate of the server has been checked.
    private func signInAtTrustedServer(_ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> SignInResult {
        if let asked = server(named: request) { return try await signIn(toServerOf: asked, request, attempt: attempt) }
        guard hasClient else { return try await signInWithPassword(.portal(self), request, attempt: attempt) }
        let social = try await chosenProvider(request, attempt: attempt)
        let (callback, redirectURI) = try await browserAnswer(request, social: social, attempt: attempt)
        var tokens = try await attempt.step(.exchange) { () async throws(AuthFailure) in try await redeemed(callback) }
        tokens.receivedAt = environment.time.now
        let settled = tokens
        let user = try await attempt.step(.verify) { () async throws(AuthFailure) in try await self.user(settled.accessToken) }
        var extras = ArcGISExtras()
        extras.refreshIssuedAt = tokens.refreshToken == nil ? nil : environment.time.now
        extras.redirectURI = redirectURI
        extras.portal = settings.portal.text
        extras.allowed = allowed
        return SignInResult(
            tokens: tokens, identity: identity(user), clientID: configuration.clientID, extras: extras.json,
            warnings: trustWarnings + (tokens.refreshToken == nil ? [UserMessage("arcgis.portal_gave_no_refresh_token")] : []))
    }

    /// Returns the URL beside the portal that the sign-in is for; `nil` if it is for the portal itself.
    func server(named request: SignInRequest) -> WebURL? {
        request.resources.first.flatMap(WebURL.init).flatMap { ArcGISAddress.isPortal($0, settings.portal) ? nil : $0 }
    }

    // MARK: Browser sign-in

    private static let fieldID = "idp"

    /// Returns the identity provider that the user chooses; `nil` for the portal's own page, which also accepts accounts of the
    /// organisation.
    private func chosenProvider(_ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> String? {
        guard !settings.socialProviders.isEmpty || request.answers[Self.fieldID] != nil else { return nil }
        let own = SignInForm.Choice("", title: "form.arcgis_own_account")
        let form = SignInForm(
            title: UserMessage("form.sign_in_to", ["provider": host]),
            fields: [
                .init(
                    id: Self.fieldID, label: "form.identity_provider",
                    kind: .choice(
                        [own] + settings.socialProviders.map { .init($0, title: .verbatim($0.prefix(1).uppercased() + $0.dropFirst())) }),
                    isRequired: false, suggestion: "")
            ])
        let answer = try await attempt.ask(form, given: request)[Self.fieldID]?.reveal() ?? ""
        return answer.isEmpty ? nil : answer
    }

    private func browserAnswer(
        _ request: SignInRequest, social: String?, attempt: AttemptChannel
    ) async throws(AuthFailure) -> (callback: ValidatedCallback, redirectURI: String) {
        var metadata = ProviderMetadata()
        metadata.authorizationEndpoint = try rest(social == nil ? "/oauth2/authorize" : "/oauth2/social/authorize")
        metadata.tokenEndpoint = try rest("/oauth2/token")
        var plain = configuration
        plain.kind = .oauth2
        plain.scopes = []
        plain.extraParameters.merge(parameters(social: social)) { $1 }
        var asked = request
        asked.scopes = []
        asked.resources = []
        let choice = try FlowChoice(asked, configuration: plain, metadata: metadata)
        let signIn = OpenIDSignIn(
            adapter: OpenIDAdapter(configuration: plain, environment: environment), request: asked, metadata: metadata, prover: nil,
            prompt: try AuthorizationPrompt(request: asked, configuration: plain, metadata: metadata), attempt: attempt)
        guard case .callback(let callback) = try await signIn.run(choice) else {
            throw AuthFailure(.bug, UserMessage("arcgis.sign_in_without_code", ["host": host]))
        }
        return (callback, callback.pending.redirectURI)
    }

    /// Returns the ArcGIS parameters of the authorization request, in addition to those of OAuth.
    private func parameters(social: String?) -> [String: String] {
        var parameters: [String: String] = [:]
        switch settings.refreshMinutes {
        case nil, 0: break
        // The most that a portal allows: 90 days.
        case -1: parameters["expiration"] = "129600"
        case let minutes?: parameters["expiration"] = String(minutes)
        }
        parameters["locale"] = settings.locale
        parameters["style"] = settings.style?.rawValue
        if let social {
            parameters["socialLoginProviderName"] = social
            parameters["autoAccountCreateForSocial"] = "true"
        }
        return parameters
    }

    private func redeemed(_ callback: ValidatedCallback) async throws(AuthFailure) -> TokenSet {
        let what = UserMessage("phrase.redeeming_code")
        var metadata = ProviderMetadata()
        metadata.authorizationEndpoint = callback.pending.authorizationEndpoint
        metadata.tokenEndpoint = try rest("/oauth2/token")
        var request: WebRequest
        do {
            request = try TokenEndpoint.exchange(callback, at: metadata, client: OAuthClient(id: configuration.clientID, credential: .none))
        } catch {
            throw error.failure
        }
        request.body += Array("&f=json".utf8)
        switch try ArcGISAnswer.read(try await send(request), from: host, when: what) {
        case .success(let document): return try tokens(in: document, old: nil, when: what)
        case .failure(let fault): throw fault.failure(host, when: what)
        }
    }

    /// Returns the tokens of an answer. If it has no refresh token, that of `old` is kept.
    func tokens(in document: JSONValue, old: TokenSet?, when what: UserMessage) throws(AuthFailure) -> TokenSet {
        guard let token = document["access_token"]?.string, !token.isEmpty else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("arcgis.no_access_token_when", ["host": host, "purpose": what]),
                hint: "hint.contact_its_administrator")
        }
        guard Secret(token).isTokenText else { throw invalidToken(when: what) }
        let now = environment.time.now
        func end(_ name: String) -> Timestamp? {
            document[name]?.double.map { now + .seconds(Int64(min(max($0, 0), 3_155_760_000))) }
        }
        let refresh = document["refresh_token"]?.string.map { Secret($0) }
        return TokenSet(
            accessToken: Secret(token), tokenType: "Bearer", accessExpiresAt: end("expires_in"), refreshToken: refresh ?? old?.refreshToken,
            refreshExpiresAt: refresh == nil ? old?.refreshExpiresAt : end("refresh_token_expires_in"), idToken: nil, scopes: [],
            receivedAt: now)
    }

    func invalidToken(when what: UserMessage) -> AuthFailure {
        AuthFailure(
            .security, UserMessage("arcgis.token_invalid_characters", ["host": host, "purpose": what]),
            hint: "hint.contact_its_administrator")
    }

    // MARK: The user

    /// Fetches the user that a token of the portal belongs to.
    func user(_ token: Secret, referer: String? = nil) async throws(AuthFailure) -> JSONValue {
        let what = UserMessage("phrase.arcgis_getting_user_name")
        var headers: [(name: String, value: String)] = [("Accept", "application/json"), ("Authorization", "Bearer \(token.reveal())")]
        if let referer { headers.append(("Referer", referer)) }
        let answer = try await send(WebRequest(method: .get, url: try rest("/portals/self?f=json"), headers: headers))
        switch try ArcGISAnswer.read(answer, from: host, when: what) {
        case .failure(let fault): throw fault.failure(host, when: what)
        case .success(let portal):
            guard let user = portal["user"], let name = user["username"]?.string, !name.isEmpty else {
                throw AuthFailure(
                    .denied(code: nil), UserMessage("arcgis.user_not_identified", ["host": host]),
                    hint: "hint.arcgis_sign_in_as_organisation_user")
            }
            return user
        }
    }

    func identity(_ user: JSONValue) -> Identity {
        let name = user["username"]?.string ?? ""
        let more: [JSONValue.Member] = [.init("preferred_username", .string(name))] + (user["fullName"].map { [.init("name", $0)] } ?? [])
        return Identity(
            issuer: settings.portal.text, subject: name,
            userInfo: .object((user.members ?? []).filter { member in !more.contains { $0.name == member.name } } + more))
    }
}

/// Sign-in with user name and password: at a portal without a registered application (`client_id`), or at a stand-alone server.
extension ArcGISAdapter {
    /// The token service that a password is sent to, and whether its tokens are for the portal.
    struct PasswordEndpoint {
        /// The portal or server.
        var root: WebURL
        var tokenService: WebURL
        var isPortal: Bool

        static func portal(_ adapter: ArcGISAdapter) throws(AuthFailure) -> PasswordEndpoint {
            PasswordEndpoint(root: adapter.settings.portal, tokenService: try adapter.rest("/generateToken"), isPortal: true)
        }
    }

    /// The maximum number of passwords that the user may try.
    private static let tries = 5

    func signIn(
        toServerOf url: WebURL, _ request: SignInRequest, attempt: AttemptChannel
    ) async throws(AuthFailure) -> SignInResult {
        let server = try await attempt.step(.discover) { () async throws(AuthFailure) in try await self.server(of: url) }
        switch server.federation {
        case .here:
            var portal = request
            portal.resources = []
            return try await signedIn(portal, attempt: attempt)
        case .elsewhere(let owner): throw belongsToOtherPortal(server.root, owner)
        case .none(let service):
            guard let service else { throw noTokenService(server.root) }
            // Send the password only to the host that the form names.
            guard service.origin == server.root.origin else {
                throw AuthFailure(
                    .security,
                    UserMessage(
                        "arcgis.password_sent_elsewhere", ["host": server.root.origin.authority, "target": service.origin.authority]),
                    hint: "hint.arcgis_add_provider_for_server")
            }
            let place = PasswordEndpoint(root: server.root, tokenService: service, isPortal: false)
            return try await signInWithPassword(place, request, attempt: attempt)
        }
    }

    func signInWithPassword(
        _ place: PasswordEndpoint, _ request: SignInRequest, attempt: AttemptChannel
    ) async throws(AuthFailure) -> SignInResult {
        let host = place.root.origin.authority
        attempt.report(.hosts(authorization: host, token: place.tokenService.origin.authority))
        var form = SignInForm(
            title: UserMessage("form.arcgis_sign_in_required", ["host": host]),
            fields: [
                .init(id: "username", label: "form.user_name", kind: .text, suggestion: request.loginHint),
                .init(id: "password", label: "form.password", kind: .secret),
            ])
        var given = request
        for remaining in (0..<Self.tries).reversed() {
            let asked = form
            let asking = given
            let answers = try await attempt.step(.wait) { () async throws(AuthFailure) in try await attempt.ask(asked, given: asking) }
            let username = answers["username"]?.reveal() ?? ""
            let referer = settings.portal.origin.description
            let outcome = try await attempt.step(.exchange) { () async throws(AuthFailure) in
                try await post(
                    place.tokenService,
                    [
                        ("username", username), ("password", answers["password"]?.reveal() ?? ""), ("client", "referer"),
                        ("referer", referer), ("expiration", "60"),
                    ], when: "phrase.checking_password")
            }
            switch outcome {
            case .success(let document):
                return try await result(document, username: username, referer: referer, at: place, attempt: attempt)
            case .failure(let fault):
                let failure = fault.failure(host, when: "phrase.checking_password")
                // A password that came with the request would be refused again.
                guard fault.code == 400, remaining > 0, asking.answers["password"] == nil else { throw failure }
                form.refusal = failure
                form.fields[0].suggestion = username
                given.answers = [:]
            }
        }
        throw AuthFailure(.bug, "form.too_many_password_attempts")
    }

    private func result(
        _ document: JSONValue, username: String, referer: String, at place: PasswordEndpoint, attempt: AttemptChannel
    ) async throws(AuthFailure) -> SignInResult {
        guard let text = document["token"]?.string, !text.isEmpty else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("arcgis.no_token_for_password", ["host": place.root.origin.authority]),
                hint: "hint.contact_its_administrator")
        }
        let token = Secret(text)
        guard token.isTokenText else { throw invalidToken(when: "phrase.checking_password") }
        var extras = ArcGISExtras()
        extras.referer = referer
        extras.portal = settings.portal.text
        extras.allowed = allowed
        let tokens = TokenSet(
            accessToken: token, tokenType: "Bearer", accessExpiresAt: document["expires"]?.integer.map(Timestamp.init(milliseconds:)),
            refreshToken: nil, refreshExpiresAt: nil, idToken: nil, scopes: [], receivedAt: environment.time.now)
        let identity: Identity
        var label: String?
        if place.isPortal {
            let user = try await attempt.step(.verify) { () async throws(AuthFailure) in try await self.user(token, referer: referer) }
            identity = self.identity(user)
        } else {
            // The same user name may exist at several servers.
            let name = "\(username)@\(place.root.origin.host)"
            label = SessionName.label(from: name)
            identity = Identity(
                issuer: place.root.text, subject: username,
                userInfo: ["username": .string(username), "preferred_username": .string(name)])
        }
        return SignInResult(
            tokens: tokens, identity: identity, clientID: configuration.clientID, extras: extras.json,
            warnings: trustWarnings + [UserMessage("arcgis.token_needs_referer", ["referer": referer])], label: label)
    }
}
