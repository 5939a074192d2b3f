internal import AuthModel

/// An OAuth error as a server reported it (RFC 6749 sections 4.1.2.1 and 5.2).
///
/// The texts come from outside. They are cut to the characters RFC 6749 allows and to one short line, so that they cannot carry
/// control characters, escapes or bidirectional tricks; they are still nobody's promise of being true.
public struct ServerError: Equatable, Sendable {
    /// The error code: `invalid_grant`, `access_denied`.
    public let code: String
    /// What the server says about it, for people.
    public let description: String?

    /// Takes foreign texts and cuts them; an empty code becomes `unknown_error`.
    ///
    /// - Parameter confidences: what must not be said, though the server does.
    public init(code: String, description: String? = nil, hiding redactor: SecretRedactor = .none) {
        let code = Self.cut(redactor.hiding(in: code), limit: 64)
        self.code = code.isEmpty ? "unknown_error" : code
        let text = description.map { Self.cut(redactor.hiding(in: $0), limit: 240) } ?? ""
        self.description = text.isEmpty ? nil : text
    }

    /// Reads the error of a JSON answer (RFC 6749 section 5.2); `nil` where there is none that can be read.
    init?(_ response: WebResponse) {
        guard let document = try? JSONValue(strict: response.body) else { return nil }
        self.init(document, hiding: response.redactor)
    }

    /// The error of a document that was read already.
    init?(_ reader: AnswerReader) { self.init(reader.object, hiding: reader.redactor) }

    private init?(_ document: JSONValue, hiding redactor: SecretRedactor) {
        guard let code = document["error"]?.string, !code.isEmpty else { return nil }
        self.init(code: code, description: document["error_description"]?.string, hiding: redactor)
    }

    /// `text` in the characters of RFC 6749 section 5.2 (`%x20-21 / %x23-5B / %x5D-7E`), on one line, at most `limit` of them.
    ///
    /// A double quote becomes a single one; each run of anything else that is not allowed becomes one question mark.
    static func cut(_ text: String, limit: Int) -> String {
        var out: [UInt8] = []
        var inRun = false
        for scalar in text.unicodeScalars {
            guard out.count < limit else { break }
            switch scalar.value {
            case 0x20, 0x21, 0x23...0x5B, 0x5D...0x7E:
                out.append(UInt8(scalar.value))
                inRun = false
            case 0x22:
                out.append(UInt8(ascii: "'"))
                inRun = false
            default:
                if !inRun { out.append(UInt8(ascii: "?")) }
                inRun = true
            }
        }
        return String(decoding: out, as: UTF8.self)
    }
}

extension ServerError {
    /// The codes that the OAuth Extensions Error registry of IANA has for token endpoints.
    private static let registered: Set<String> = [
        "access_denied", "account_selection_required", "authorization_pending", "consent_required", "expired_token", "interaction_required",
        "invalid_authorization_details", "invalid_client", "invalid_dpop_proof", "invalid_grant", "invalid_request", "invalid_scope",
        "invalid_target", "invalid_token", "login_required", "server_error", "slow_down", "temporarily_unavailable", "transaction_failed",
        "unauthorized_client", "unmet_authentication_requirements", "unsupported_grant_type", "use_dpop_nonce",
    ]

    /// Whether it is an error of OAuth: one that is registered, or a server's own that is spelt as they are, such as `invalid_code`. What a
    /// gateway in front of a server says in its place, such as `Forbidden`, is none.
    var isOfOAuth: Bool {
        if Self.registered.contains(code) { return true }
        return code.hasPrefix("invalid_") && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether it is about this one request and not about the grant: a proof that this machine's clock spoilt (RFC 9449 section 5), or a
    /// question that was asked too early.
    var isAboutTheMoment: Bool { ["invalid_dpop_proof", "slow_down", "authorization_pending"].contains(code) }

    /// The code, and what the server says about it behind it: one line.
    public var line: String { description.map { "\(code): \($0)" } ?? code }
}
