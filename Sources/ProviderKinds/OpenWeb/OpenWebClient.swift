import AuthEngine
import AuthModel
import OAuth

/// A client of OpenWeb's gateway: JSON by POST, with the session in header fields.
struct OpenWebClient {
    let settings: OpenWebConfiguration
    let transport: any HTTPTransport
    let caFile: String?

    /// The number of times that a failed request is sent again.
    private static let retries = 2

    private var policy: TransportPolicy { TransportPolicy(deadline: .seconds(10), caFile: caFile) }

    /// The header fields that identify the site and the client.
    static func siteFields(_ settings: OpenWebConfiguration) -> [(name: String, value: String)] {
        [
            ("x-spot-id", settings.spotID), ("x-post-id", "default"), ("x-platform", "linux"),
            // Spelled as the gateway reads it.
            ("x-moblie-gw-version", "v1.0.0"),
        ]
    }

    private var host: String { settings.gateway.origin.authority }

    /// Sends a request with the values of `state`, and updates `state` from the answer.
    ///
    /// - Parameter what: the action, for error messages: "starting the sign-in (startSSO)".
    /// - Throws: `.denied` with the status as its code for a refusal.
    func post(
        _ path: String, _ body: JSONValue = .object([]), state: inout OpenWebState, when what: UserMessage
    ) async throws(AuthFailure) -> JSONValue {
        guard let url = WebURL(settings.gateway.text + path) else {
            throw AuthFailure(.configuration, "openweb.gateway_url_too_long")
        }
        var request = WebRequest(method: .post, url: url, headers: [("Content-Type", "application/json")], body: Array(body.text.utf8))
        request.headers += Self.siteFields(settings)
        request.headers.append(("x-guid", state.identifier))
        if let authorization = state.authorization { request.headers.append(("Authorization", authorization.reveal())) }
        if let token = state.token { request.headers.append(("x-openweb-token", token.reveal())) }
        let response = try await retried(request, when: what)
        try response.refuseRedirect(from: .verbatim(host), when: what)
        guard (200..<300).contains(response.status) else {
            throw AuthFailure(
                .denied(code: String(response.status)),
                UserMessage("http.refused_when", ["host": host, "action": what, "detail": ServiceRefusal(response).line]),
                hint: response.status == 400 ? "hint.openweb_check_spot_id" : "hint.openweb_try_again_or_contact")
        }
        if let authorization = try renewed("Authorization", in: response, when: what) { state.authorization = authorization }
        if let token = try renewed("x-openweb-token", in: response, when: what) { state.token = token }
        guard !response.body.isEmpty else { return .object([]) }
        guard let document = response.document else {
            throw AuthFailure.notJSON(from: host, when: what, hint: "hint.openweb_check_gateway_url")
        }
        return document
    }

    /// Returns the value of a header field to send from now on.
    private func renewed(_ field: String, in response: WebResponse, when what: UserMessage) throws(AuthFailure) -> Secret? {
        guard let text = response.header(field), !text.isEmpty else { return nil }
        let value = Secret(text)
        guard value.isFieldText else {
            throw AuthFailure(
                .security, UserMessage("openweb.field_invalid_characters", ["host": host, "field": field, "action": what]),
                hint: "hint.contact_its_administrator"
            )
        }
        return value
    }

    /// Fetches the configuration of the site: what guests may do, and whether there is single sign-on.
    func siteConfiguration() async throws(AuthFailure) -> JSONValue {
        guard let url = WebURL("\(settings.gateway.text)/config/get/\(settings.spotID)/default") else {
            throw AuthFailure(.configuration, "openweb.spot_id_invalid")
        }
        let response = try await retried(
            WebRequest(method: .get, url: url, headers: Self.siteFields(settings)), when: "phrase.openweb_reading_site_configuration")
        let what = UserMessage("phrase.openweb_reading_site_configuration")
        try response.refuseRedirect(from: .verbatim(host), when: what)
        guard response.status == 200 else {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("http.refused_when", ["host": host, "action": what, "detail": ServiceRefusal(response).line]),
                hint: "hint.openweb_check_spot_id")
        }
        guard let document = response.document else {
            throw AuthFailure.notJSON(from: host, when: what, hint: "hint.openweb_check_gateway_url")
        }
        return document
    }

    /// Sends a request, and repeats it after a temporary failure of the gateway.
    private func retried(_ request: WebRequest, when what: UserMessage) async throws(AuthFailure) -> WebResponse {
        var failure: AuthFailure?
        for _ in 0...Self.retries {
            do throws(AuthFailure) {
                let response = try await transport.send(request, policy: policy)
                guard response.status >= 500 else { return response }
                failure = AuthFailure(
                    .unavailable(retryAfter: nil),
                    UserMessage("http.failed_when_status", ["host": host, "action": what, "status": response.status]),
                    hint: "hint.try_again_in_a_moment")
            } catch {
                guard error.isTransient else { throw error }
                failure = error
            }
        }
        throw failure ?? AuthFailure(.bug, "http.request_not_sent")
    }
}

/// The requests and answers of OpenWeb's gateway: the session unchanged in `Authorization`, and 403 for an invalid session.
struct OpenWebDialect: ResourceDialect {
    let settings: OpenWebConfiguration

    var urlIdentifiesSession: Bool { true }

    var credentialFields: Set<String> { BearerDialect().credentialFields.union(["x-openweb-token"]) }

    func prepared(_ request: WebRequest) -> WebRequest {
        var request = request
        let given = Set(request.headers.map { $0.name.asciiLowercased() })
        request.headers += OpenWebClient.siteFields(settings).filter { !given.contains($0.name) }
        return request
    }

    func authorized(_ request: WebRequest, with issued: IssuedToken) -> WebRequest {
        var request = request
        let field = field(for: issued)
        request.headers.append((field.name, field.value.reveal()))
        request.headers += issued.fields.map { ($0.name, $0.value) }
        return request
    }

    /// Returns the value as the gateway sent it, without a scheme.
    func field(for issued: IssuedToken) -> (name: String, value: Secret) { ("Authorization", issued.token) }

    /// Conversations are read with POST.
    func isRead(_ request: WebRequest) -> Bool {
        request.method == .get || request.url.lies(in: settings.gateway) && request.url.path.hasSuffix("/conversation/read")
    }

    func verdict(on answer: WebResponse) -> TokenVerdict {
        // The vendor's client handles only 403, but 401 can have no other meaning.
        answer.status == 403 || answer.status == 401 ? .refused : .accepted
    }

    func failure(_ answer: WebResponse, from host: String) -> AuthFailure? {
        switch answer.status {
        case 200..<300: nil
        case 401, 403:
            AuthFailure(
                .denied(code: String(answer.status)), UserMessage("http.refused_with_status", ["host": host, "status": answer.status]),
                hint: "hint.openweb_require_signed_in")
        default: BearerDialect().failure(answer, from: host)
        }
    }

    func newToken(in answer: WebResponse) -> Secret? {
        guard (200..<300).contains(answer.status), let token = answer.header("Authorization").map({ Secret($0) }),
            token.isFieldText
        else { return nil }
        return token
    }
}
