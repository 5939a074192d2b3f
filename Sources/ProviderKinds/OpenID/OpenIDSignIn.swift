import AuthEngine
import AuthModel
import OAuth

/// One sign-in at an OpenID Connect or OAuth 2 provider: the data that its flows share, and the code that runs them at the same time.
struct OpenIDSignIn: Sendable {
    let adapter: OpenIDAdapter
    let request: SignInRequest
    let metadata: ProviderMetadata
    /// The key to bind the session's tokens to; `nil` if they are not bound.
    let prover: ProofSigner?
    let prompt: AuthorizationPrompt
    let attempt: AttemptChannel

    var configuration: ProviderConfiguration { adapter.configuration }
    var time: any TimeSource { adapter.environment.time }
    var scopes: ScopeSet { request.scopes.isEmpty ? configuration.scopes : request.scopes }
    /// The resources that the tokens are for (RFC 8707).
    var resources: [String] { request.resources.isEmpty ? configuration.resources : request.resources }
    /// Those that requests name.
    var namedResources: [String] { configuration.dialect.resourceParameter == .sent ? resources : [] }

    /// The endpoint that gets the tokens for a device code.
    var deviceTokenEndpoint: WebURL? { configuration.dialect.device.tokenEndpoint ?? metadata.tokenEndpoint }

    /// The authentication context classes, one of which is required (`acr_values`); empty: any.
    var contextClasses: [String] { (request.acrValues ?? "").split(separator: " ").map(String.init) }

    /// Opens all chosen flows, and waits for the first to succeed.
    func run(_ choice: FlowChoice) async throws(AuthFailure) -> FlowOutcome {
        let timeout = request.timeout ?? configuration.loginTimeout
        let deadline = time.bootTime + timeout
        let flows = try await attempt.step(.open) { () async throws(AuthFailure) in
            // A device flow names its page itself.
            if choice.browser || choice.manual { reportHosts(metadata.authorizationEndpoint, tokens: metadata.tokenEndpoint) }
            attempt.report(.deadline(time.now + timeout))
            return try await open(choice)
        }
        let race = FlowRace(
            flows: flows, deadline: deadline, time: time, attempt: attempt, openDevice: choice.device ? openDevice : nil,
            deviceDelay: choice.deviceJoinsOtherFlows ? adapter.environment.limits.deviceCodeDelay : nil)
        do throws(AuthFailure) {
            let outcome = try await attempt.step(.wait) { () async throws(AuthFailure) in try await race.run() }
            await closeReceivers()
            return outcome
        } catch {
            await closeReceivers()
            throw error
        }
    }

    @Sendable private func openDevice() async throws(AuthFailure) -> any SignInFlow<FlowOutcome> { try await DeviceFlow.open(in: self) }

    /// Reports where the user signs in, and where the tokens come from.
    func reportHosts(_ page: WebURL?, tokens: WebURL?) {
        let host = (page ?? tokens)?.origin.authority ?? adapter.address
        attempt.report(.hosts(authorization: host, token: tokens?.origin.authority ?? host))
    }

    /// Throws `.security` if nothing says that a page, or an endpoint that leads to one, belongs to the endpoint that gets the tokens, and
    /// both to the issuer.
    ///
    /// - Parameter endpoint: the endpoint that named the page in its response; `nil` for a page of the metadata.
    func requireSite(of page: WebURL?, namedBy endpoint: WebURL? = nil, tokens: WebURL?) throws(AuthFailure) {
        guard let page, let tokens else { return }
        try SignInSites(configuration, isKnown: adapter.environment.knowsSites).require(
            page, namedBy: endpoint, tokens: tokens, at: metadata)
    }

    private func closeReceivers() async {
        await attempt.pastes.close()
        await attempt.deviceCodes.close(.signInHasEnded)
    }

