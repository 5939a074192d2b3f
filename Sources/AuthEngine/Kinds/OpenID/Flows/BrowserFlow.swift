internal import AuthModel
internal import OAuth

/// The person's own browser, on this machine or on the one they sit at (RFC 8252): the provider sends it back to a loopback port that is
/// open for this attempt only. The same answer can be pasted, wherever the browser was.
struct BrowserFlow: SignInFlow {
    private let listener: LoopbackListener
    private let desk: CallbackReceiver<AuthorizationCallbackValidator>
    /// Says when the address for the browser is over.
    private let watch: @Sendable () async -> Void

    /// Opens the port and reports the ways in.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> BrowserFlow {
        let rules = signIn.configuration.redirects.filter(\.comesBackHere)
        let listener = try await LoopbackListener.bind(rules: rules, port: signIn.request.port)
        do throws(AuthFailure) {
            let prepared = try await signIn.prepareAuthorization(redirectURI: listener.redirectURI)
            let desk = CallbackReceiver(AuthorizationCallbackValidator(pending: prepared.pending), report: signIn.attempt.report)
            listener.reportStrangers { Task { await desk.noteStranger() } }
            await signIn.attempt.takePastes(for: desk)
            signIn.reportBrowser(prepared.url, redirect: listener.redirectURI)
            let surroundings = signIn.request.surroundings ?? signIn.adapter.environment.surroundings
            if let server = surroundings.sshServer, let port = listener.rule.port {
                signIn.attempt.report(.opened(.sshForward(command: server.forwarding(port: port, to: listener.rule.host))))
            }
            signIn.attempt.report(.opened(.paste))
            return BrowserFlow(listener: listener, desk: desk) { await signIn.tellWhenOver(prepared.lifetime) }
        } catch {
            await listener.close()
            throw error
        }
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        await desk.answer(at: listener, beside: watch).map(FlowOutcome.callback)
    }

    func close() async { await listener.close() }

    /// What comes back with this attempt's state is the provider's word on the attempt.
    func endsAttempt(_ failure: AuthFailure) -> Bool { true }

    func timedOut() async -> AuthFailure? { await desk.timedOut() }
}
