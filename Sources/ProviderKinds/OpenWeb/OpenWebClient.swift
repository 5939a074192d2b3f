internal import AuthEngine
internal import AuthModel
internal import OAuth

/// A client of OpenWeb's gateway: JSON by POST, with the session in header fields.
struct OpenWebClient {
    let settings: OpenWebConfiguration
    let transport: any HTTPTransport
    let caFile: String?

    /// How many times a failed request is sent again.
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
        _ path: String, _ body: JSONValue = .object([]), state: inout OpenWebState, when what: String
    ) async throws(AuthFailure) -> JSONValue {
        guard let url = WebURL(settings.gateway.text + path) else {
            throw AuthFailure(.configuration, "gateway_url is too long")
        }
        var request = WebRequest(method: .post, url: url, headers: [("Content-Type", "application/json")], body: Array(body.text.utf8))
        request.headers += Self.siteFields(settings)
        request.headers.append(("x-guid", state.identifier))
        if let authorization = state.authorization { request.headers.append(("Authorization", authorization.reveal())) }
        if let token = state.token { request.headers.append(("x-openweb-token", token.reveal())) }
        let response = try await retried(request, when: what)
        try response.refuseRedirect(from: host, when: what)
        guard (200..<300).contains(response.status) else {
            throw AuthFailure(
                .denied(code: String(response.status)), "\(host) refused when \(what): \(ServiceRefusal(response).line)",
                hint: response.status == 400 ? "check spot_id" : "try again; if this repeats, contact OpenWeb")
        }
        if let authorization = try held("Authorization", in: response, when: what) { state.authorization = authorization }
        if let token = try held("x-openweb-token", in: response, when: what) { state.token = token }
        guard !response.body.isEmpty else { return .object([]) }
        guard let document = try? JSONValue(strict: response.body) else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), "\(host) returned a response that is not JSON when \(what)", hint: "check gateway_url")
        }
        return document
    }

    /// Returns the value of a header field to send from now on.
    private func held(_ field: String, in response: WebResponse, when what: String) throws(AuthFailure) -> Secret? {
        guard let text = response.header(field), !text.isEmpty else { return nil }
        let value = Secret(text)
        guard value.isFieldText else {
            throw AuthFailure(
                .security, "\(host) sent a field \(field) with invalid characters when \(what)", hint: "contact its administrator"
            )
        }
        return value
    }

    /// Fetches the configuration of the site: what guests may do, and whether there is single sign-on.
    func siteConfiguration() async throws(AuthFailure) -> JSONValue {
        guard let url = WebURL("\(settings.gateway.text)/config/get/\(settings.spotID)/default") else {
            throw AuthFailure(.configuration, "spot_id is not a valid identifier")
        }
        let response = try await retried(
            WebRequest(method: .get, url: url, headers: Self.siteFields(settings)), when: "reading the site's configuration")
        let what = "reading the site's configuration"
        try response.refuseRedirect(from: host, when: what)
        guard response.status == 200 else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), "\(host) refused when \(what): \(ServiceRefusal(response).line)", hint: "check spot_id")
        }
        guard let document = try? JSONValue(strict: response.body) else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), "\(host) returned a response that is not JSON when \(what)", hint: "check gateway_url")
        }
        return document
    }

    /// Sends a request, and repeats it after a temporary failure of the gateway.
    private func retried(_ request: WebRequest, when what: String) async throws(AuthFailure) -> WebResponse {
        var failure: AuthFailure?
        for _ in 0...Self.retries {
            do throws(AuthFailure) {
                let response = try await transport.send(request, policy: policy)
                guard response.status >= 500 else { return response }
                failure = AuthFailure(
                    .unavailable(retryAfter: nil), "\(host) failed when \(what): status \(response.status)",
                    hint: "try again in a moment")
            } catch {
                guard error.isTransient else { throw error }
                failure = error
            }
        }
        throw failure ?? AuthFailure(.bug, "a request was not sent")
    }
}
