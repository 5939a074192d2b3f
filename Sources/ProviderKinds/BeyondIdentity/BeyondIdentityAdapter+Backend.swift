import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// The requests to the backend.
extension BeyondIdentityAdapter {
    /// Requests a new account, and tells the user what to do next. There is no session yet.
    ///
    /// - Throws: `.configuration` if no way to sign up is configured, and the backend's refusal.
    func signUp(_ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> NoSession {
        let hint = settings.download.map {
            UserMessage("hint.beyond_identity_get_authenticator", ["url": $0.text, "provider": configuration.name])
        }
        switch settings.signUp {
        case nil:
            throw AuthFailure(
                .configuration, UserMessage("sign_up.not_supported", ["provider": configuration.name]),
                hint: UserMessage("hint.beyond_identity_set_signup_url", ["provider": configuration.name]))
        case .browser(let page):
            attempt.report(.available(.signUpPage(page)))
            return NoSession(
                .accountRequested, UserMessage("beyond_identity.create_account_at", ["host": page.origin.authority]), hint: hint)
        case .form(let url, let body):
            try await post(body, for: UserMessage("form.create_account"), to: url, as: .signUp, "phrase.create_account", request, attempt)
            return NoSession(.accountRequested, "beyond_identity.account_requested", hint: hint)
        }
    }

    /// Asks the backend to send a link that restores an account on another device.
    func recover(_ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> NoSession {
        guard let url = settings.recovery else {
            throw AuthFailure(.bug, UserMessage("account.recovery_not_supported", ["provider": configuration.name]))
        }
        try await post(
            .standard, for: UserMessage("form.recover_account"), to: url, as: .recover, "phrase.recover_account", request, attempt)
        return NoSession(
            .accountRequested, "beyond_identity.recovery_requested",
            hint: UserMessage("hint.beyond_identity_open_link", ["provider": configuration.name]))
    }

    /// The maximum number of times that the form is posted.
    private static let tries = 3

    /// Asks the user for the values of the body's placeholders, and posts the body. If the backend refuses it, the form keeps the input and
    /// shows the refusal.
    private func post(
        _ body: SignUpBody, for title: UserMessage, to url: WebURL, as step: SignInStep, _ purpose: UserMessage, _ request: SignInRequest,
        _ attempt: AttemptChannel
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

    private func send(_ body: JSONValue, to url: WebURL, _ purpose: UserMessage) async throws(AuthFailure) {
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
        let response = try await acceptedData(WebRequest(method: .get, url: url, headers: headers), "phrase.accept_session")
        guard let answer = response.document, answer.members != nil else { return .object([]) }
        return answer
    }

    /// Ends a session at the backend: `sign_out_url`. A session that the backend no longer accepts has already ended.
    func signOut(_ session: Secret, at url: WebURL) async throws(AuthFailure) {
        let headers = [("Accept", "application/json"), ("Authorization", "Bearer \(session.reveal())")]
        _ = try await acceptedData(WebRequest(method: .post, url: url, headers: headers), "phrase.end_session", or: 401)
    }

    var sessionIntrospection: (any SessionIntrospection)? { self }

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
                reason: UserMessage(
                    "phrase.opaque_token_state",
                    [
                        "host": url.origin.authority,
                        "state": claims == nil ? UserMessage("phrase.not_active") : UserMessage("phrase.active"),
                    ])))
    }

    /// Sends a request to the backend, and returns its answer; `nil` if that is not JSON.
    ///
    /// - Parameter purpose: what the backend is asked to do, for error messages.
    func ask(_ request: WebRequest, _ purpose: UserMessage) async throws(AuthFailure) -> JSONValue? {
        let response = try await accepted(request, purpose)
        return response.document
    }

