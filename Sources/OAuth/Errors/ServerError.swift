import AuthModel

/// An OAuth error from a server (RFC 6749 sections 4.1.2.1 and 5.2).
///
/// The texts are untrusted. They are reduced to the characters that RFC 6749 allows and to one short line, so that they cannot contain
/// control characters, escapes or bidirectional overrides. Their content may still be false.
public struct ServerError: Equatable, Sendable {
    /// The error code: `invalid_grant`, `access_denied`.
    public let code: String
    /// The server's description for users.
    public let description: String?
    /// A second code that says more than ``code``: `suberror` of Microsoft Entra, such as `consent_required`.
    public let subcode: String?

    /// Sanitizes untrusted texts. An empty code becomes `unknown_error`.
    ///
    /// - Parameter redactor: removes known secrets that the server repeats.
    public init(code: String, description: String? = nil, subcode: String? = nil, hiding redactor: SecretRedactor = .none) {
        self.subcode = subcode.map { Self.shown($0, hiding: redactor, limit: 64) }
        var (code, description) = (code, description)
        // Dropbox writes both into one text.
        if let colon = code.firstRange(of: ": "), Self.isRegistered(String(code[..<colon.lowerBound])) {
            description = description ?? String(code[colon.upperBound...])
            code = String(code[..<colon.lowerBound])
        }
        code = Self.shown(code, hiding: redactor, limit: 64)
        self.code = code.isEmpty ? "unknown_error" : code
        let text = description.map { Self.shown($0, hiding: redactor, limit: 240) } ?? ""
        self.description = text.isEmpty ? nil : text
    }

    /// Reads the error of a JSON response (RFC 6749 section 5.2); returns `nil` if there is no OAuth error.
    init?(_ response: WebResponse) {
        guard let document = response.errorDocument ?? response.form,
            let error = ErrorReader(document: document, redactor: response.redactor).error
        else { return nil }
        self = error
    }

    /// Reads the error of a parsed document.
    init?(_ reader: ResponseReader) {
        guard let error = ErrorReader(document: reader.object, redactor: reader.redactor).error else { return nil }
        self = error
    }

    /// Returns an untrusted text without secrets, with the characters of ``cut(_:limit:)``. Secrets are hidden twice: before, because the
    /// characters of a secret change too, and after, because the redactor searches only the beginning of a text, and a run of invalid
    /// characters becomes so short that the rest is shown.
    private static func shown(_ text: String, hiding redactor: SecretRedactor, limit: Int) -> String {
        cut(redactor.hiding(in: cut(redactor.hiding(in: text), limit: SecretRedactor.textLength)), limit: limit)
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
        // Auth0 wants another factor, which only a sign-in asks for.
        if Self.isRegistered(word) || word == "mfa_required" { return true }
        return word.hasPrefix("invalid_") && word.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
    }

    /// The code as it is compared: Yahoo and LINE write theirs all in capitals.
    var word: String { code.utf8.contains { (0x61...0x7A).contains($0) } ? code : code.asciiLowercased() }

    /// Whether the error is trouble at the server, with any status (RFC 6749 section 4.1.2.1).
    var isServerTrouble: Bool { ["server_error", "temporarily_unavailable"].contains(word) }

    /// Whether the error concerns only this request and not the grant: a proof that is invalid because of this machine's clock (RFC 9449
    /// section 5), a request that came too early, or trouble at the server, in the words of services that report it with status 200. Some
    /// say so only in the description of another code.
    var isTemporary: Bool {
        if Self.isOverLimit(code) || Self.temporary.contains(Self.words(of: code)) { return true }
        guard let text = description?.asciiLowercased() else { return false }
        return Self.temporaryTexts.contains { text.contains($0) }
    }

    private static let temporary: Set<String> = [
        "authorization_pending", "backend_error", "fatal_error", "internal_error", "internal_failure", "invalid_dpop_proof",
        "org_login_required", "request_timeout", "service_unavailable", "slow_down", "team_added_to_org", "timeout",
    ]
    /// Salesforce's "login rate exceeded" and "token request is already being processed" come with `invalid_grant`, its "retry your
    /// request" with `unknown_error`. The numbers are Microsoft Entra's, for a client that asks too often and for trouble of its own. Exact
    /// Online, hh.ru and Rauthy refuse a renewal that comes too early. Ory's and Authelia's server refuses one that meets another one.
    private static let temporaryTexts = [
        "aadsts50196", "aadsts90033", "already being processed", "login rate exceeded", "multiple concurrent requests", "not valid yet",
        "only after access token expired", "rate limit exceeded", "retry the request", "retry your request", "token not expired",
        "too many requests",
    ]

