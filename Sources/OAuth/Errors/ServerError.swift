internal import AuthModel

/// An OAuth error from a server (RFC 6749 sections 4.1.2.1 and 5.2).
///
/// The texts are untrusted. They are reduced to the characters that RFC 6749 allows and to one short line, so that they cannot contain
/// control characters, escapes or bidirectional overrides. Their content may still be false.
public struct ServerError: Equatable, Sendable {
    /// The error code: `invalid_grant`, `access_denied`.
    public let code: String
    /// The server's description for users.
    public let description: String?

    /// Sanitizes untrusted texts. An empty code becomes `unknown_error`.
    ///
    /// - Parameter redactor: removes known secrets that the server repeats.
    public init(code: String, description: String? = nil, hiding redactor: SecretRedactor = .none) {
        let code = Self.cut(redactor.hiding(in: code), limit: 64)
        self.code = code.isEmpty ? "unknown_error" : code
        let text = description.map { Self.cut(redactor.hiding(in: $0), limit: 240) } ?? ""
        self.description = text.isEmpty ? nil : text
    }

    /// Reads the error of a JSON response (RFC 6749 section 5.2); returns `nil` if there is no OAuth error.
    init?(_ response: WebResponse) {
        guard let document = try? JSONValue(strict: response.body),
            let error = ErrorReader(document: document, redactor: response.redactor).error
        else { return nil }
        self = error
    }

    /// Reads the error of a parsed document.
    init?(_ reader: ResponseReader) {
        guard let error = ErrorReader(document: reader.object, redactor: reader.redactor).error else { return nil }
        self = error
    }

    /// Reduces `text` to the characters of RFC 6749 section 5.2 (`%x20-21 / %x23-5B / %x5D-7E`), on one line, and to at most `limit`
    /// characters.
    ///
    /// A double quote becomes a single quote. Each run of other invalid characters becomes one question mark.
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
    /// The error codes of token endpoints in the IANA OAuth Extensions Error registry.
    private static let registered: Set<String> = [
        "access_denied", "account_selection_required", "authorization_pending", "consent_required", "expired_token", "interaction_required",
        "invalid_authorization_details", "invalid_client", "invalid_dpop_proof", "invalid_grant", "invalid_request", "invalid_scope",
        "invalid_target", "invalid_token", "login_required", "server_error", "slow_down", "temporarily_unavailable", "transaction_failed",
        "unauthorized_client", "unmet_authentication_requirements", "unsupported_grant_type", "use_dpop_nonce",
    ]

    /// Returns whether a text is a registered OAuth error code.
    static func isRegistered(_ code: String) -> Bool { registered.contains(code) }

    /// Whether the code is an OAuth error code: a registered one, or a server's own in the same style, such as `invalid_code`. Gateway
    /// messages such as `Forbidden` are not.
    var isOAuthCode: Bool {
        if Self.registered.contains(code) { return true }
        return code.hasPrefix("invalid_") && code.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// Whether the error concerns only this request and not the grant: a proof that is invalid because of this machine's clock (RFC 9449
    /// section 5), or a request that came too early.
    var isTemporary: Bool { ["invalid_dpop_proof", "slow_down", "authorization_pending"].contains(code) }

    /// The code and the description on one line.
    public var line: String { description.map { "\(code): \($0)" } ?? code }
}
