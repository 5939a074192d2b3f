internal import ArgumentParser
internal import AuthModel
internal import Localization
internal import OAuth

/// The user of `yett request`: told at standard error, and asked at the terminal.
struct CommandLineUser {
    let context: CommandContext
    let provider: ProviderConfiguration
    let service: any SessionService
    private var prompt: ConsentPrompt

    init(context: CommandContext, provider: ProviderConfiguration, service: any SessionService) {
        self.context = context
        self.provider = provider
        self.service = service
        prompt = ConsentPrompt(context: context)
    }

    var canAsk: Bool { context.canAsk }

    func note(_ message: UserMessage) { context.console.note(message) }

    func warn(_ message: UserMessage) { context.console.warning(message) }

    /// Returns a token, and asks for the user's consent if the provider's policy requires it.
    mutating func token(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken {
        try await prompt.token(request, from: service)
    }

    /// Asks for the user name and password of a web server. Throws `.cancelled` if the user gives none.
    func webServerLogin(_ scheme: WebServerLogin.Scheme, at origin: Origin) async throws(AuthFailure) -> WebServerLogin {
        let console = context.console
        console.ask("User name for \(origin.authority):")
        guard let username = await context.edges.streams.line()?.trimmed, !username.isEmpty,
            let password = await context.edges.streams.hiddenLine({ console.ask("Password:") })
        else { throw AuthFailure(.cancelled, text: "no user name and password entered for \(origin.authority)") }
        return WebServerLogin(origin: origin, scheme: scheme, username: String(username), password: password)
    }

    /// Signs in for a resource. Returns false if the user chooses to continue without a sign-in.
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> Bool {
        let run = SignInRun(options: try .parsed(), purpose: .signIn, context: context, allowsSkippingSignIn: true)
        guard case .signedIn = try await run.ending(of: request, at: provider, with: service) else { return false }
        return true
    }

    /// Signs in again to a session that a resource no longer accepts, for the resource's reason.
    func signInAgain(to session: SessionSummary, because reason: UserMessage) async throws(AuthFailure) {
        try await stepUpSignIn(session).repeated(because: reason)
    }

    /// Runs the sign-in that a resource requires (RFC 9470).
    func stepUp(_ session: SessionSummary, to required: StepUp) async throws(AuthFailure) {
        try await stepUpSignIn(session).signIn(for: required)
    }

    private func stepUpSignIn(_ session: SessionSummary) -> StepUpSignIn {
        StepUpSignIn(session: session, provider: provider, service: service, context: context)
    }
}

extension LoginOptions {
    /// Returns the options of a sign-in that another command starts: the defaults.
    static func parsed() throws(AuthFailure) -> LoginOptions {
        do { return try parse([]) } catch { throw AuthFailure(.bug, text: "cannot create the sign-in options") }
    }
}

/// Runs a sign-in that a resource asked for (RFC 9470): the same account, with the required authentication, which is verified afterwards.
struct StepUpSignIn {
    let session: SessionSummary
    let provider: ProviderConfiguration
    let service: any SessionService
    let context: CommandContext

    /// Runs the sign-in. Throws `.cancelled` if the user refuses more scopes, and `.security` if another user signed in (that session is
    /// discarded) or the authentication does not meet the requirement.
    func signIn(for wanted: StepUp) async throws(AuthFailure) {
        context.console.note("the resource requires another sign-in: \(wanted.reason.line)")
        try await consent(to: wanted)
        let provider = try await registered(for: wanted)
        let renewed = try await SignInRun(options: try .parsed(), purpose: .signIn, context: context)
            .follow(try await request(wanted), at: provider, with: service)
        try requireSameUser(renewed)
        try check(wanted, try await service.session(session.name).identity)
    }

    /// Asks the user at the terminal before requesting more scopes, because the session keeps them (RFC 9700 section 2.3). Throws the
    /// command to run if there is no terminal.
    private func consent(to wanted: StepUp) async throws(AuthFailure) {
        let added = wanted.scopes.values.filter { !session.scopes.contains($0) }
        guard !added.isEmpty else { return }
        let text = "it requires scopes that \(session.name) does not have: \(added.joined(separator: ", "))"
        guard context.canAsk else {
            let scopes = ScopeArguments(adding: wanted.scopes, to: session, of: provider)
            throw AuthFailure(
                .denied(code: wanted.reason.code), text: text, hint: "run: yett login \(session.name.shellWord)\(scopes.shellText)")
        }
        context.console.note(text)
        guard await context.agrees(to: "Request them from \(provider.name)?") else {
            throw AuthFailure(
                .cancelled, text: "no more scopes were requested for \(session.name)",
                hint: "the request needs them; ask the administrator of the resource why")
        }
    }