    /// Whether the service answers no more requests for now.
    var isOverLimit: Bool { Self.isOverLimit(code) }

    /// Whether a code says that the service answers no more requests for now.
    static func isOverLimit(_ code: String) -> Bool {
        let words = words(of: code)
        return ["rate_limit", "rate_limit_exceeded", "rate_limited", "ratelimited"].contains(words) || words.hasPrefix("too_many_request")
    }

    private static func words(of code: String) -> String { code.asciiLowercased().replacing(" ", with: "_") }

    /// Whether the server refuses what the grant is for from this network or at this time, while the grant remains valid: Salesforce's,
    /// Okta's and Slack's words for the rules of an organisation, and Microsoft Entra's, where a sign-in from the same place does not help
    /// either.
    var isAboutPlace: Bool {
        if code == "accesslimited" || subcode == "message_only" { return true }
        guard let text = description?.asciiLowercased() else { return false }
        return Self.placeTexts.contains { text.contains($0) }
    }

    private static let placeTexts = ["blocked by conditional access", "ip restricted", "login hours", "policy evaluation failed"]

    /// Whether the description is about the refresh token.
    var namesRefreshToken: Bool { description?.asciiLowercased().contains("refresh token") == true }

    /// Whether the error says that the client was not authenticated (RFC 6749 section 5.2): by `invalid_client`, by a code of the service's
    /// own, or in the description of another code. The server then did not look at the grant: it works again once the secret is renewed,
    /// the configuration is corrected, or the server has its clients again.
    var isAboutClient: Bool {
        if ["invalid_request", "unauthorized", "unauthorized_client"].contains(word), let description {
            return Self.namesClient(description)
        }
        return Self.aboutClient.contains(word) || word.hasPrefix("invalid_client_")
    }

    /// Whether a reason says that the client was not authenticated.
    static func namesClient(_ reason: String) -> Bool {
        let text = reason.asciiLowercased()
        return clientTexts.contains { text.contains($0) }
    }

    /// Keycloak and Bitbucket say "client credentials", Twitch "invalid client", Heroku "OAuth client", Supabase "unrecognized client_id", and X
    /// that it got no authorization header. Spring says "bad credentials", also in a list without a code, as at Cloud Foundry and SAP. The numbers
    /// are Microsoft Entra's, for a client that is unknown or disabled.
    private static let clientTexts = [
        "aadsts700016", "aadsts7000112", "bad credentials", "client authenticat", "client credentials", "client does not exist",
        "client not found", "client secret", "client_secret", "invalid client", "unable to verify oauth client", "unknown client",
        "unknown_client", "unrecognized client", "valid authorization header",
    ]

    private static let aboutClient: Set<String> = [
        "bad_client_secret", "deleted_client", "disabled_client", "incorrect_client_credentials", "invalid_client",
    ]

    /// Whether the user has to consent or act in the browser for what was requested, while the grant remains valid (OpenID Connect Core
    /// section 3.1.2.6, and `suberror` of Microsoft Entra).
    public var asksForInteraction: Bool {
        if ["consent_required", "interaction_required"].contains(code) { return true }
        return code == "invalid_grant"
            && ["additional_action", "basic_action", "consent_required", "message_only"].contains(subcode)
    }

    /// The code and the description on one line.
    public var line: String { description.map { "\(code): \($0)" } ?? code }

    /// The maximum length of a reason.
    private static let reasonLimit = 240

    /// Returns the first line of an untrusted text, without secrets and with the characters of ``cut(_:limit:)``; `nil` if nothing remains.
    static func reason(_ text: String, hiding redactor: SecretRedactor) -> String? {
        // The length of a text of one line may be as large as a response.
        let line = text.unicodeScalars.drop { $0.properties.isWhitespace }.prefix { $0 != "\n" && $0 != "\r" }.prefix(1024)
        let shown = Self.shown(String(String.UnicodeScalarView(line)), hiding: redactor, limit: reasonLimit).trimmingWhitespace()
        return shown.isEmpty || shown == "?" ? nil : String(shown)
    }
}

/// Reads the errors of services that do not follow RFC 6749 section 5.2: from other members, from nested objects and from plain text.
///
/// Only OAuth error codes decide what an error means. Everything else is a reason for the user to read.
struct ErrorReader {
    let document: JSONValue
    let redactor: SecretRedactor

    /// The members with a description, most specific first. `message` and `errorSummary` are of APIs, `detail` and `title` of RFC 9457.
    private static let descriptions = [
        "error_description", "message", "error_message", "error_msg", "errorSummary", "error_summary", "errorMessage", "errorDescription",
        "error_name", "description", "detail", "msg", "errmsg", "faultstring", "reason", "title",
    ]
    /// The members with a code, beside `error`.
    private static let codes = ["error", "code", "errorCode", "errorType", "error_code", "errcode", "status", "type"]

