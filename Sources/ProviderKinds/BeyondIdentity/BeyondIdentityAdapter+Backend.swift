internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// The requests to the backend.
extension BeyondIdentityAdapter {
    /// Requests a new account, and tells the user what to do next. There is no session yet, so it always throws.
    ///
    /// - Throws: `.accountRequested` on success, `.configuration` if no way to sign up is configured, and the backend's refusal.
    func signUp(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> Never {
        let hint = settings.download.map { "get the authenticator at \($0.text), then sign in with: yett login \(configuration.name)" }
        switch settings.signUp {
        case nil:
            throw AuthFailure(
                .configuration, "\(configuration.name) does not support creating an account",
                hint: "set signup_url in [providers.\(configuration.name)]")
        case .browser(let page):
            attempt.report(.opened(.signUpPage(page)))
            throw AuthFailure(.accountRequested, "create your account at \(page.origin.authority)", hint: hint)
        case .form(let url, let body):
            try await post(body, for: "Create an account", to: url, as: .signUp, "create the account", request, attempt)
            throw AuthFailure(.accountRequested, "account requested: check your email", hint: hint)
        }
    }

    /// Asks the backend to send a link that restores an account on another device. Always throws: `.accountRequested` on success.
    func recover(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> Never {
        guard let url = settings.recovery else {
            throw AuthFailure(.bug, "\(configuration.name) does not support account recovery")
        }
        try await post(.standard, for: "Recover an account", to: url, as: .recover, "recover the account", request, attempt)
        throw AuthFailure(
            .accountRequested, "recovery requested: check your email",
            hint: "open the link in it, then sign in with: yett login \(configuration.name)")
    }

    /// The maximum number of times that the form is posted.
    private static let tries = 3

    /// Asks the user for the values of the body's placeholders, and posts the body. If the backend refuses it, the form keeps the input and
    /// shows the refusal.
    private func post(
        _ body: SignUpBody, for title: String, to url: WebURL, as step: SignInStep, _ purpose: String, _ request: SignInRequest,
        _ attempt: AttemptReporter
    ) async throws(AuthFailure) {
        var form = SignInForm(title: title, fields: SignUpBody.Place.allCases.filter(body.asks).map(\.field))
        for remaining in (0..<Self.tries).reversed() {
            let answers = try await attempt.ask(form, given: request).mapValues { $0.reveal() }
            let filled = body.filled(
                with: answers.reduce(into: [:]) { filled, answer in SignUpBody.Place(rawValue: answer.key).map { filled[$0] = answer.value }
                })
            do throws(AuthFailure) {
                return try await attempt.step(step) { () async throws(AuthFailure) in try await send(filled, to: url, purpose) }
            } catch {
                // An address that came with the request would be refused again. Other failures do not depend on the input.
                guard remaining > 0, request.answers["email"] == nil, error.mayTryAgain else { throw error }
                form.refusal = error
                for index in form.fields.indices { form.fields[index].suggestion = answers[form.fields[index].id] }
            }
        }
    }

    private func send(_ body: JSONValue, to url: WebURL, _ purpose: String) async throws(AuthFailure) {
        let request = WebRequest(
            method: .post, url: url, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
            body: Array(body.text.utf8))
        _ = try await acceptedData(request, purpose)
    }

    /// Asks the backend about a session: `session_check_url`.
    ///
    /// Throws `.denied` if the backend does not accept the session.
    func told(of session: Secret) async throws(AuthFailure) -> JSONValue {
        guard let url = settings.sessionCheck else { return .object([]) }
        let headers = [("Accept", "application/json"), ("Authorization", "Bearer \(session.reveal())")]
        let response = try await acceptedData(WebRequest(method: .get, url: url, headers: headers), "accept the session")
        guard let answer = try? JSONValue(strict: response.body), answer.members != nil else { return .object([]) }
        return answer
    }

    /// Ends a session at the backend: `sign_out_url`. A session that the backend no longer accepts has already ended.
    func signOut(_ session: Secret, at url: WebURL) async throws(AuthFailure) {
        let headers = [("Accept", "application/json"), ("Authorization", "Bearer \(session.reveal())")]
        _ = try await acceptedData(WebRequest(method: .post, url: url, headers: headers), "end the session", or: 401)
    }

    /// Asks the backend whether a session is still valid; `nil` if there is no session check, or if the session is of another backend.
    func introspect(_ token: Secret, kind: TokenView.Kind, of record: SessionRecord) async throws(AuthFailure) -> TokenView? {
        guard let url = settings.sessionCheck, kind == .access, record.identity.issuer == address else { return nil }
        let claims: JSONValue?
        do throws(AuthFailure) {
            claims = try await told(of: token)
        } catch {
            guard case .denied = error.kind else { throw error }
            claims = nil
        }
        return TokenView(
            kind: kind, redacted: TokenInspection.redact(token), expiresAt: record.tokens?.accessExpiresAt, header: nil, claims: claims,
            verification: .unverified(
                reason: "opaque; \(url.origin.authority) says that it is \(claims == nil ? "not active" : "active")"))
    }

    /// Sends a request to the backend, and returns its answer; `nil` if that is not JSON.
    ///
    /// - Parameter purpose: what the backend is asked to do, for error messages.
    func ask(_ request: WebRequest, _ purpose: String) async throws(AuthFailure) -> JSONValue? {
        let response = try await accepted(request, purpose)
        return try? JSONValue(strict: response.body)
    }

    /// Sends a request, and refuses a web page as the answer: a network with a sign-in page of its own answers everything with that page
    /// and status 200.
    ///
    /// - Parameter status: an additional status that means success.
    private func acceptedData(_ request: WebRequest, _ purpose: String, or status: Int? = nil) async throws(AuthFailure) -> WebResponse {
        let response = try await accepted(request, purpose, or: status)
        guard !response.looksLikeHTML || response.status == status else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), "\(request.url.origin.authority) answered with a web page when asked to \(purpose)",
                hint: "a proxy, or a network with its own sign-in page, may have answered")
        }
        return response
    }

    /// Sends a request, and returns the backend's answer if it means success.
    private func accepted(_ request: WebRequest, _ purpose: String, or status: Int? = nil) async throws(AuthFailure) -> WebResponse {
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        let response = try await environment.transport.send(request, policy: policy)
        let host = request.url.origin.authority
        if (200..<300).contains(response.status) || response.status == status { return response }
        try response.refuseRedirect(from: "the backend at \(host)", when: "asked to \(purpose)")
        let refusal = ServiceRefusal(response)
        let summary = "the backend at \(host) did not \(purpose): \(refusal.line)"
        guard (400..<500).contains(response.status), response.status != 429 else {
            throw AuthFailure(.unavailable(retryAfter: nil), summary, hint: "try again in a moment")
        }
        throw AuthFailure(.denied(code: refusal.code), summary, hint: "if this repeats, contact the backend's administrator")
    }
}

extension SignUpBody.Place {
    fileprivate var field: SignInForm.Field {
        switch self {
        case .email: .init(id: rawValue, label: "E-mail address", kind: .email)
        case .displayName: .init(id: rawValue, label: "Display name", kind: .text, isRequired: false)
        }
    }
}

extension AuthFailure {
    /// Whether the user may try again, with the same or other input.
    fileprivate var mayTryAgain: Bool {
        switch kind {
        case .denied, .unavailable: true
        default: false
        }
    }
}