    private func open(_ choice: FlowChoice) async throws(AuthFailure) -> [any SignInFlow<FlowOutcome>] {
        // Before the user sees the other methods and can ask for a code.
        if let obstacle = choice.deviceObstacle { await attempt.deviceCodes.close(obstacle) }
        var flows: [any SignInFlow<FlowOutcome>] = []
        if choice.browser { flows.append(try await BrowserFlow.open(in: self)) }
        if choice.manual { flows.append(try await ManualFlow.open(in: self)) }
        guard choice.device else { return flows }
        // A device flow that joins others is opened later. If it is the only flow, its failure ends the attempt.
        if !choice.deviceJoinsOtherFlows { flows.append(try await DeviceFlow.open(in: self, isOnlyFlow: true)) }
        await attempt.deviceCodes.setOffer(choice.deviceJoinsOtherFlows ? .requested : .open)
        return flows
    }

    // MARK: Shared by the browser flow and the manual flow

    /// Prepares the authorization request for a redirect URI, or for the service's name of it, and pushes it to the provider if required
    /// (RFC 9126). The browser then carries only a reference.
    func prepareAuthorization(redirectURI: String) async throws(AuthFailure) -> PreparedSignIn {
        var authorization = AuthorizationRequest(
            clientID: configuration.clientID, redirectURI: configuration.dialect.redirectName ?? redirectURI, scopes: scopes,
            dialect: configuration.dialect)
        authorization.prompt = prompt.parameter
        authorization.loginHint = request.loginHint
        authorization.maxAge = request.maxAge
        authorization.acrValues = request.acrValues
        authorization.uiLocales = request.uiLocales
        authorization.resources = namedResources
        authorization.dpopKeyThumbprint = prover?.key.thumbprint
        authorization.claims = request.claims
        authorization.extraParameters = configuration.extraParameters
        // The redirect addresses of a client metadata document are the same at every provider, and so is the one of clients that an older
        // version registered where the provider named itself in its responses. A provider that does not could obtain another provider's
        // code (RFC 9700 section 4.4).
        authorization.requiresIssuer =
            ClientIDDocument.url(configuration.clientID) != nil
            || configuration.registeredScopes != nil && configuration.redirects == [.standard]
        var random = SystemRandomNumberGenerator()
        let prepared: AuthorizationRequest.Prepared
        let isPushed: Bool
        do {
            prepared = try authorization.prepare(for: metadata, using: &random)
            isPushed = try PushedAuthorization.isUsed(configuration.pushedRequests, at: metadata)
        } catch {
            throw error.failure
        }
        try requireSite(of: prepared.url, tokens: metadata.tokenEndpoint)
        if isPushed { try requireSite(of: metadata.pushedAuthorizationEndpoint, tokens: metadata.tokenEndpoint) }
        let reference = isPushed ? try await reference(to: prepared) : nil
        let url = reference?.url ?? prepared.url
        return PreparedSignIn(
            url: try await adapter.resolveAuthorizationURL?(url) ?? url, pending: prepared.pending, lifetime: reference?.lifetime)
    }

    /// An authorization request that is ready for the browser.
    struct PreparedSignIn {
        var url: WebURL
        /// The data to check the answer against.
        var pending: PendingAuthorization
        /// The lifetime of the pushed request; `nil` if it was not pushed.
        var lifetime: Duration?
    }

    /// Warns the user when the pushed request has expired (RFC 9126 section 2.2). A browser that opens its URL later shows an error without
    /// an explanation.
    func warnWhenExpired(_ lifetime: Duration?) async {
        guard let lifetime, (try? await time.sleep(until: time.bootTime + lifetime)) != nil else { return }
        attempt.report(
            .warning(UserMessage("sign_in.address_expires", ["seconds": lifetime.wholeSeconds])))
    }

