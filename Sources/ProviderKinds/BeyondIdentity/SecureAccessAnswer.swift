internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The answers of the newer generation: JSON, with `code` and `message` in a refusal.
enum SecureAccessAnswer {
    /// Reads an answer.
    ///
    /// - Parameter purpose: the purpose of the request, for error messages.
    static func read(_ response: WebResponse, from host: String, to purpose: UserMessage) throws(AuthFailure) -> JSONValue {
        let document = response.document
        switch response.status {
        case 200..<300:
            if response.body.isEmpty { return .object([]) }
            guard let document, document.members != nil else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("json.response_not_json_when_asked", ["host": host, "purpose": purpose]),
                    hint: "hint.proxy_answered_try_again")
            }
            return document
        case 300..<400:
            throw AuthFailure(
                .configuration, UserMessage("http.redirect_when_asked", ["host": host, "purpose": purpose]),
                hint: "hint.beyond_identity_automatic_invocation")
        case 500...:
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("http.status_when_asked", ["host": host, "status": response.status, "purpose": purpose]),
                hint: "hint.try_again_in_a_moment")
        default:
            let code = document?["code"]?.string ?? document?["error"]?.string
            let words = document?["message"]?.string ?? document?["error_description"]?.string
            let error = ServerError(code: code ?? String(response.status), description: words, hiding: response.redactor)
            let status = response.status
            let detail =
                code.map { _ in UserMessage.verbatim(error.line) }
                ?? error.description.map { UserMessage("http.status_and_words", ["status": status, "detail": $0]) }
                ?? UserMessage("phrase.status", ["status": status])
            throw AuthFailure(
                .denied(code: code.map { _ in error.code }),
                UserMessage("http.refused_purpose", ["host": host, "purpose": purpose, "detail": detail]),
                hint: response.status == 401 || response.status == 403
                    ? "hint.beyond_identity_allow_tokens"
                    : "hint.contact_application_administrator")
        }
    }
}

/// An application whose authorization endpoint answers with the URL of the authenticator (`invocation_type` manual).
struct ManualInvocation: Sendable {
    /// The hosts that a browser may be sent to.
    let hosts: [String]
    let transport: any HTTPTransport
    let caFile: String?

    /// Sends an authorization request, and returns the URL that the browser must open next.
    ///
    /// Throws `.security` for a URL outside ``hosts``.
    func authenticator(for request: WebURL) async throws(AuthFailure) -> WebURL {
        let response = try await transport.send(
            WebRequest(method: .get, url: request, headers: [("Accept", "application/json"), ("Content-Type", "application/json")]),
            policy: TransportPolicy(caFile: caFile))
        let host = request.origin.authority
        let answer = try SecureAccessAnswer.read(response, from: host, to: "phrase.start_sign_in")
        guard let text = answer["authenticate_url"]?.string else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("beyond_identity.no_authenticator_url", ["host": host]),
                hint: "hint.beyond_identity_manual_invocation")
        }
        guard let url = WebURL(text), url.isRequestable, isAllowed(url.origin) else {
            let named = WebURL(text).map { .verbatim($0.origin.authority) } ?? UserMessage("phrase.no_address")
            throw AuthFailure(
                .security, UserMessage("beyond_identity.host_not_allowed", ["host": host, "address": named]),
                hint: "hint.beyond_identity_add_invoke_host")
        }
        return url
    }

    private func isAllowed(_ origin: Origin) -> Bool {
        hosts.contains { host in
            host == origin.authority || !origin.isAddress && (origin.host == host || origin.host.hasSuffix("." + host))
        }
    }
}

extension RemoteToken {
    /// Reads one member of the management API's list; `nil` if it has no ID. Only the last characters of a token are read.
    init?(secureAccess member: JSONValue) {
        guard let id = member["id"]?.string, !id.isEmpty else { return nil }
        func words(_ value: JSONValue?) -> [String] {
            value?.strings ?? (value?.string ?? "").split(separator: " ").map(String.init)
        }
        self.init(
            id: id, suffix: member["token_suffix"]?.string.map { String($0.suffix(8)) }, kind: member["token_type"]?.string,
            scopes: ScopeSet(words(member["scopes"]).filter(ScopeSet.isScope)),
            issuedAt: member["issued_at"]?.string.flatMap { Timestamp($0) }, expiresAt: member["expires"]?.string.flatMap { Timestamp($0) })
    }
}
