import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// Kind `aws-sso`: AWS IAM Identity Center.
///
/// The sign-in is OAuth's code flow or device flow, in AWS's own form (``IdentityCenterWire``), with a client that each sign-in registers.
/// The session's token opens the portal, which lists the user's accounts and roles and issues temporary credentials of each role.
struct IdentityCenterAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let settings: IdentityCenterConfiguration
    let environment: EngineEnvironment

    var address: String { settings.startURL.text }

    var offersSignUp: Bool? { false }

    var hasBrowserSession: Bool { false }

    /// The tokens and the client belong to the service of a region, so a session of another one is not the provider's own.
    func isOwn(_ record: SessionRecord) -> Bool {
        record.identity.issuer == settings.startURL.text && IdentityCenterExtras(record.extras).isOf(settings)
    }

    func steps(of request: SignInRequest) -> [SignInStep] {
        request.purpose == .signIn ? [.discover, .open, .wait, .exchange, .seal] : []
    }

    // MARK: Requests

    func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        try await environment.transport.send(request, policy: TransportPolicy(caFile: configuration.caFile))
    }

    /// Returns the JSON object of an answer. Throws for any other answer.
    func read(_ answer: WebResponse, from host: String, when what: UserMessage) throws(AuthFailure) -> JSONValue {
        try answer.refuseRedirect(from: .verbatim(host), when: what)
        guard answer.status == 200 else {
            let refusal = ServiceRefusal(answer)
            guard (400..<500).contains(answer.status), answer.status != 429, refusal.code != "slow_down" else {
                throw AuthFailure(
                    .unavailable(retryAfter: answer.retryAfter(now: environment.time.now)),
                    UserMessage("http.refused_when", ["host": host, "action": what, "detail": refusal.line]),
                    hint: "hint.try_again_in_a_moment")
            }
            throw AuthFailure(
                .denied(code: refusal.code), UserMessage("http.refused_when", ["host": host, "action": what, "detail": refusal.line]),
                hint: "hint.aws_check_region")
        }
        guard let document = answer.document, document.members != nil else {
            throw AuthFailure.notJSON(from: host, when: what, hint: "hint.aws_check_region")
        }
        return document
    }

    /// The redirect URIs of this machine. The default is the one that AWS's own command line registers.
    var redirects: [RedirectRule] {
        let own = configuration.redirects.filter(\.redirectsToThisMachine)
        return own.isEmpty || own == [.standard] ? [RedirectRule(host: "127.0.0.1", port: nil, path: "/oauth/callback")] : own
    }

    /// Returns an adapter that makes the requests of OAuth as a registered client.
    private func oauth(_ registration: IdentityCenterRegistration) -> OpenIDAdapter {
        var plain = configuration
        plain.kind = .oauth2
        plain.clientID = registration.id
        plain.clientAuthentication = .none
        plain.scopes = []
        plain.resources = []
        plain.redirects = redirects
        plain.pushedRequests = .off
        plain.proofs = .off
        plain.extraParameters["scopes"] = Self.scope
        plain.dialect.tokenType = "Bearer"
        var environment = environment
        environment.transport = IdentityCenterWire(
            transport: environment.transport, registration: registration, startURL: settings.startURL)
        var adapter = OpenIDAdapter(configuration: plain, environment: environment)
        // AWS's command line sends no nonce. It is for ID tokens, and there are none.
        adapter.resolveAuthorizationURL = { url throws(AuthFailure) in url.removing(query: "nonce") ?? url }
        return adapter
    }

    private func metadata() throws(AuthFailure) -> ProviderMetadata {
        var metadata = ProviderMetadata()
        metadata.authorizationEndpoint = try settings.signInService("/authorize")
        metadata.tokenEndpoint = try settings.signInService("/token")
        metadata.deviceAuthorizationEndpoint = try settings.signInService("/device_authorization")
        return metadata
    }

    // MARK: Signing in

    func signIn(
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        guard request.purpose == .signIn else {
            throw AuthFailure(
                .configuration, UserMessage("sign_up.not_supported", ["provider": configuration.name]),
                hint: "hint.aws_contact_administrator")
        }
        let metadata = try metadata()
        let registration = try await attempt.step(.discover) { () async throws(AuthFailure) in try await register() }
        let adapter = oauth(registration)
        // What AWS does not know, it does not get.
        var asked = request
        asked.scopes = []
        asked.resources = []
        (asked.prompt, asked.loginHint, asked.acrValues, asked.maxAge, asked.claims) = (nil, nil, nil, nil, nil)
        let signIn = OpenIDSignIn(
            adapter: adapter, request: asked, metadata: metadata, prover: nil,
            prompt: try AuthorizationPrompt(request: asked, configuration: adapter.configuration, metadata: metadata), attempt: attempt)
        let outcome = try await signIn.run(try FlowChoice(asked, configuration: adapter.configuration, metadata: metadata))
        var tokens = try await attempt.step(.exchange) { () async throws(AuthFailure) in
            switch outcome {
            case .callback(let callback): try await adapter.redeem(callback, signIn: signIn).tokens
            case .tokens(let answer): answer.tokens
            }
        }
        if tokens.refreshToken != nil { tokens.refreshExpiresAt = registration.endsAt }
        // AWS does not say who signed in, so the account has the organisation's name unless the user chose one.
        let name = settings.startURL.origin.host.split(separator: ".").first.map(String.init)
        return .session(
            SignInResult(
                tokens: tokens, identity: Identity(issuer: settings.startURL.text, subject: ""), clientID: registration.id,
                extras: IdentityCenterExtras(registration, settings).json,
                warnings: tokens.refreshToken == nil ? [UserMessage("aws.no_refresh_token")] : [],
                label: settings.endpoint == nil ? name.flatMap(SessionName.label(from:)) : nil))
    }

    // MARK: Renewal

    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        guard let old = record.tokens, let refreshToken = old.refreshToken,
            let registration = IdentityCenterExtras(record.extras).registration(of: record.clientID)
        else {
            throw RenewalFailure(.noRefreshToken(of: record), .ended)
        }
        // This machine's clock alone ends no session: it may be wrong.
        guard registration.endsAt > environment.time.now else {
            throw RenewalFailure(
                AuthFailure(
                    .signInAgain, UserMessage("aws.registration_expired", ["session": record.summary.name]), hint: "hint.repeat_sign_in"),
                .kept)
        }
        let metadata: ProviderMetadata
        do throws(AuthFailure) { metadata = try self.metadata() } catch { throw RenewalFailure(error, .kept) }
        var tokens = try await oauth(registration).renewed(refreshToken, of: record, to: .session, old: old, metadata: metadata).tokens
        tokens.refreshExpiresAt = registration.endsAt
        return Renewal(tokens: tokens, idTokenClaims: nil, extras: record.extras)
    }

    // MARK: Sign-out

    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let tokens = record.tokens else { return [.nothing(.revokeAccessToken, reason: "sign_out.no_token_left")] }
        guard let endpoint = try? settings.portal("/logout") else { return [] }
        // A token that has expired ends no session; the refresh token then brings another one.
        var extras = IdentityCenterExtras(record.extras)
        extras.refreshToken = tokens.refreshToken
        return [.revoking(.revokeAccessToken, tokens.accessToken, of: record, at: endpoint, extras: extras.json)]
    }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) {
        guard try await !isSignedOut(revocation.token, at: revocation.endpoint) else { return }
        let extras = IdentityCenterExtras(revocation.extras)
        guard let refreshToken = extras.refreshToken, let registration = extras.registration(of: revocation.clientID),
            registration.endsAt > environment.time.now
        else { return }
        // The refresh token and the secret go to no other service than theirs.
        guard extras.isOf(settings), try settings.portal("/logout").origin == revocation.endpoint.origin else {
            throw AuthFailure(
                .configuration,
                UserMessage("provider.configuration_changed", ["provider": configuration.name, "session": revocation.session]),
                hint: UserMessage("hint.restore_configuration", ["provider": configuration.name]))
        }
        // Only a refusal means that the session has ended.
        let response = try await oauth(registration).ask(try metadata()) { (client) throws(OAuthError) in
            try TokenEndpoint.renew(refreshToken, at: try self.checkedMetadata(), client: client)
        }.response
        let token: Secret
        do {
            token = try TokenResponse.tokens(
                response, .renewal, host: revocation.endpoint.origin.authority, requested: [], dialect: ProviderDialect(),
                now: environment.time.now
            ).accessToken
        } catch {
            guard error.grantOutcome == .kept else { return }
            throw error.failure
        }
        _ = try await isSignedOut(token, at: revocation.endpoint)
    }

    private func checkedMetadata() throws(OAuthError) -> ProviderMetadata {
        do { return try metadata() } catch { throw OAuthError(.renewal, .noEndpoint(UserMessage("phrase.token_endpoint")), host: nil) }
    }

    /// Ends the session of a token. Returns whether the portal accepted the token.
    private func isSignedOut(_ token: Secret, at endpoint: WebURL) async throws(AuthFailure) -> Bool {
        let what = UserMessage("phrase.the_sign_out")
        let host = endpoint.origin.authority
        let answer = try await send(
            WebRequest(method: .post, url: endpoint, headers: [(Self.tokenField, token.reveal()), ("Accept", "application/json")]))
        if answer.status == 401 { return false }
        try answer.refuseRedirect(from: .verbatim(host), when: what)
        guard !(200..<300).contains(answer.status) else { return true }
        let refusal = ServiceRefusal(answer)
        throw AuthFailure(
            answer.status == 429 || answer.status >= 500 ? .unavailable(retryAfter: nil) : .denied(code: refusal.code),
            UserMessage("http.refused_when", ["host": host, "action": what, "detail": refusal.line]), hint: "hint.yett_retries_later")
    }

    var roleSource: (any RoleSource)? { self }
}

