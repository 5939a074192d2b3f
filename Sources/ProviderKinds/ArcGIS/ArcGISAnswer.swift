internal import AuthEngine
internal import AuthModel
internal import OAuth

/// An answer of ArcGIS: JSON with status 200, for errors too.
struct ArcGISAnswer {
    let document: JSONValue

    /// An error inside an answer.
    struct Fault: Error, Equatable {
        /// ArcGIS's own error code: 498 for an invalid token, 499 for a missing token, 403 for insufficient rights.
        var code: Int64
        /// The OAuth error code, if there is one.
        var name: String?
        /// The error message; text from the server.
        var message: String?

        /// Whether a token, or another token, would help.
        var needsToken: Bool { code == 498 || code == 499 }

        /// The error in one line, such as `498 Invalid token.`, reduced to text that is safe to show.
        var line: String {
            let words = ServerError(code: name ?? String(code), description: message)
            return name == nil ? words.line.replacing(": ", with: " ", maxReplacements: 1) : "\(code) \(words.line)"
        }
    }

    /// Reads the body of an answer.
    ///
    /// An error usually has status 200. An error with another status is read in the same way.
    ///
    /// - Throws: `.security` for a redirect; `.unavailable` for any other answer that is not a JSON object, or that has nothing but a
    ///   status.
    static func read(_ response: WebResponse, from host: String, asked what: UserMessage) throws(AuthFailure) -> Result<JSONValue, Fault> {
        try response.refuseRedirect(from: .verbatim(host), when: what)
        if let fault = Fault(answer: response) { return .failure(fault) }
        guard response.status == 200 else {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage("arcgis.unexpected_status_when", ["host": host, "status": response.status, "purpose": what]),
                hint: "hint.try_again_in_a_moment"
            )
        }
        guard let document = try? JSONValue(strict: response.body), document.members != nil else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("json.response_not_json_when", ["host": host, "action": what]),
                hint: "hint.arcgis_check_portal_url_or_proxy")
        }
        return .success(document)
    }
}

extension ArcGISAnswer.Fault {
    /// Reads the error of an endpoint's answer, in either format; `nil` if there is none, or if the server itself has failed.
    init?(answer response: WebResponse) {
        guard response.status < 500, response.status != 429, let document = try? JSONValue(strict: response.body) else { return nil }
        if let name = document["error"]?.string, !name.isEmpty {
            self.init(code: 400, name: name, message: document["error_description"]?.string ?? document["message"]?.string)
        } else {
            self.init(in: document)
        }
        message = message.map(response.redactor.hiding)
    }

    /// Reads the error of a document; `nil` if there is none.
    init?(in document: JSONValue) {
        guard let error = document["error"], error.members != nil else { return nil }
        let details = (error["details"]?.strings ?? []).joined(separator: "; ")
        let text = error["error_description"]?.string ?? error["message"]?.string
        let message = [text, details.isEmpty || details == text ? nil : details].compactMap(\.self).joined(separator: " ")
        let code = error["code"]?.integer ?? error["code"]?.string.flatMap { Int64($0) }
        self.init(code: code ?? 0, name: error["error"]?.string, message: message.isEmpty ? nil : message)
    }

    /// Returns the failure to report to the user.
    func failure(_ host: String, when what: UserMessage) -> AuthFailure {
        if code >= 500 {
            return AuthFailure(
                .unavailable(retryAfter: nil), UserMessage("arcgis.failed_when", ["host": host, "purpose": what, "detail": line]),
                hint: "hint.try_again_in_a_moment")
        }
        let hint =
            switch name {
            case "invalid_client_id", "invalid_client": UserMessage("hint.check_client_id")
            case "invalid_redirect_uri": UserMessage("hint.arcgis_register_redirect")
            default: code == 498 ? UserMessage("hint.repeat_sign_in") : UserMessage("hint.arcgis_contact_administrator")
            }
        return AuthFailure(
            .denied(code: name ?? String(code)), UserMessage("http.refused_when", ["host": host, "action": what, "detail": line]),
            hint: hint)
    }
}
