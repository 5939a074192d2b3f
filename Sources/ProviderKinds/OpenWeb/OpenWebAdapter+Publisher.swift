internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The credentials that prove to OpenWeb who the user is; kept for one sign-in only.
struct OpenWebCredentials: Sendable {
    enum Voucher: Sendable {
        case codes
        case jwt(Secret)
        case providerToken(String, Secret)
    }

    var voucher: Voucher
    /// The header field that authenticates the user to the publisher's backend.
    var field: (name: String, value: Secret)?
    /// The token from a publisher's form, stored for silent renewals. A session of another provider is asked for its token each time.
    var publisherToken: Secret?
    /// The session at the publisher that identifies the user.
    var base: SessionName?
}

extension OpenWebAdapter {
    /// The maximum number of passwords that the user may try.
    private static let tries = 3

    var publisher: OpenWebConfiguration.Publisher? {
        switch settings.voucher {
        case .codes(let publisher, _): publisher
        case .jwt(_, let publisher, _): publisher
        case .provider: nil
        }
    }

    /// The URL of the publisher's backend that exchanges a code A for a code B.
    var backend: WebURL? {
        switch settings.voucher {
        case .codes(_, let backend): backend
        case .jwt(_, _, let backend): backend
        case .provider: nil
        }
    }

    var publisherHost: String? {
        if case .form(let url, _)? = publisher { return url.origin.authority }
        return backend?.origin.authority
    }