    /// Pushes an authorization request to the provider, and returns the reference for the browser.
    private func reference(to prepared: AuthorizationRequest.Prepared) async throws(AuthFailure) -> PushedAuthorization.Reference {
        let response = try await adapter.ask(metadata, proving: prover) { (client) throws(OAuthError) in
            try PushedAuthorization.request(prepared, at: metadata, client: client)
        }.response
        do {
            let host = metadata.pushedAuthorizationEndpoint?.origin.authority
            return try PushedAuthorization.reference(response, for: prepared, host: host, now: time.now)
        } catch {
            var failure = adapter.failure(error, proving: prover)
            if configuration.pushedRequests == .auto, configuration.registeredScopes == nil, !metadata.requiresPushedRequests,
                error.refusesClientHere
            {
                failure.hint = UserMessage("hint.par_off", ["provider": configuration.name])
            }
            throw failure
        }
    }

    /// Reports the URL for the browser; if the user wants a new account, the sign-up page comes first.
    func reportBrowser(_ url: WebURL, redirect: String) {
        if let page = prompt.signUpPage { attempt.report(.available(.signUpPage(page))) }
        attempt.report(.available(.browser(url: url, redirect: redirect)))
    }
}

/// The start of an authorization request: signing in, or creating an account.
struct AuthorizationPrompt {
    /// The `prompt` parameter of the request.
    var parameter: String?
    /// A page on which to create an account first, for a provider that does not support `prompt=create`.
    var signUpPage: WebURL?

    /// Chooses the prompt.
    ///
    /// - Throws: `.configuration` if the user wants a new account and the provider has no known way to create one.
    init(request: SignInRequest, configuration: ProviderConfiguration, metadata: ProviderMetadata) throws(AuthFailure) {
        parameter = request.prompt
        guard request.purpose == .signUp else { return }
        if metadata.offersAccountCreation == true {
            parameter = "create"
        } else if let page = configuration.signUpURL {
            signUpPage = page
        } else {
            throw AuthFailure(
                .configuration, UserMessage("sign_up.not_supported", ["provider": configuration.name]),
                hint: UserMessage("hint.set_sign_up_url", ["provider": configuration.name]))
        }
    }
}

