package import AuthModel
package import OAuth

/// The reason of a refusal by a service that is not an OAuth endpoint: its own code and message, in any of the common formats.
package struct ServiceRefusal: Equatable {
    /// The service's own code, else the status.
    package let code: String
    /// One line for the user, such as `status 409, conflict: that user exists`, reduced to text that is safe to show.
    package let line: UserMessage

    /// The maximum size of a body that is read as a sentence, in bytes.
    private static let sentenceLimit = 240

    package init(_ response: WebResponse) {
        let (name, words) = Self.parts(of: response)
        func error(_ code: String, _ words: String?) -> ServerError {
            ServerError(code: code, description: words, hiding: response.redactor)
        }
        code = name.map { error($0, nil).code } ?? String(response.status)
        switch (name, words) {
        case (let name?, let words):
            line = UserMessage(
                "http.status_and_error", ["status": response.status, "detail": error(name, words == name ? nil : words).line])
        case (nil, let words?):
            line = UserMessage("http.status_and_words", ["status": response.status, "detail": error(code, words).description ?? ""])
        case (nil, nil): line = UserMessage("phrase.status", ["status": response.status])
        }
    }

    private static func parts(of response: WebResponse) -> (name: String?, words: String?) {
        guard let document = response.document else { return (nil, sentence(of: response)) }
        // `{"error": {…}}`, `{"error": "code", "error_description": …}`, `{"code": …, "message": …}`.
        let inner = document["error"].flatMap { $0.members == nil ? nil : $0 } ?? document
        let name = word(inner["error"]) ?? word(inner["code"])
        return (name, word(inner["error_description"]) ?? word(inner["message"]))
    }

    private static func word(_ value: JSONValue?) -> String? {
        let text = value?.string ?? value?.integer.map { String($0) }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }

    private static func sentence(of response: WebResponse) -> String? {
        guard (1...sentenceLimit).contains(response.body.count), !response.looksLikeHTML else { return nil }
        let text = String(decoding: response.body, as: UTF8.self).split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return text.isEmpty ? nil : text
    }
}

extension WebResponse {
    /// Throws for a redirect. It is not followed, because the request is for `host` only.
    ///
    /// - Parameter what: the action, for the message to the user: "redeeming the code".
    package func refuseRedirect(from host: UserMessage, when what: UserMessage) throws(AuthFailure) {
        guard (300..<400).contains(status) else { return }
        throw AuthFailure(
            .security, UserMessage("http.redirect_refused", ["host": host, "action": what]), hint: "hint.check_configured_address")
    }
}

extension Secret {
    /// Whether the text can be a token in a header field (RFC 6750 section 2.1): visible ASCII only.
    package var isTokenText: Bool { withBytes { !$0.isEmpty && $0.allSatisfy { (0x21...0x7E).contains($0) } } }

    /// Whether the text can be the value of a header field (RFC 9110 section 5.5): visible ASCII and spaces.
    package var isFieldText: Bool { withBytes { !$0.isEmpty && $0.allSatisfy { (0x20...0x7E).contains($0) } } }
}
