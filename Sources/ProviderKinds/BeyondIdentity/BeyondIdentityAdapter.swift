internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// Kind `beyond-identity`: an app with a backend, which alone holds the client secret. Either the backend performs the whole sign-in and
/// sends the browser back with parameters of its own, or Yett receives the code and passes it to the backend.
///
/// The result is an opaque session. It is stored and issued, and nothing is known of it except the data that came with it.
struct BeyondIdentityAdapter: ProviderAdapter, SessionIntrospection {
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    let settings: BeyondIdentityConfiguration

    /// The token type of sessions that are not OAuth tokens.
    static let opaque = "opaque"

    var address: String {
        switch settings.mode {
        case .mediated(let page): page.url(returningTo: "http://127.0.0.1")?.origin.description ?? configuration.name.text
        case .direct(let direct): (configuration.endpoints.authorization ?? direct.exchange).origin.description
        }
    }

    func isOwn(_ record: SessionRecord) -> Bool { record.identity.issuer.hasSameBytes(as: address) }

    func askedFields(_ purpose: SignInRequest.Purpose) -> Set<String> {
        switch (purpose, settings.signUp) {
        case (.recover, _): ["email"]
        case (.signUp, .form(_, let body)?): Set(SignUpBody.Place.allCases.filter(body.asks).map(\.rawValue))
        case (.signUp, .browser?), (.signUp, nil), (.signIn, _): []
        }
    }

    func steps(of request: SignInRequest) -> [SignInStep] {
        switch (request.purpose, settings.signUp, settings.mode) {
        case (.recover, _, _): [.recover]
        case (.signUp, .form?, _): [.signUp]
        // The page in the browser does the rest.
        case (.signUp, _, _): []
        case (.signIn, _, .mediated): [.open, .wait] + verification + [.seal]
        case (.signIn, _, .direct): [.open, .wait, .exchange] + verification + [.seal]
        }
    }

    private var verification: [SignInStep] { settings.sessionCheck == nil ? [] : [.verify] }

    var offersSignUp: Bool? { settings.signUp != nil }

    var recovers: Bool { settings.recovery != nil }

    func canRenew(_ tokens: TokenSet) -> Bool { false }

    func signIn(_ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions) async throws(AuthFailure) -> SignInOutcome {
        if let page = settings.download { attempt.report(.authenticator(page: page)) }
        switch request.purpose {
        case .signIn: break
        case .signUp: return .noSession(try await signUp(request, attempt: attempt))
        case .recover: return .noSession(try await recover(request, attempt: attempt))
        }
        switch settings.mode {
        case .mediated(let page): return .session(try await mediated(page, request, attempt))
        case .direct(let direct): return .session(try await self.direct(direct, request, attempt))
        }
    }

    // MARK: Sign-in by the backend

    private func mediated(
        _ page: BeyondIdentityConfiguration.BackendSignIn, _ request: SignInRequest, _ attempt: AttemptChannel
    ) async throws(AuthFailure) -> SignInResult {
        guard [.auto, .browser].contains(request.flow) else {
            throw AuthFailure(
                .configuration, UserMessage("beyond_identity.only_browser", ["provider": configuration.name]), hint: "hint.use_flow_browser"
            )
        }
        let timeout = request.timeout ?? configuration.loginTimeout
        let deadline = environment.time.bootTime + timeout
        let flow = try await attempt.step(.open) { () async throws(AuthFailure) in
            attempt.report(.hosts(authorization: host, token: host))
            attempt.report(.deadline(environment.time.now + timeout))
            return try await CaptureFlow.open(page, rules: configuration.redirects, port: request.port, attempt: attempt)
        }
        let race = FlowRace<CaptureFlow.Outcome>(flows: [flow], deadline: deadline, time: environment.time, attempt: attempt)
        let captured: CaptureFlow.Outcome
        do throws(AuthFailure) {
            captured = try await attempt.step(.wait) { () async throws(AuthFailure) in try await race.run() }
        } catch {
            await attempt.pastes.close()
            throw error
        }
        await attempt.pastes.close()
        guard let session = page.capture.first.flatMap({ captured[$0] }) else {
            throw AuthFailure(.bug, "beyond_identity.sign_in_without_response")
        }
        let claims = captured.filter { Self.claims.contains($0.key) }.sorted { $0.key < $1.key }
        let info = JSONValue.object(claims.map { .init($0.key, .string($0.value.reveal())) })
        var result = try await result(session, lifetime: captured["expires_in"].flatMap { Int64($0.reveal()) }, info: info, attempt)
        if !page.takesState, page.path == .exact, settings.sessionCheck == nil {
            result.warnings.append(UserMessage("beyond_identity.answer_may_not_belong"))
        }
        return result
    }

    /// The callback parameters that identify the user.
    private static let claims: Set<String> = ["sub", "id", "email", "name", "preferred_username"]

    private var host: String { WebURL(address)?.origin.authority ?? address }

    // MARK: Sign-in with a code for the backend

