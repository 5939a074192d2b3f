internal import AuthModel
internal import OAuth

/// A browser on another machine, and no port here: the person pastes the whole address that the browser ended on, or the code that the
/// provider's page showed where the redirect is out of band. Only this attempt's own answer is taken.
struct ManualFlow: SignInFlow {
    private let desk: CallbackReceiver<AuthorizationCallbackValidator>
    /// Says when the address for the browser is over.
    private let watch: @Sendable () async -> Void

    /// Reports the ways in.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> ManualFlow {
        let rule = signIn.configuration.redirects.first ?? .standard
        // Nobody listens there, so any port will do; one that is chosen at random is less likely to be somebody's.
        let redirectURI = rule.uri(port: signIn.request.port ?? rule.port ?? Int.random(in: 49_152...65_535))
        let prepared = try await signIn.prepareAuthorization(redirectURI: redirectURI)
        let desk = CallbackReceiver(AuthorizationCallbackValidator(pending: prepared.pending), report: signIn.attempt.report)
        await signIn.attempt.takePastes(for: desk)
        signIn.reportBrowser(prepared.url, redirect: redirectURI)
        signIn.attempt.report(.opened(.paste))
        return ManualFlow(desk: desk) { await signIn.tellWhenOver(prepared.lifetime) }
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        let watching = Task { await watch() }
        defer { watching.cancel() }
        return await desk.answer().map(FlowOutcome.callback)
    }

    func endsAttempt(_ failure: AuthFailure) -> Bool { true }

    func timedOut() async -> AuthFailure? { await desk.timedOut() }
}