    /// Collects the credentials for a sign-in: a publisher's session or token, or a JWT.
    func publisherCredentials(
        _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> OpenWebCredentials {
        switch settings.voucher {
        case .provider(let name, let origin):
            let token = try await secret(
                from: origin, titled: UserMessage("form.openweb_token_of", ["name": name]), request, attempt: attempt)
            return OpenWebCredentials(voucher: .providerToken(name, token))
        case .jwt(let origin, _, _):
            var proof = OpenWebCredentials(
                voucher: .jwt(try await secret(from: origin, titled: .verbatim("JWT"), request, attempt: attempt)))
            if let publisher, backend != nil {
                let known = try await publisherCredential(publisher, request, attempt: attempt, sessions: sessions)
                (proof.field, proof.publisherToken, proof.base) = (known.field, known.publisherToken, known.base)
            }
            return proof
        case .codes(let publisher, _):
            return try await publisherCredential(publisher, request, attempt: attempt, sessions: sessions)
        }
    }

    /// Collects the same credentials without the user; `nil` if only the user can provide them.
    func silentCredentials(_ record: SessionRecord, sessions: BaseSessions) async throws(AuthFailure) -> OpenWebCredentials? {
        let extras = OpenWebExtras(record.extras)
        let kept = extras.publisherToken
        switch settings.voucher {
        case .provider(let name, .command(let command)):
            return OpenWebCredentials(voucher: .providerToken(name, try await output(of: command)))
        case .jwt(.command(let command), _, _):
            var proof = OpenWebCredentials(voucher: .jwt(try await output(of: command)))
            if case .form(_, let header)? = publisher, let kept { (proof.field, proof.publisherToken) = ((header, kept), kept) }
            if case .session(let name)? = publisher {
                let known = try await sessionCredentials(extras.base ?? name, sessions)
                (proof.field, proof.base) = (known.field, known.base)
            }
            return proof
        case .codes(.session(let name), _): return try await sessionCredentials(extras.base ?? name, sessions)
        case .codes(.form(_, let header), _):
            return kept.map { OpenWebCredentials(voucher: .codes, field: (header, $0), publisherToken: $0) }
        case .provider(_, .user), .jwt(.user, _, _): return nil
        }
    }

    private func output(of command: [String]) async throws(AuthFailure) -> Secret {
        try await ClientSecretSource.read(.command(command), environment: environment.commandEnvironment)
    }

    private func secret(
        from origin: OpenWebConfiguration.SecretOrigin, titled title: UserMessage, _ request: SignInRequest, attempt: AttemptChannel
    ) async throws(AuthFailure) -> Secret {
        switch origin {
        case .command(let command): return try await output(of: command)
        case .user:
            let form = SignInForm(
                title: UserMessage("form.sign_in_to", ["provider": configuration.name]),
                fields: [.init(id: "jwt", label: title, kind: .secret)])
            let answers = try await attempt.ask(form, given: request)
            guard let answer = answers["jwt"] else { throw AuthFailure(.usage, UserMessage("form.missing", ["field": title])) }
            return answer
        }
    }

    /// Returns the credentials from a session at the publisher.
    private func sessionCredentials(_ name: SessionName, _ sessions: BaseSessions) async throws(AuthFailure) -> OpenWebCredentials {
        proof(try await sessions.base(name, for: configuration.name, wanted: .access))
    }

    private func proof(_ base: BaseSession) -> OpenWebCredentials {
        OpenWebCredentials(voucher: .codes, field: ("Authorization", Secret("Bearer \(base.token.reveal())")), base: base.name)
    }

    private func publisherCredential(
        _ publisher: OpenWebConfiguration.Publisher, _ request: SignInRequest, attempt: AttemptChannel, sessions: BaseSessions
    ) async throws(AuthFailure) -> OpenWebCredentials {
        switch publisher {
        case .session(let name):
            return proof(try await sessions.base(name, for: configuration.name, wanted: .access, or: request, attempt: attempt))
        case .form(let url, let header):
            let token = try await loggedIn(at: url, request, attempt: attempt)
            return OpenWebCredentials(voucher: .codes, field: (header, token), publisherToken: token)
        }
    }

    // MARK: Sign-in at the publisher

    private func loggedIn(at url: WebURL, _ request: SignInRequest, attempt: AttemptChannel) async throws(AuthFailure) -> Secret {
        var form = SignInForm(
            title: UserMessage("form.sign_in_at", ["host": url.origin.authority]),
            fields: [
                .init(id: "username", label: "form.user_name", kind: .text, suggestion: request.loginHint),
                .init(id: "password", label: "form.password", kind: .secret),
            ])
        var given = request
        for remaining in (0..<Self.tries).reversed() {
            let answers = try await attempt.ask(form, given: given)
            let body: JSONValue = [
                "username": .string(answers["username"]?.reveal() ?? ""), "password": .string(answers["password"]?.reveal() ?? ""),
            ]
            let response = try await send(url, body)
            if (200..<300).contains(response.status), let token = response.document?["token"]?.string, !token.isEmpty {
                guard Secret(token).isTokenText else {
                    throw AuthFailure(
                        .security, UserMessage("openweb.invalid_token_characters", ["host": url.origin.authority]),
                        hint: "hint.contact_its_administrator")
                }
                return Secret(token)
            }
            try response.refuseRedirect(
                from: UserMessage("phrase.openweb_publisher", ["host": url.origin.authority]), when: "phrase.checking_password")
            let failure = refusal(response, of: url)
            guard [400, 401, 403].contains(response.status), remaining > 0, given.answers["password"] == nil else { throw failure }
            form.refusal = failure
            form.fields[0].suggestion = answers["username"]?.reveal()
            given.answers = [:]
        }
        throw AuthFailure(.bug, "form.too_many_password_attempts")
    }

    private func refusal(_ response: WebResponse, of url: WebURL) -> AuthFailure {
        let host = url.origin.authority
        switch response.status {
        case 400, 401, 403:
            return AuthFailure(
                .denied(code: String(response.status)),
                UserMessage("openweb.sign_in_refused", ["host": host, "detail": ServiceRefusal(response).line]),
                hint: "hint.check_user_name_and_password")
        case 200..<300:
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("openweb.no_token", ["host": host]), hint: "hint.openweb_check_login_url")
        default:
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("openweb.publisher_status", ["host": host, "status": response.status]),
                hint: "hint.try_again_in_a_moment")
        }
    }

    // MARK: Code B

    /// Asks the publisher's backend to confirm the user who is signed in there, and returns its code B. The backend alone holds OpenWeb's
    /// secret for this.
    func codeB(for codeA: String, _ proof: OpenWebCredentials, at backend: WebURL) async throws(AuthFailure) -> String {
        let host = backend.origin.authority
        let response = try await send(
            backend, ["code_a": .string(codeA)], headers: proof.field.map { [($0.name, $0.value.reveal())] } ?? [])
        try response.refuseRedirect(from: UserMessage("phrase.openweb_publisher", ["host": host]), when: "phrase.openweb_asked_for_code_b")
        let refusal = UserMessage("openweb.no_code_b_because", ["host": host, "detail": ServiceRefusal(response).line])
        switch response.status {
        case 200..<300: break
        case 501: throw AuthFailure(.denied(code: "501"), refusal, hint: "hint.openweb_check_codeb_url_exchange")
        case 408, 429, 500...:
            var failure = AuthFailure(
                .unavailable(retryAfter: response.retryAfter(now: environment.time.now)), refusal, hint: "hint.try_again_in_a_moment")
            // The next try starts with a new code A, so a retry cannot spend anything twice.
            failure.retryPolicy = .freely
            throw failure
        default: throw AuthFailure(.denied(code: String(response.status)), refusal, hint: "hint.openweb_sign_in_at_publisher_again")
        }
        let text = String(decoding: response.body, as: UTF8.self)
        if let document = try? JSONValue(strict: text), document.members != nil {
            guard let code = document["code_b"]?.string ?? document["codeB"]?.string, !code.isEmpty else {
                throw AuthFailure(
                    .denied(code: nil), UserMessage("openweb.no_code_b", ["host": host]), hint: "hint.openweb_check_codeb_url")
            }
            return code
        }
        let code = ((try? JSONValue(strict: text))?.string ?? text).filter { !$0.isWhitespace }
        // A code is one word. Longer text is a web page.
        guard (1...1024).contains(code.utf8.count), code.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), code.first != "<" else {
            throw AuthFailure(
                .denied(code: nil), UserMessage("openweb.invalid_code_b", ["host": host]), hint: "hint.openweb_check_codeb_url")
        }
        return code
    }

    private func send(_ url: WebURL, _ body: JSONValue, headers: [(name: String, value: String)] = []) async throws(AuthFailure)
        -> WebResponse
    {
        let fields = [(name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json, text/plain")] + headers
        return try await environment.transport.send(
            WebRequest(method: .post, url: url, headers: fields, body: Array(body.text.utf8)),
            policy: TransportPolicy(caFile: configuration.caFile))
    }
}
