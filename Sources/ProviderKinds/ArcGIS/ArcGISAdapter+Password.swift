internal import AuthEngine
internal import AuthModel
internal import OAuth

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
