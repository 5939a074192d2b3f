internal import AuthEngine
internal import AuthModel
internal import OAuth

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
