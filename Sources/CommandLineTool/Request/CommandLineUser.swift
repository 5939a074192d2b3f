internal import ArgumentParser
internal import AuthModel
internal import OAuth
internal import ResourceClient

/// The user of `yett request`: told at standard error, and asked at the terminal.
struct CommandLineUser: ResourceUser {
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

    mutating func token(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken {
        try await prompt.token(request, from: service)
    }

    func webServerLogin(_ scheme: WebServerLogin.Scheme, at origin: Origin) async throws(AuthFailure) -> WebServerLogin {
        let console = context.console
        console.ask("User name for \(origin.authority):")
        guard let username = await context.edges.streams.line()?.trimmed, !username.isEmpty,
            let password = await context.edges.streams.hiddenLine({ console.ask("Password:") })
        else { throw AuthFailure(.cancelled, text: "no user name and password entered for \(origin.authority)") }
        return WebServerLogin(origin: origin, scheme: scheme, username: String(username), password: password)
    }

    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> Bool {
        let run = SignInRun(options: try .parsed(), purpose: .signIn, context: context, allowsSkippingSignIn: true)
        guard case .signedIn = try await run.ending(of: request, at: provider, with: service) else { return false }
        return true
    }

    func signInAgain(to session: SessionSummary, because reason: UserMessage) async throws(AuthFailure) {
        try await stepUpSignIn(session).repeated(because: reason)
    }

    func stepUp(_ session: SessionSummary, to required: StepUp) async throws(AuthFailure) {
        try await stepUpSignIn(session).run(required)
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