extension OpenIDAdapter {
    func signIn(
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> SignInOutcome {
        .session(try await signedIn(request, attempt: attempt))
    }

    /// Runs one sign-in, and returns its session.
    func signedIn(_ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> SignInResult {
        let start = environment.time.now
        let metadata = try await attempt.step(.discover) { () async throws(AuthFailure) in try await documents.metadata() }
        let source = await documents.source
        // Beside the sign-in, so that the browser does not wait for it. Cancelled when the sign-in ends.
        async let _: Void = reportUnreachable(since: start, attempt: attempt)
        do throws(AuthFailure) {
            return try await signedIn(request, attempt: attempt, at: metadata)
        } catch {
            throw await documents.naming(hinting(error, after: request), from: source)
        }
    }

    /// Reports a provider that does not answer any more. With cached metadata, nothing else would show that before the deadline.
    private func reportUnreachable(since start: Timestamp, attempt: AttemptChannel) async {
        do throws(AuthFailure) {
            try await documents.confirm(since: start)
        } catch {
            if !Task.isCancelled { attempt.report(.stepFailed(.discover, error)) }
        }
    }

    /// Returns the failure of a sign-in with the hint that fits its request.
    private func hinting(_ failure: AuthFailure, after request: SignInRequest) -> AuthFailure {
        var failure = failure
        switch failure.kind {
        case .denied(let code?) where request.prompt == "none" && Self.needsUser.contains(code):
            failure.hint = "hint.sign_in_without_prompt_none"
        // A server that does not know the client says so to the user in the browser, and nothing to Yett.
        case .timedOut where configuration.registeredScopes != nil:
            failure.hint = UserMessage("hint.sign_in_again_or_register", ["provider": configuration.name])
        // A client that was registered by hand may have fewer scopes than the resource lists.
        case .timedOut where !configuration.resources.isEmpty:
            let fewer = UserMessage("hint.fewer_scopes", ["provider": configuration.name])
            failure.hint = .list([failure.hint, fewer].compactMap(\.self), by: .semicolon)
        default: break
        }
        return failure
    }

    /// The answers of a provider that may not ask the user (OpenID Connect Core section 3.1.2.6).
    private static let needsUser: Set = ["account_selection_required", "consent_required", "interaction_required", "login_required"]

    private func signedIn(
        _ request: SignInRequest, attempt: AttemptChannel, at metadata: ProviderMetadata
    ) async throws(AuthFailure) -> SignInResult {
        // Find an unreadable secret or key before the user goes through the sign-in.
        _ = try await client(metadata)
        let choice = try FlowChoice(request, configuration: configuration, metadata: metadata)
        let signIn = OpenIDSignIn(
            adapter: self, request: request, metadata: metadata, prover: try newProver(metadata),
            prompt: try AuthorizationPrompt(request: request, configuration: configuration, metadata: metadata), attempt: attempt)
        let outcome = try await signIn.run(choice)
        let answer = try await attempt.step(.exchange) { () async throws(AuthFailure) -> ReceivedTokens in
            let first: ReceivedTokens
            switch outcome {
            case .callback(let callback): first = try await redeem(callback, signIn: signIn)
            case .tokens(let answer): first = answer
            }
            return try await lengthened(first, signIn: signIn)
        }
        return try await attempt.step(.verify) { () async throws(AuthFailure) in
            try await result(answer, outcome: outcome, signIn: signIn)
        }
    }

    /// Exchanges a validated code for its tokens.
    func redeem(_ callback: ValidatedCallback, signIn: OpenIDSignIn) async throws(AuthFailure) -> ReceivedTokens {
        let metadata = signIn.metadata
        let response = try await ask(metadata, proving: signIn.prover) { (client) throws(OAuthError) in
            try TokenEndpoint.exchange(callback, at: metadata, client: client)
        }.response
        do {
            let tokens = try TokenResponse.tokens(
                response, .codeExchange, host: metadata.tokenEndpoint?.origin.authority, requested: callback.pending.scopes,
                requiresProof: signIn.prover != nil, dialect: configuration.dialect, now: environment.time.now)
            return ReceivedTokens(tokens: tokens, response: response)
        } catch {
            throw failure(error, proving: signIn.prover)
        }
    }

    /// Exchanges the access token of a sign-in for one that is valid for longer, where the service has a grant for that. What the first
    /// response says of the user stays.
    private func lengthened(_ answer: ReceivedTokens, signIn: OpenIDSignIn) async throws(AuthFailure) -> ReceivedTokens {
        let dialect = configuration.dialect
        guard let grant = dialect.longLivedGrant else { return answer }
        let metadata = signIn.metadata
        let response = try await ask(metadata, proving: signIn.prover) { (client) throws(OAuthError) in
            try TokenEndpoint.lengthen(answer.tokens.accessToken, grant: grant, at: metadata, client: client)
        }.response
        do {
            let tokens = try TokenResponse.tokens(
                response, .codeExchange, host: (dialect.longLivedEndpoint ?? metadata.tokenEndpoint)?.origin.authority,
                requested: answer.tokens.scopes, requiresProof: signIn.prover != nil, former: answer.tokens.tokenType, dialect: dialect,
                now: environment.time.now)
            return ReceivedTokens(tokens: tokens, response: answer.response)
        } catch {
            throw failure(error, proving: signIn.prover)
        }
    }
}

extension OAuthError {
    /// Whether an endpoint may be for other clients only: some providers publish one for pushed requests that takes none of public clients.
    fileprivate var refusesClientHere: Bool {
        switch kind {
        case .notFound, .unexpectedStatus(403, _), .unexpectedStatus(405, _), .refusedUnreadably(401, _): true
        case .refused(let error, _): isAboutClient || error.code == "unauthorized_client"
        default: false
        }
    }
}
