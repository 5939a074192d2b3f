internal import AuthModel

/// A page that sends the browser back with what it likes, at a backend that mediates the sign-in.
///
/// Such an answer carries no state of ours. What keeps others from answering is the path: a part of it is made for this attempt, and told
/// to that page alone.
struct CaptureFlow: SignInFlow {
    /// What came back, by the names of the parameters.
    typealias Outcome = [String: Secret]

    private let listener: LoopbackListener
    private let desk: AnswerDesk<CaptureJudge>

    /// Opens the port and reports the ways in.
    static func open(
        _ page: BeyondIdentityConfiguration.Mediated, rules: [RedirectRule], port: Int?, attempt: AttemptReporter
    ) async throws(AuthFailure) -> CaptureFlow {
        let secret = UnguessablePath.make()
        let guarded = rules.filter(\.comesBackHere).map { rule in
            RedirectRule(host: rule.host, port: rule.port, path: (rule.path.hasSuffix("/") ? rule.path : rule.path + "/") + secret)
        }
        let listener = try await LoopbackListener.bind(rules: guarded, port: port)
        guard let url = page.url(returningTo: listener.redirectURI) else {
            await listener.close()
            throw AuthFailure(
                .configuration, "the page of the sign-in cannot be told where to come back to", hint: "see url in the configuration")
        }
        let desk = AnswerDesk(CaptureJudge(wanted: page.capture, redirectURI: listener.redirectURI), report: attempt.report)
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

/// A part of a path that nobody guesses.
enum UnguessablePath {
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
