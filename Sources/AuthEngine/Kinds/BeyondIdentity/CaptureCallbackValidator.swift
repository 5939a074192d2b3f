internal import AuthModel
internal import OAuth

/// Judges what a page sends back: it is an answer when it has everything that is wanted.
struct CaptureCallbackValidator: CallbackValidator {
    let wanted: [String]
    let redirectURI: String
    /// What has to come back as `state`; `nil` where the page was given none.
    let state: Secret?

    /// Every wanted parameter once and with something in it.
    func validator(_ query: String) -> CallbackOutcome<[String: Secret]> {
        guard let pairs = FormEncoding.decode(query) else { return .ignored(reason: "its query is broken") }
        let values = Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
        guard values.count == pairs.count else { return .ignored(reason: "it has a parameter twice") }
        if let state {
            guard let returned = values["state"], Secret(returned) == state else {
                return .ignored(reason: "its state is not this sign-in's")
            }
        }
        // What the page says of its own accord; that it is the page, the state or the path shows.
        if let error = values["error"] {
            let refusal = ServerError(code: error, description: values["error_description"])
            return .denied(AuthFailure(.denied(code: refusal.code), "the backend refused the sign-in: \(refusal.line)", hint: "try again"))
        }
        for name in wanted where values[name]?.isEmpty != false { return .ignored(reason: "it has no \(name)") }
        return .accepted(values.mapValues { Secret($0) })
    }

    /// The address that the browser came to.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<[String: Secret]> {
        guard let mark = text.firstIndex(of: "?"), text[..<mark] == redirectURI else { throw .pastedElsewhere(than: redirectURI) }
        return .query(String(text[text.index(after: mark)...].prefix { $0 != "#" }))
    }

    var strangePaste: AuthFailure {
        AuthFailure(.security, "the pasted answer is not whole", hint: "copy the whole address from the browser")
    }

    func timedOut(after answers: String) -> AuthFailure {
        AuthFailure(
            .security, "the sign-in timed out, and \(answers) refused as not being what was awaited",
            hint: "check capture in the configuration against what the backend sends")
    }
}
