internal import AuthEngine
internal import AuthModel
internal import OAuth

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
        answer.status == 403 || answer.status == 401 ? .refused : .taken
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
