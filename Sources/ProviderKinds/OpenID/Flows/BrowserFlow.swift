internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The browser flow (RFC 8252), on this machine or on the one where the user sits. The provider redirects the browser to a loopback port
/// that is open for this attempt only. The user may also paste the redirect URL, wherever the browser ran.
struct BrowserFlow: SignInFlow {
    private let listener: LoopbackListener
    private let receiver: CallbackReceiver<AuthorizationCallbackValidator>
    /// Reports when the URL for the browser has expired.
    private let watch: @Sendable () async -> Void

    /// Opens the port and reports the sign-in methods.
    static func open(in signIn: OpenIDSignIn) async throws(AuthFailure) -> BrowserFlow {
        let rules = signIn.configuration.redirects.filter(\.redirectsToThisMachine)
        let listener = try await LoopbackListener.bind(rules: rules, port: signIn.request.port)
        do throws(AuthFailure) {
            let prepared = try await signIn.prepareAuthorization(redirectURI: listener.redirectURI)
            let receiver = CallbackReceiver(AuthorizationCallbackValidator(pending: prepared.pending), report: signIn.attempt.report)
            listener.reportForeignCallbacks { Task { await receiver.recordForeignCallback() } }
            await signIn.attempt.acceptPastes(for: receiver)
            signIn.reportBrowser(prepared.url, redirect: listener.redirectURI)
            let userEnvironment = signIn.request.userEnvironment ?? signIn.adapter.environment.userEnvironment
            if let server = userEnvironment.sshServer, let port = listener.rule.port {
                signIn.attempt.report(.available(.sshForward(command: server.forwarding(port: port, to: listener.rule.host))))
            }
            signIn.attempt.report(.available(.paste))
            return BrowserFlow(listener: listener, receiver: receiver) { await signIn.warnWhenExpired(prepared.lifetime) }
        } catch {
            await listener.close()
            throw error
        }
    }

    func outcome() async -> Result<FlowOutcome, AuthFailure> {
        await receiver.answer(at: listener, beside: watch).map(FlowOutcome.callback)
    }

    func close() async { await listener.close() }

    /// A callback with this attempt's state is the provider's answer to the attempt.
    func endsAttempt(_ failure: AuthFailure) -> Bool { true }

    func timedOut() async -> AuthFailure? { await receiver.timedOut() }
}
