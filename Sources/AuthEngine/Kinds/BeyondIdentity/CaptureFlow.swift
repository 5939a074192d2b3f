internal import AuthModel

/// A page that sends the browser back with what it likes, at a backend that mediates the sign-in.
///
/// What keeps others from answering is a state that the page sends back, or a part of the path that is made for this attempt and told to
/// that page alone. Where the page knows neither, the backend is asked whose the session is.
struct CaptureFlow: SignInFlow {
    /// What came back, by the names of the parameters.
    typealias Outcome = [String: Secret]

    private let listener: LoopbackListener
    private let desk: CallbackReceiver<CaptureCallbackValidator>

    /// Opens the port and reports the ways in.
    static func open(
        _ page: BeyondIdentityConfiguration.Mediated, rules: [RedirectRule], port: Int?, attempt: AttemptReporter
    ) async throws(AuthFailure) -> CaptureFlow {
        let state = page.takesState ? Secret(RandomToken.make()) : nil
        let secret = RandomToken.make()
        let rules = rules.filter(\.comesBackHere).map { rule in
            guard page.path == .random else { return rule }
            return RedirectRule(host: rule.host, port: rule.port, path: (rule.path.hasSuffix("/") ? rule.path : rule.path + "/") + secret)
        }
        let listener = try await LoopbackListener.bind(rules: rules, port: port)
        guard let url = page.url(returningTo: listener.redirectURI, state: state?.reveal() ?? "") else {
            await listener.close()
            throw AuthFailure(
                .configuration, "the page of the sign-in cannot be told where to come back to", hint: "see url in the configuration")
        }
        let desk = CallbackReceiver(
            CaptureCallbackValidator(wanted: page.capture, redirectURI: listener.redirectURI, state: state), report: attempt.report)
        listener.reportStrangers { Task { await desk.noteStranger() } }
        await attempt.takePastes(for: desk)
        attempt.report(.opened(.browser(url: url, redirect: listener.redirectURI)))
        attempt.report(.opened(.paste))
        return CaptureFlow(listener: listener, desk: desk)
    }

    func outcome() async -> Result<Outcome, AuthFailure> { await desk.answer(at: listener) }

    func close() async { await listener.close() }

    func endsAttempt(_ failure: AuthFailure) -> Bool { true }

    func timedOut() async -> AuthFailure? { await desk.timedOut() }
}

/// A word that nobody guesses: a state, or a part of a path.
enum RandomToken {
    /// 256 bits in hexadecimal.
    static func make() -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<4).map { _ in
            let word: UInt64 = random.next()
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}
