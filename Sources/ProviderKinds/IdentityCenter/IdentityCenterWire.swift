import AuthEngine
import AuthModel
import OAuth

/// Sends the requests of OAuth in the form of AWS's sign-in service, and returns its answers in the form of OAuth.
///
/// The service has the grants of OAuth, but its requests and answers are JSON objects with names in camelCase (the service model `sso-oidc`
/// of botocore): `client_id` is `clientId`, and `access_token` is `accessToken`. Its errors have the codes of OAuth; an error without one
/// has its name in a header field. Each request has the secret of the registered client.
struct IdentityCenterWire: HTTPTransport {
    let transport: any HTTPTransport
    let registration: IdentityCenterRegistration
    let startURL: WebURL

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        guard request.method == .post, let fields = FormEncoding.decode(String(decoding: request.body, as: UTF8.self)) else {
            return try await transport.send(request, policy: policy)
        }
        var sent: [(String, String)] = fields.filter { $0.name != "scope" }.map { (Self.camelCased($0.name), $0.value) }
        sent.append(("clientSecret", registration.secret.reveal()))
        if !fields.contains(where: { $0.name == "grant_type" }) { sent.append(("startUrl", startURL.text)) }
        return Self.translated(try await transport.send(.json(request.url, sent), policy: policy))
    }

    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? {
        try await transport.certificate(of: origin, policy: policy)
    }

    /// Returns an answer with the names of OAuth. An answer that is no JSON object stays as it is.
    ///
    /// A refusal that says nothing about the grant becomes one of an unavailable service: it must not end a session.
    static func translated(_ answer: WebResponse) -> WebResponse {
        let document = answer.document
        var members = document?.members ?? []
        guard document?.members != nil || answer.status >= 400 else { return answer }
        var translated = answer
        if (400..<500).contains(answer.status), concernsNoGrant(answer, document) {
            members.removeAll { $0.name == "error" }
            translated.status = 503
        } else if answer.status >= 400, document?["error"]?.string == nil, let name = errorName(answer, document) {
            members.removeAll { $0.name == "error" }
            members.append(.init("error", .string(name)))
        }
        guard !members.isEmpty else { return answer }
        // AWS says that its ID token is not implemented; it identifies no one.
        let kept = members.filter { $0.name != "idToken" && $0.value != .null }
        translated.body = Array(JSONValue.object(kept.map { .init(snakeCased($0.name), $0.value) }).text.utf8)
        return translated
    }

    /// Whether a refusal is about the number of requests, the region or the service's own keys (`reason`), although its code is one of
    /// OAuth that ends a grant, such as `invalid_request`.
    private static func concernsNoGrant(_ answer: WebResponse, _ document: JSONValue?) -> Bool {
        if document?["reason"]?.string?.hasPrefix("KMS_") == true { return true }
        guard let name = exceptionName(answer, document) else { return false }
        return ["Throttl", "TooManyRequests", "InvalidRequestRegion"].contains { name.hasPrefix($0) }
    }

    /// Returns the name of an error in the service's model.
    private static func exceptionName(_ answer: WebResponse, _ document: JSONValue?) -> String? {
        // The field may have a URL after a colon, and the member a namespace before a number sign.
        let field = answer.header("x-amzn-ErrorType").flatMap { $0.split(separator: ":").first.map(String.init) }
        return field ?? document?["__type"]?.string.flatMap { $0.split(separator: "#").last.map(String.init) }
    }

    /// Returns the code of OAuth for the name of an error: `InvalidGrantException` is `invalid_grant`.
    private static func errorName(_ answer: WebResponse, _ document: JSONValue?) -> String? {
        guard let name = exceptionName(answer, document), name.hasSuffix("Exception") else { return nil }
        return snakeCased(String(name.dropLast("Exception".count)))
    }

    static func camelCased(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    static func snakeCased(_ name: String) -> String {
        name.reduce("") { text, letter in
            guard letter.isASCII, letter.isUppercase else { return text + String(letter) }
            return text + (text.isEmpty ? "" : "_") + String(letter).asciiLowercased()
        }
    }
}

/// A client that one sign-in registered.
struct IdentityCenterRegistration: Equatable {
    var id: String
    var secret: Secret
    /// The end of the registration. Its tokens can then no longer be renewed.
    var endsAt: Timestamp
}

extension IdentityCenterAdapter {
    /// The name under which the user's administrator sees the client.
    private static let clientName = "Yett"
    /// The scope with which the portal accepts the token, and with which it can be renewed.
    static let scope = "sso:account:access"
    private static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

    /// Registers a client for one sign-in.
    ///
    /// A registration lives for 90 days, and a session for at most as long, so a registration that begins with the session does not end
    /// before it. A registration for several sessions would end within one of them.
    func register() async throws(AuthFailure) -> IdentityCenterRegistration {
        let what = UserMessage("phrase.the_registration")
        let document: JSONValue = [
            "clientName": .string(Self.clientName), "clientType": "public", "scopes": [.string(Self.scope)],
            "grantTypes": ["authorization_code", .string(Self.deviceGrant), "refresh_token"],
            "redirectUris": .array(redirects.map { .string($0.description) }), "issuerUrl": .string(settings.startURL.text),
        ]
        let request = WebRequest(
            method: .post, url: try settings.signInService("/client/register"),
            headers: [("Content-Type", "application/json"), ("Accept", "application/json")], body: Array(document.text.utf8))
        let answer = IdentityCenterWire.translated(try await send(request))
        let host = request.url.origin.authority
        let reply = try read(answer, from: host, when: what)
        guard let id = reply["client_id"]?.string, let secret = reply["client_secret"]?.string.map({ Secret($0) }), !id.isEmpty,
            secret.isFieldText, let end = reply["client_secret_expires_at"]?.integer
        else {
            throw AuthFailure.notJSON(from: host, when: what, hint: "hint.aws_check_region")
        }
        return IdentityCenterRegistration(
            id: id, secret: secret, endsAt: Timestamp(milliseconds: min(max(end, 0), 253_402_300_799) * 1000))
    }
}
