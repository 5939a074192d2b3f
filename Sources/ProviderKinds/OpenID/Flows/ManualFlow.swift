internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The manual flow, for a browser on another machine, without a port on this one. The user pastes the whole URL that the browser ended on,
/// or, for an out-of-band redirect, the code that the provider's page showed. Only the answer to this attempt is accepted.
struct ManualFlow: SignInFlow {
    private let receiver: CallbackReceiver<AuthorizationCallbackValidator>
    /// Reports when the URL for the browser has expired.
    private let watch: @Sendable () async -> Void

    /// Opens the flow and reports the sign-in methods.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> ManualFlow {
        let rule = signIn.configuration.redirects.first ?? .standard
        // This program does not listen there, so any port works. A random one is less likely to belong to another program.
        let redirectURI = rule.uri(port: signIn.request.port ?? rule.port ?? Int.random(in: 49_152...65_535))
        let prepared = try await signIn.prepareAuthorization(redirectURI: redirectURI)
        let receiver = CallbackReceiver(AuthorizationCallbackValidator(pending: prepared.pending), report: signIn.attempt.report)
        await signIn.attempt.acceptPastes(for: receiver)
        signIn.reportBrowser(prepared.url, redirect: redirectURI)
        signIn.attempt.report(.available(.paste))
        return ManualFlow(receiver: receiver) { await signIn.warnWhenExpired(prepared.lifetime) }
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        let watching = Task { await watch() }
        defer { watching.cancel() }
        return await receiver.answer().map(FlowOutcome.callback)
    }

    func endsAttempt(_ failure: AuthFailure) -> Bool { true }

    func timedOut() async -> AuthFailure? { await receiver.timedOut() }
}
