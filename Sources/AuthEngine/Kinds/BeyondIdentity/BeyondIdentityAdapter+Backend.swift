internal import AuthModel
internal import OAuth

/// What is asked of the backend.
extension BeyondIdentityAdapter {
    /// Has an account made, and says what the person does next: there is no session before they have.
    ///
    /// - Throws: `.configuration` where the provider says no way, and what the backend says.
    func signUp(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> Never {
        let hint = settings.download.map { "get the authenticator at \($0.text), then sign in with: yett login \(configuration.name)" }
        switch settings.signUp {
        case nil:
            throw AuthFailure(
                .configuration, "\(configuration.name) does not say how accounts are made there",
                hint: "set signup_url in [providers.\(configuration.name)]")
        case .browser(let page):
            attempt.report(.opened(.signUpPage(page)))
            throw AuthFailure(.accountRequested, "make your account at \(page.origin.authority)", hint: hint)
        case .form(let url):
            try await post(addressFor: "Make an account", to: url, as: .signUp, "make the account", request, attempt)
            throw AuthFailure(.accountRequested, "an account was asked for: check your email", hint: hint)
        }
    }

    /// Has a link sent that makes an account good again on another device.
    func recover(_ request: SignInRequest, attempt: AttemptReporter) async throws(AuthFailure) -> Never {
        guard let url = settings.recovery else {
            throw AuthFailure(.bug, "\(configuration.name) was asked to recover an account, and has no way")
        }
        try await post(addressFor: "Recover an account", to: url, as: .recover, "recover the account", request, attempt)
        throw AuthFailure(
            .accountRequested, "the recovery was asked for: check your email",
            hint: "follow the link in it, then sign in with: yett login \(configuration.name)")
    }

    /// Asks the person for their address, and posts it.
    private func post(
        addressFor title: String, to url: WebURL, as step: SignInStep, _ purpose: String, _ request: SignInRequest,
        _ attempt: AttemptReporter
    ) async throws(AuthFailure) {
        let form = SignInForm(title: title, fields: [.init(id: "email", label: "E-mail address", kind: .email)])
        let email = try await attempt.ask(form, given: request)["email"]?.reveal() ?? ""
        let body = JSONValue.object([.init("email", .string(email))])
        _ = try await attempt.step(step) { () async throws(AuthFailure) in
            try await ask(
                WebRequest(
                    method: .post, url: url, headers: [("Content-Type", "application/json"), ("Accept", "application/json")],
                    body: Array(body.text.utf8)), purpose)
        }
    }

    /// Sends a request to the backend; its answer, `nil` where that is not JSON.
    ///
    /// - Parameter purpose: what it is to do, for messages.
    func ask(_ request: WebRequest, _ purpose: String) async throws(AuthFailure) -> JSONValue? {
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        let response = try await environment.transport.send(request, policy: policy)
        let host = request.url.origin.authority
        if (200..<300).contains(response.status) { return try? JSONValue(strict: response.body) }
        try response.refuseRedirect(from: "the backend at \(host)", when: "asked to \(purpose)")
        let refusal = ServiceRefusal(response)
        let summary = "the backend at \(host) did not \(purpose): \(refusal.line)"
        guard (400..<500).contains(response.status), response.status != 429 else {
            throw AuthFailure(.unavailable(retryAfter: nil), summary, hint: "try again in a moment")
        }
        throw AuthFailure(.denied(code: refusal.code), summary, hint: "ask whoever runs the backend, if it stays so")
    }
}