/// The data of a session other than its tokens, sealed together with them: the client that the sign-in registered.
struct IdentityCenterExtras {
    var clientSecret: Secret?
    var registrationEndsAt: Timestamp?
    /// The region and the endpoint of the service that registered the client.
    private var region: String?
    private var endpoint: String?
    /// Only in a queued sign-out.
    var refreshToken: Secret?

    init(_ registration: IdentityCenterRegistration, _ settings: IdentityCenterConfiguration) {
        (region, endpoint) = (settings.region, settings.endpoint?.text)
        clientSecret = registration.secret
        registrationEndsAt = registration.endsAt
    }

    init(_ extras: JSONValue) {
        clientSecret = extras["client_secret"]?.string.map { Secret($0) }
        registrationEndsAt = extras["registration_ends_at"]?.integer.map(Timestamp.init(milliseconds:))
        refreshToken = extras["refresh_token"]?.string.map { Secret($0) }
        (region, endpoint) = (extras["region"]?.string, extras["endpoint"]?.string)
    }

    /// Whether the client is one of this service.
    func isOf(_ settings: IdentityCenterConfiguration) -> Bool { region == settings.region && endpoint == settings.endpoint?.text }

    func registration(of client: String) -> IdentityCenterRegistration? {
        guard let clientSecret, let registrationEndsAt else { return nil }
        return IdentityCenterRegistration(id: client, secret: clientSecret, endsAt: registrationEndsAt)
    }

    var json: JSONValue {
        .present(
            ("client_secret", clientSecret.map { .string($0.reveal()) }),
            ("registration_ends_at", registrationEndsAt.map { .number($0.milliseconds) }),
            ("region", region.map { .string($0) }), ("endpoint", endpoint.map { .string($0) }),
            ("refresh_token", refreshToken.map { .string($0.reveal()) }))
    }
}
