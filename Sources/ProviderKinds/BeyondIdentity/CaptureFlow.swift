import AuthEngine
import AuthModel
import OAuth

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
        _ page: BeyondIdentityConfiguration.BackendSignIn, rules: [RedirectRule], port: Int?, attempt: AttemptChannel
    ) async throws(AuthFailure) -> CaptureFlow {
        let state = page.takesState ? Secret([UInt8].random(count: 32).hexadecimal) : nil
        let secret = [UInt8].random(count: 32).hexadecimal
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

    func timedOut() async -> AuthFailure? { await receiver.timedOut() }
}

/// Validates the callback from the backend's page: it needs all wanted parameters.
struct CaptureCallbackValidator: CallbackValidator {
    let wanted: [String]
    let redirectURI: String
    /// The value that must come back as `state`; `nil` if the page got none.
    let state: Secret?

    /// Accepts a query that has every wanted parameter once, with a value, and the state.
    func validate(_ query: String) -> CallbackOutcome<[String: Secret]> {
        guard let pairs = FormEncoding.decode(query) else { return .ignored(reason: "phrase.callback_query_malformed") }
        let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard values.count == pairs.count else { return .ignored(reason: "phrase.callback_parameter_repeated") }
        if let state {
            guard let returned = values["state"], Secret(returned) == state else {
                return .ignored(reason: "phrase.state_not_of_sign_in")
            }
        }
        // The backend's own error: the state or the path shows that the callback comes from its page.
        if let error = values["error"] {
            let refusal = ServerError(code: error, description: values["error_description"])
            return .denied(
                AuthFailure(
                    .denied(code: refusal.code), UserMessage("beyond_identity.backend_refused_sign_in", ["detail": refusal.line]),
                    hint: "hint.try_again"))
        }
        for name in wanted where values[name]?.isEmpty != false {
            return .ignored(reason: UserMessage("phrase.callback_lacks_parameter", ["parameter": name]))
        }
        return .accepted(values.mapValues { Secret($0) })
    }

    /// Reads the pasted redirect URL.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<[String: Secret]> {
        guard let mark = text.firstIndex(of: "?"), text[..<mark] == redirectURI else { throw .pastedWrongURL(than: redirectURI) }
        return .query(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
    }

    var unexpectedPaste: AuthFailure {
        AuthFailure(.security, "callback.pasted_address_incomplete", hint: "hint.copy_whole_browser_address")
    }

    func timedOut(after answers: UserMessage) -> AuthFailure {
        AuthFailure(
            .security, UserMessage("beyond_identity.timed_out_after_ignored", ["responses": answers]),
            hint: "hint.beyond_identity_compare_capture")
    }
}