    /// The OAuth error of the document; `nil` if it has none.
    ///
    /// A string in `error` is always a code. In any other place, a text counts only if it is a registered OAuth code.
    var error: ServerError? {
        if let code = document["error"]?.string, !code.isEmpty {
            return ServerError(
                code: code, description: description(of: document) ?? list, subcode: document["suberror"]?.string, hiding: redactor)
        }
        for object in [document["error"], document, document["errors"]?.array?.first].compactMap(\.self) {
            for name in Self.codes + ["message"] {
                guard let code = object[name]?.string, ServerError.isRegistered(code) else { continue }
                return ServerError(code: code, description: description(of: object).flatMap { $0 == code ? nil : $0 }, hiding: redactor)
            }
        }
        return nil
    }

    /// The reason of a refusal without an OAuth error; `nil` if the document has none.
    var reason: String? {
        let error = document["error"] ?? document["fault"]
        // A sentence says more than a number.
        let sentence = error?.integer == nil ? nil : description(of: document)
        let data = document["data"].flatMap { $0.members == nil ? nil : Self.text($0) }
        let texts = [sentence, error.flatMap(Self.text), description(of: document), list, data]
        let labels = Self.codes.map { label(document[$0]) }
        // Of a sentence in another script nothing is left; a code may be.
        return (texts + labels).lazy.compactMap { text in text.flatMap { ServerError.reason($0, hiding: redactor) } }.first
    }

    /// Whether the service says that it is busy: WeChat's number for that, with status 200, Facebook's flag, and codes beside `error`.
    var isBusy: Bool {
        if document["errcode"]?.integer == -1 || document["error"]?["is_transient"] == .bool(true) { return true }
        return Self.codes.contains { document[$0]?.string.map(ServerError.isOverLimit) == true }
    }

    /// Whether the refusal is about the client and not about the grant: Strava names what it did not accept, others say it in a sentence.
    var isAboutClient: Bool {
        document["errors"]?.array?.first?["resource"]?.string == "Application" || reason.map(ServerError.namesClient) == true
    }

    /// Whether a successful response is an error: it has a member that nothing but an error has.
    var isErrorInSuccess: Bool {
        switch document["error"] {
        case nil, .null?, .bool(false)?, .string?: break
        case .number(let text)? where Double(text) == 0: break
        // TikTok's answer to each successful request has an error with the code ok.
        case .object(let members)? where members.isEmpty || document["error"]?["code"]?.string == "ok": break
        case .array(let elements)? where elements.isEmpty: break
        default: return true
        }
        if let number = document["errcode"]?.integer, number != 0 { return true }
        return document["ok"] == .bool(false) || document["success"] == .bool(false) || document["errors"]?.array?.isEmpty == false
    }

    /// The first of `errors`.
    private var list: String? { document["errors"]?.array?.first.flatMap(Self.text) }

    private func description(of object: JSONValue) -> String? {
        Self.descriptions.lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty }
    }

    private func label(_ value: JSONValue?) -> String? {
        if let text = value?.string, !text.isEmpty { return text }
        return value?.integer.map { String($0) }
    }

    /// Returns the text of an error that is an object, a text or a number.
    private static func text(_ value: JSONValue) -> String? {
        if let text = value.string { return text.isEmpty ? nil : text }
        if let number = value.integer { return String(number) }
        guard value.members != nil else { return nil }
        let text = descriptions.lazy.compactMap { value[$0]?.string }.first { !$0.isEmpty }
        // A word says more than a number.
        let words = codes.compactMap { value[$0]?.string }.filter { !$0.isEmpty }
        let code = words.first ?? codes.lazy.compactMap { value[$0]?.integer }.first.map { String($0) }
        guard let text, let code, code != text else { return text ?? code }
        return "\(code): \(text)"
    }
}

extension WebResponse {
    /// The JSON document of a refusal: some services send an array with one object for each error.
    var errorDocument: JSONValue? { document.map { $0.array?.first ?? $0 } }

    /// The reason in the body of a refusal: of a JSON document, or the first line of a plain text; `nil` if there is none, or a web page.
    var refusalReason: String? {
        if let document = errorDocument {
            guard document.members == nil else { return ErrorReader(document: document, redactor: redactor).reason }
            return document.string.flatMap { ServerError.reason($0, hiding: redactor) }
        }
        guard !looksLikeHTML, body.first != UInt8(ascii: "{"), let text = String(validating: body.prefix(4096), as: UTF8.self) else {
            return nil
        }
        return ServerError.reason(text, hiding: redactor)
    }
}