    private func direct(
        _ direct: BeyondIdentityConfiguration.Direct, _ request: SignInRequest, _ attempt: AttemptChannel
    ) async throws(AuthFailure) -> SignInResult {
        var plain = configuration
        plain.kind = .oauth2
        plain.endpoints.token = nil
        let adapter = OpenIDAdapter(configuration: plain, environment: environment)
        let metadata = ProviderMetadata(plain.endpoints)
        let choice = try FlowChoice(request, configuration: plain, metadata: metadata)
        let signIn = OpenIDSignIn(
            adapter: adapter, request: request, metadata: metadata, prover: nil,
            prompt: try AuthorizationPrompt(request: request, configuration: plain, metadata: metadata), attempt: attempt)
        guard case .callback(let callback) = try await signIn.run(choice) else {
            throw AuthFailure(.bug, "beyond_identity.sign_in_without_code")
        }
        let answer = try await attempt.step(.exchange) { () async throws(AuthFailure) in
            try await ask(BackendExchange.request(callback, to: direct.exchange), "phrase.exchange_code")
        }
        guard let answer else {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("beyond_identity.exchange_answer_not_json", ["host": direct.exchange.origin.authority]),
                hint: "hint.beyond_identity_check_exchange_url")
        }
        guard let session = answer[pointer: direct.session]?.string, !session.isEmpty else {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("beyond_identity.response_without_session", ["host": direct.exchange.origin.authority]),
                hint: UserMessage("hint.beyond_identity_check_session_pointer", ["pointer": direct.session]))
        }
        return try await result(
            Secret(session), lifetime: answer[pointer: direct.lifetime]?.integer, info: answer[pointer: direct.user] ?? .object([]), attempt
        )
    }

    // MARK: The session

    /// Makes the result of the sign-in. Throws `.security` if the session is not the text of a token, and so cannot be sent in a header
    /// field (RFC 6750 section 2.1).
    private func result(
        _ session: Secret, lifetime: Int64?, info: JSONValue, _ attempt: AttemptChannel
    ) async throws(AuthFailure) -> SignInResult {
        guard session.isTokenText else {
            throw AuthFailure(
                .security, "beyond_identity.session_invalid_characters",
                hint: UserMessage("hint.beyond_identity_contact_backend", ["host": host]))
        }
        var info = info.members == nil ? .object([]) : info
        var lifetime = lifetime
        if settings.sessionCheck != nil {
            let word = try await attempt.step(.verify) { () async throws(AuthFailure) in try await told(of: session) }
            info = info.merged(with: word)
            lifetime = lifetime ?? word["expires_in"]?.integer
        }
        let now = environment.time.now
        let end = lifetime.flatMap { (1...315_360_000).contains($0) ? now + .seconds($0) : nil }
        let subject = ["sub", "id", "email"].lazy.compactMap { info[$0]?.string }.first { !$0.isEmpty }
        var warnings = [UserMessage("beyond_identity.opaque_session")]
        if end == nil { warnings.append(UserMessage("beyond_identity.session_end_unknown")) }
        return SignInResult(
            tokens: TokenSet(
                accessToken: session, tokenType: Self.opaque, accessExpiresAt: end, refreshToken: nil, refreshExpiresAt: nil, idToken: nil,
                scopes: [], receivedAt: now),
            identity: Identity(issuer: address, subject: subject ?? "", userInfo: info),
            clientID: configuration.clientID, warnings: warnings)
    }

    func renew(_ record: SessionRecord, sessions: BaseSessions) async throws(RenewalFailure) -> Renewal {
        throw RenewalFailure(
            AuthFailure(
                .signInAgain, UserMessage("beyond_identity.session_not_renewable", ["session": record.summary.name]),
                hint: UserMessage("hint.sign_in_again", ["provider": configuration.name])), .kept)
    }

    var revokes: Bool { settings.signOut != nil }

    var hasBrowserSession: Bool { false }

    func revocations(for record: SessionRecord) async -> [RevocationStep] {
        guard let url = settings.signOut, isOwn(record) else {
            return [.nothing(.revokeAccessToken, reason: "phrase.backend_cannot_end_session")]
        }
        guard let tokens = record.tokens else { return [.nothing(.revokeAccessToken, reason: "phrase.session_already_ended")] }
        return [.revoking(.revokeAccessToken, tokens.accessToken, of: record, at: url)]
    }

    func revoke(_ revocation: QueuedRevocation) async throws(AuthFailure) { try await signOut(revocation.token, at: revocation.endpoint) }
}

extension JSONValue {
    /// Returns an object that has the members of another one as well. They replace its own members of the same name.
    fileprivate func merged(with other: JSONValue) -> JSONValue {
        let members = other.members ?? []
        return .object((self.members ?? []).filter { own in !members.contains { $0.name == own.name } } + members)
    }

    /// The value at a JSON pointer (RFC 6901) that goes through objects.
    fileprivate subscript(pointer text: String) -> JSONValue? {
        var value: JSONValue? = self
        for part in text.split(separator: "/") { value = value?[String(part)] }
        return value
    }
}
