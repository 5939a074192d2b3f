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
        guard let pairs = FormEncoding.decode(query) else { return .ignored(reason: "its query is malformed") }
        let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard values.count == pairs.count else { return .ignored(reason: "it repeats a parameter") }
        if let state {
            guard let returned = values["state"], Secret(returned) == state else {
                return .ignored(reason: "its state does not match this sign-in")
            }
        }
        // The backend's own error: the state or the path shows that the callback comes from its page.
        if let error = values["error"] {
            let refusal = ServerError(code: error, description: values["error_description"])
            return .denied(AuthFailure(.denied(code: refusal.code), "the backend refused the sign-in: \(refusal.line)", hint: "try again"))
        }
        for name in wanted where values[name]?.isEmpty != false { return .ignored(reason: "it has no \(name)") }
        return .accepted(values.mapValues { Secret($0) })
    }

    /// Reads the pasted redirect URL.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<[String: Secret]> {
        guard let mark = text.firstIndex(of: "?"), text[..<mark] == redirectURI else { throw .pastedWrongURL(than: redirectURI) }
        return .query(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
    }

    var unexpectedPaste: AuthFailure {
        AuthFailure(.security, "the pasted address is incomplete", hint: "copy the whole address from the browser")
    }

    func timedOut(after answers: String) -> AuthFailure {
        AuthFailure(
            .security, "the sign-in timed out, and \(answers) refused as unexpected",
            hint: "compare capture in the configuration with what the backend sends")
    }
}
