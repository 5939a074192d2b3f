internal import AuthEngine
internal import AuthModel

/// The browser flow of a backend that performs the sign-in and sends the browser back with parameters of its own.
///
/// A forged answer is prevented by a state that the page returns, or by a part of the path that is generated for this attempt and known to
/// that page only. If the page supports neither, the backend is asked whose session it is.
struct CaptureFlow: SignInFlow {
    /// The callback parameters by name.
    typealias Outcome = [String: Secret]

    private let listener: LoopbackListener
    private let receiver: CallbackReceiver<CaptureCallbackValidator>

    /// Opens the port and reports the sign-in methods.
    static func open(
        _ page: BeyondIdentityConfiguration.BackendSignIn, rules: [RedirectRule], port: Int?, attempt: AttemptReporter
    ) async throws(AuthFailure) -> CaptureFlow {
        let state = page.takesState ? Secret(RandomToken.make()) : nil
        let secret = RandomToken.make()
        let rules = rules.filter(\.redirectsToThisMachine).map { rule in
            guard page.path == .random else { return rule }
            return RedirectRule(host: rule.host, port: rule.port, path: (rule.path.hasSuffix("/") ? rule.path : rule.path + "/") + secret)
        }
        let listener = try await LoopbackListener.bind(rules: rules, port: port)
        guard let url = page.url(returningTo: listener.redirectURI, state: state?.reveal() ?? "") else {
            await listener.close()
            throw AuthFailure(
                .configuration, "beyond_identity.cannot_pass_redirect", hint: "hint.beyond_identity_check_url")
        }
        let receiver = CallbackReceiver(
            CaptureCallbackValidator(wanted: page.capture, redirectURI: listener.redirectURI, state: state), report: attempt.report)
        listener.reportForeignCallbacks { Task { await receiver.recordForeignCallback() } }
        await attempt.acceptPastes(for: receiver)
        attempt.report(.available(.browser(url: url, redirect: listener.redirectURI)))
        attempt.report(.available(.paste))
        return CaptureFlow(listener: listener, receiver: receiver)
    }

    func outcome() async -> Result<Outcome, AuthFailure> { await receiver.answer(at: listener) }

    func close() async { await listener.close() }

    func endsAttempt(_ failure: AuthFailure) -> Bool { true }

    func timedOut() async -> AuthFailure? { await receiver.timedOut() }
}

/// An unguessable text: a state, or a part of a path.
enum RandomToken {
    /// Returns 256 random bits in hexadecimal.
    static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let word: UInt64 = random.next()
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
