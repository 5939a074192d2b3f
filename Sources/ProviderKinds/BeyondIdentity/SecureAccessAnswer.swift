internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The answers of the newer generation: JSON, with `code` and `message` in a refusal.
enum SecureAccessAnswer {
    /// Reads an answer.
    ///
    /// - Parameter purpose: the purpose of the request, for error messages.
    static func read(_ response: WebResponse, from host: String, to purpose: String) throws(AuthFailure) -> JSONValue {
        let document = try? JSONValue(strict: response.body)
        switch response.status {
        case 200..<300:
            if response.body.isEmpty { return .object([]) }
            guard let document, document.members != nil else {
                throw AuthFailure(
                    .unavailable(retryAfter: nil), "\(host) returned a response that is not JSON when asked to \(purpose)",
                    hint: "a proxy or a sign-in page may have answered; try again")
            }
            return document
        case 300..<400:
            throw AuthFailure(
                .configuration, "\(host) answered with a redirect when asked to \(purpose)",
                hint: "if the application's invocation type is automatic, set invocation = \"automatic\"")
        case 500...:
            throw AuthFailure(
                .unavailable(retryAfter: nil), "\(host) answered with status \(response.status) when asked to \(purpose)",
                hint: "try again in a moment")
        default:
            let code = document?["code"]?.string ?? document?["error"]?.string
            let words = document?["message"]?.string ?? document?["error_description"]?.string
            let error = ServerError(code: code ?? "status \(response.status)", description: words, hiding: response.redactor)
            throw AuthFailure(
                .denied(code: code), "\(host) refused to \(purpose): \(error.line)",
                hint: response.status == 401 || response.status == 403
                    ? "allow the application's tokens to do that; if the session has ended, sign in again"
                    : "if this repeats, contact the application's administrator")
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
        var policy = TransportPolicy.standard
        policy.caFile = caFile
        let response = try await transport.send(
            WebRequest(method: .get, url: request, headers: [("Accept", "application/json"), ("Content-Type", "application/json")]),
            policy: policy)
        let host = request.origin.authority
        let answer = try SecureAccessAnswer.read(response, from: host, to: "start the sign-in")
        guard let text = answer["authenticate_url"]?.string else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), "\(host) returned no URL of the authenticator (authenticate_url)",
                hint: "check that the application's invocation type is manual")
        }
        guard let url = WebURL(text), url.isProtected, isAllowed(url.origin) else {
            let named = WebURL(text)?.origin.authority ?? "no address"
            throw AuthFailure(
                .security, "\(host) sends the browser to \(named), which is not in invoke_hosts",
                hint: "no page was opened; if this host is the authenticator, add it to invoke_hosts")
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