    /// Sends a request, and refuses a web page as the answer: a network with a sign-in page of its own answers everything with that page
    /// and status 200.
    ///
    /// - Parameter status: an additional status that means success.
    private func acceptedData(_ request: WebRequest, _ purpose: UserMessage, or status: Int? = nil) async throws(AuthFailure) -> WebResponse
    {
        let response = try await accepted(request, purpose, or: status)
        guard !response.looksLikeHTML || response.status == status else {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("beyond_identity.web_page_answered", ["host": request.url.origin.authority, "purpose": purpose]),
                hint: "hint.proxy_or_network_sign_in_page")
        }
        return response
    }

    /// Sends a request, and returns the backend's answer if it means success.
    private func accepted(_ request: WebRequest, _ purpose: UserMessage, or status: Int? = nil) async throws(AuthFailure) -> WebResponse {
        let response = try await environment.transport.send(request, policy: TransportPolicy(caFile: configuration.caFile))
        let host = request.url.origin.authority
        if (200..<300).contains(response.status) || response.status == status { return response }
        try response.refuseRedirect(
            from: UserMessage("phrase.backend_at", ["host": host]), when: UserMessage("phrase.asked_to", ["purpose": purpose]))
        let refusal = ServiceRefusal(response)
        let summary = UserMessage("beyond_identity.backend_failed", ["host": host, "purpose": purpose, "detail": refusal.line])
        guard (400..<500).contains(response.status), response.status != 429 else {
            throw AuthFailure(.unavailable(retryAfter: nil), summary, hint: "hint.try_again_in_a_moment")
        }
        throw AuthFailure(.denied(code: refusal.code), summary, hint: "hint.beyond_identity_if_repeats_contact")
    }
}

extension SignUpBody.Place {
    fileprivate var field: SignInForm.Field {
        switch self {
        case .email: .init(id: rawValue, label: "form.email_label", kind: .email)
        case .displayName: .init(id: rawValue, label: "form.display_name_label", kind: .text, isRequired: false)
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

/// The JSON object that is posted to a backend to create an account, with placeholders for the user's answers.
struct SignUpBody: Equatable, Sendable {
    /// A placeholder for an answer of the user. Its raw value is the ID of the form's field, and is written in braces in the object.
    enum Place: String, Sendable, CaseIterable {
        case email
        case displayName = "display_name"

        fileprivate var mark: String { "{\(rawValue)}" }
    }

    /// The object, with placeholders in its texts.
    let template: JSONValue

    /// `{"email": "{email}"}`.
    static let standard = SignUpBody(checked: ["email": .string(Place.email.mark)])

    private init(checked template: JSONValue) { self.template = template }

    /// Creates a body; `nil` if the value is not an object, or has no placeholder for the email address.
    init?(_ template: JSONValue) {
        guard template.members != nil, Self.names(.email, in: template) else { return nil }
        self.init(checked: template)
    }

    /// Whether the object has the placeholder.
    func asks(for place: Place) -> Bool { Self.names(place, in: template) }

    /// Returns the object with the answers in place of the placeholders. A value whose placeholder has no answer is left out.
    func filled(with answers: [Place: String]) -> JSONValue {
        Self.filled(template, with: answers.filter { !$0.value.isEmpty }) ?? .object([])
    }

    private static func names(_ place: Place, in value: JSONValue) -> Bool {
        switch value {
        case .string(let text): text.contains(place.mark)
        case .array(let elements): elements.contains { names(place, in: $0) }
        case .object(let members): members.contains { names(place, in: $0.value) }
        case .null, .bool, .number: false
        }
    }

    private static func filled(_ value: JSONValue, with answers: [Place: String]) -> JSONValue? {
        switch value {
        case .string(let text): filled(text, with: answers).map(JSONValue.string)
        case .array(let elements): .array(elements.compactMap { filled($0, with: answers) })
        case .object(let members):
            .object(members.compactMap { member in filled(member.value, with: answers).map { .init(member.name, $0) } })
        case .null, .bool, .number: value
        }
    }

    /// Fills a text in one pass, so that an answer that looks like a placeholder is not replaced.
    private static func filled(_ text: String, with answers: [Place: String]) -> String? {
        var filled = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "{") {
            filled += rest[..<start]
            rest = rest[start...]
            if let place = Place.allCases.first(where: { rest.hasPrefix($0.mark) }) {
                guard let answer = answers[place] else { return nil }
                filled += answer
                rest = rest.dropFirst(place.mark.count)
            } else {
                filled.append(rest.removeFirst())
            }
        }
        return filled + rest
    }
}