    /// Returns the provider. If Yett registered its client, first registers it for the required scopes, because many servers grant a client
    /// no others.
    private func registered(for wanted: StepUp) async throws(AuthFailure) -> ProviderConfiguration {
        guard let registered = provider.registeredScopes, wanted.scopes.values.contains(where: { !registered.contains($0) }) else {
            return provider
        }
        return try await ClientRenewal(context: context, service: service).renew(provider, adding: wanted.scopes)
    }

    /// Repeats the sign-in because a resource no longer accepts the session, for a reason in its own format.
    ///
    /// - Parameter reason: the resource's reason.
    func repeated(because reason: UserMessage) async throws(AuthFailure) {
        context.console.note("the resource requires a new sign-in: \(reason.english)")
        let request = SignInRequest(provider: provider.name, account: session.name.account)
        try requireSameUser(
            try await SignInRun(options: try .parsed(), purpose: .signIn, context: context).follow(request, at: provider, with: service))
    }

    private func requireSameUser(_ renewed: SessionSummary) throws(AuthFailure) {
        let isSame = (renewed.subject ?? "").hasSameBytes(as: session.subject ?? "")
        guard isSame, renewed.name == session.name else {
            throw AuthFailure(
                .denied(code: nil), text: "another user signed in: \(renewed.name), but the request is for \(session.name)",
                hint: "try again, and choose the account of \(session.name)")
        }
    }

    /// Returns the sign-in request. A challenge without class, age and claims requires a fresh authentication. The tokens keep the
    /// session's resources.
    private func request(_ wanted: StepUp) async throws(AuthFailure) -> SignInRequest {
        let detail = try await service.session(session.name)
        let identity = detail.identity
        let needsNew = wanted.contextClasses.isEmpty && wanted.maxAge == nil && wanted.scopes.isEmpty && wanted.claims == nil
        let scopes = wanted.scopes.isEmpty ? [] : provider.scopes.values + session.scopes.values + wanted.scopes.values
        var request = SignInRequest(provider: provider.name, account: session.name.account, resources: detail.resources)
        request.scopes = ScopeSet(scopes)
        request.loginHint = identity.text("preferred_username") ?? identity.text("email")
        request.prompt = needsNew ? "login" : nil
        request.maxAge = wanted.maxAge
        request.acrValues = wanted.contextClasses.isEmpty ? nil : wanted.contextClasses.joined(separator: " ")
        request.claims = wanted.claims
        return request
    }

    /// Verifies that the provider's claims meet the requirement: `acr_values` is a request that a provider may ignore. A missing claim
    /// counts as unmet. Plain OAuth has no claims; there the resource decides.
    private func check(_ wanted: StepUp, _ identity: Identity) throws(AuthFailure) {
        let claims = identity.idTokenClaims
        guard provider.kind == .oidc || claims.members?.isEmpty == false else { return }
        do throws(OAuthError) {
            try wanted.check(claims, host: provider.issuer?.url.origin.authority, now: context.now)
        } catch {
            throw error.failure
        }
    }
}

/// The arguments of `yett login` for the scopes that a resource wants.
struct ScopeArguments {
    private let scopes: ScopeSet
    /// Whether the session would have more scopes than now.
    let widensSession: Bool

    /// Creates the arguments for the challenge of a refused request; none if the challenge names no scope that the session lacks.
    init(for answer: WebResponse, _ tool: ToolSession?) {
        let wanted = answer.tokenChallenges.lazy.map(\.scopes).first { !$0.isEmpty } ?? []
        guard let tool else {
            (scopes, widensSession) = (wanted, false)
            return
        }
        widensSession = !wanted.isSubset(of: tool.session.scopes)
        scopes = widensSession ? ScopeArguments(adding: wanted, to: tool.session, of: tool.provider).scopes : []
    }

    /// Creates the arguments for more scopes of a session. A session of an OpenID provider keeps its identity: some providers do not say
    /// that they granted `openid`.
    init(adding more: ScopeSet, to session: SessionSummary, of provider: ProviderConfiguration) {
        let identity = provider.kind == .oidc ? provider.scopes.values.filter { $0 == "openid" } : []
        scopes = ScopeSet(identity + session.scopes.values + more.values)
        widensSession = true
    }

    var names: [String] { scopes.values }
    /// The arguments, each one word with its value: a server chose it.
    var words: [String] { scopes.values.map { "--scope=\($0)" } }
    /// The arguments after a space each, quoted for a shell.
    var shellText: String { words.map { " \(ShellWord($0))" }.joined() }
}
