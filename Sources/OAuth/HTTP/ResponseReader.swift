public import AuthModel

/// Reads the members of a JSON response and reports errors by member name.
///
/// An optional member that is `null` counts as absent, because many servers write missing values that way. Unknown members are ignored (RFC
/// 6749 section 5.1).
struct ResponseReader {
    let object: JSONValue
    let operation: OAuthError.Operation
    let host: String?
    /// Removes known secrets from errors.
    var redactor = SecretRedactor.none
    /// Whether the response may name endpoints on this machine. Only a local server may; a remote server could otherwise direct requests to
    /// local services.
    var allowsLocalEndpoints = true

    /// Parses the body of a response regardless of its Content-Type, because some servers send JSON as `text/plain`. A token endpoint may
    /// answer with a form, as before RFC 6749, and it or userinfo with a call of a function (JSONP).
    init(_ response: WebResponse, _ operation: OAuthError.Operation, host: String?) throws(OAuthError) {
        var document = response.document ?? (operation.isTokenRequest ? response.form : nil)
        if document == nil, operation.isTokenRequest || operation == .userInfo { document = response.argument }
        guard let document, document.members != nil else {
            throw OAuthError(operation, .notJSON(isHTML: response.looksLikeHTML), host: host)
        }
        self.init(document, operation, host: host)
        redactor = response.redactor
    }

    init(_ object: JSONValue, _ operation: OAuthError.Operation, host: String?) {
        self.object = object
        self.operation = operation
        self.host = host
    }

    /// Returns the member; `nil` if it is absent or null.
    private func member(_ name: String) -> JSONValue? {
        let value = object[name]
        return value == .null ? nil : value
    }

    func wrong(_ name: String, _ expected: UserMessage) -> OAuthError {
        OAuthError(operation, .wrongMember(name, expected: expected), host: host)
    }

    func missing(_ name: String) -> OAuthError {
        OAuthError(operation, .missingMember(name), host: host)
    }

    /// Returns the error for a successful response without a token: the reason in it, if it names one, because services that answer every
    /// request with 200 have a form of their own for refusals.
    func missingToken(_ name: String = "access_token", status: Int) -> OAuthError {
        guard let reason = ErrorReader(document: object, redactor: redactor).reason else { return missing(name) }
        return OAuthError(operation, .refusedUnreadably(status: status, reason: reason), host: host)
    }

    func string(_ name: String) throws(OAuthError) -> String? {
        guard let value = member(name) else { return nil }
        guard let text = value.string else { throw wrong(name, UserMessage("phrase.expected_string")) }
        return text
    }

    func requiredString(_ name: String) throws(OAuthError) -> String {
        guard let text = try string(name) else { throw missing(name) }
        guard !text.isEmpty else { throw wrong(name, UserMessage("phrase.expected_non_empty_string")) }
        return text
    }

    func strings(_ name: String) throws(OAuthError) -> [String]? {
        guard let value = member(name) else { return nil }
        guard let texts = value.strings else { throw wrong(name, UserMessage("phrase.expected_string_array")) }
        return texts
    }

    func bool(_ name: String) throws(OAuthError) -> Bool? {
        guard let value = member(name) else { return nil }
        guard let flag = value.bool else { throw wrong(name, UserMessage("phrase.expected_true_or_false")) }
        return flag
    }

    /// Reads a URL that is safe for credentials: https (or http on a loopback literal), without user information and fragment. Some servers
    /// write an empty text for an endpoint that they do not have.
    func endpoint(_ name: String) throws(OAuthError) -> WebURL? {
        guard let text = try string(name), !text.isEmpty else { return nil }
        guard let url = WebURL(text), url.isRequestable, url.fragment == nil, allowsLocalEndpoints || !url.origin.isThisMachine else {
            throw OAuthError(operation, .unsafeEndpoint(member: name), host: host)
        }
        return url
    }

    /// Throws for an error in a successful response.
    func requireNoError(status: Int) throws(OAuthError) {
        if let error = ServerError(self) {
            guard !error.isServerTrouble, operation.usesSessionGrant || !error.isOverLimit else {
                throw OAuthError(operation, .serverFailure(status: status, retryAfter: nil), host: host)
            }
            throw OAuthError(operation, .refused(error, status: status), host: host)
        }
        let reader = ErrorReader(document: object, redactor: redactor)
        if reader.isBusy { throw OAuthError(operation, .serverFailure(status: status, retryAfter: nil), host: host) }
        if reader.isErrorInSuccess { throw OAuthError(operation, .refusedUnreadably(status: status, reason: reader.reason), host: host) }
    }

    /// Reads a number of seconds, limited to the range from zero to a century.
    ///
    /// A number in a string is accepted too, because servers older than RFC 6749 send it; an empty string is no value.
    ///
    /// - Parameter rounding: how fractions are rounded. Default: towards zero.
    func lifetime(_ name: String, rounding: FloatingPointRoundingRule = .towardZero) throws(OAuthError) -> Duration? {
        guard let value = member(name) else { return nil }
        let digits: String
        switch value {
        case .number(let text): digits = text
        case .string(""): return nil
        case .string(let text) where text.utf8.allSatisfy({ "0123456789.-".utf8.contains($0) }): digits = text
        default: throw wrong(name, UserMessage("phrase.expected_seconds"))
        }
        guard let seconds = Double(digits) else { throw wrong(name, UserMessage("phrase.expected_seconds")) }
        let century = 3_155_760_000.0
        return .seconds(Int64(min(max(seconds.rounded(rounding), 0), century)))
    }
}

extension WebResponse {
    /// Whether the body looks like a web page, regardless of its Content-Type.
    package var looksLikeHTML: Bool { body.first { $0 > 0x20 } == UInt8(ascii: "<") }

    /// The members of a form, all of them texts; `nil` for anything else. Some services say that theirs is plain text or a page, so one
    /// with a token or an error is known by its members. The addresses in a real page or in broken JSON are no form: a proxy's page with
    /// `&error=` must not end a session.
    var form: JSONValue? {
        let type = header("Content-Type")?.split(separator: ";").first?.trimmingWhitespace().asciiLowercased()
        guard let text = String(validating: body, as: UTF8.self), let pairs = FormEncoding.decode(text),
            Set(pairs.map(\.name)).count == pairs.count,
            type == "application/x-www-form-urlencoded"
                || (pairs.allSatisfy({ $0.name.isHTTPToken }) && pairs.contains(where: { ["access_token", "error"].contains($0.name) }))
        else { return nil }
        return .object(pairs.map { .init($0.name, .string($0.value)) })
    }

    /// The object that a script calls a function with, such as `callback( {…} );`, as older services answer; `nil` for anything else.
    var argument: JSONValue? {
        let blanks: Set<UInt8> = [0x09, 0x0A, 0x0D, 0x20]
        guard let open = body.firstIndex(of: UInt8(ascii: "(")), let close = body.lastIndex(of: UInt8(ascii: ")")), open < close else {
            return nil
        }
        let name = body[..<open].filter { !blanks.contains($0) }
        let rest = body[(close + 1)...].filter { !blanks.contains($0) }
        guard !name.isEmpty, name.allSatisfy({ $0.isASCIIAlphanumeric || "_.$".utf8.contains($0) }), [[], Array(";".utf8)].contains(rest)
        else { return nil }
        return try? JSONValue(strict: body[(open + 1)..<close])
    }

    /// Throws for a status that is not in `success`, and converts a readable OAuth error in the body.
    func requireSuccess(
        _ operation: OAuthError.Operation, host: String?, now: Timestamp, success: Set<Int> = [200]
    ) throws(OAuthError) {
        if success.contains(status) { return }
        switch status {
        case 300..<400: throw OAuthError(operation, .redirected, host: host)
        case 408, 429, 500..<600:
            throw OAuthError(operation, .serverFailure(status: status, retryAfter: retryAfter(now: now)), host: host)
        case 400..<500:
            // Public documents need no authorization, so an error in JSON is only a message of the web server.
            if !operation.readsPublicDocument, let error = ServerError(self) {
                if error.code == "use_dpop_nonce" { throw OAuthError(operation, .nonceRequired, host: host) }
                // A 401 is about the credential or the grant, even if the code says otherwise.
                let isTrouble = error.isServerTrouble || !operation.usesSessionGrant && error.isOverLimit
                guard isTrouble, status != 401 || error.word != "server_error" else {
                    throw OAuthError(operation, .refused(error, status: status), host: host)
                }
                throw OAuthError(operation, .serverFailure(status: status, retryAfter: retryAfter(now: now)), host: host)
            }
            // An API without requests left may say so with 403, and a busy service with any status.
            if status == 403 && isOverLimit || !operation.readsPublicDocument && isBusy {
                throw OAuthError(operation, .serverFailure(status: status, retryAfter: retryAfter(now: now)), host: host)
            }
            if operation.usesSessionGrant, [400, 401, 403, 404, 422].contains(status), !looksLikeHTML, isAboutClient {
                let error = ServerError(code: "invalid_client", description: refusalReason, hiding: redactor)
                throw OAuthError(operation, .refused(error, status: status), host: host)
            }
            if !operation.readsPublicDocument, status == 400 || status == 401 {
                // A token endpoint responds in JSON (RFC 6749 section 5.2). A web page comes from a proxy or captive portal and says
                // nothing about the grant.
                if operation.usesSessionGrant, looksLikeHTML { throw OAuthError(operation, .pageInstead(status: status), host: host) }
                throw OAuthError(operation, .refusedUnreadably(status: status, reason: refusalReason), host: host)
            }
            if status == 404 || status == 410 { throw OAuthError(operation, .notFound, host: host) }
            let reason = operation.readsPublicDocument ? nil : refusalReason
            // A 403 with a reason is a refusal. What it means for a session's grant is not known, so a renewal is tried again.
            if status == 403, let reason, !operation.usesSessionGrant {
                throw OAuthError(operation, .refusedUnreadably(status: status, reason: reason), host: host)
            }
            throw OAuthError(operation, .unexpectedStatus(status, reason: reason), host: host)
        default: throw OAuthError(operation, .unexpectedStatus(status), host: host)
        }
    }

    /// Whether a refusal without an OAuth error is about the client and not about the grant: it asks for the client's authentication (RFC
    /// 6749 section 5.2), or says so in words of its own.
    private var isAboutClient: Bool {
        if status == 401, header("WWW-Authenticate")?.asciiLowercased().hasPrefix("basic") == true { return true }
        return errorDocument.map { ErrorReader(document: $0, redactor: redactor).isAboutClient } ?? false
    }

    /// Whether a refusal without an OAuth error says that the service is busy.
    private var isBusy: Bool { errorDocument.map { ErrorReader(document: $0, redactor: redactor).isBusy } ?? false }

    /// Returns how long the server asks to wait (RFC 9110 section 10.2.3), from a number of seconds or a date; at most a day. Without that,
    /// a refusal of too many requests may say when their number begins anew.
    ///
    /// - Parameter now: the time to compare a date with.
    public func retryAfter(now: Timestamp) -> Duration? {
        guard let text = header("Retry-After")?.trimmingWhitespace() else { return limitReset(now: now) }
        if let seconds = Self.seconds(text) { return Self.pause(seconds) }
        // Zoom writes the end of a limit for the day in RFC 3339.
        guard let date = Timestamp(httpDate: text, now: now) ?? Timestamp(text) else { return nil }
        return Self.pause(Double((date - now).wholeSeconds))
    }

    /// The beginnings of the names of the fields about the number of requests that are left (draft-ietf-httpapi-ratelimit-headers and
    /// before).
    private static let limitFields = ["RateLimit-", "X-RateLimit-", "X-Rate-Limit-"]

    /// Whether the server says that no requests are left for now.
    var isOverLimit: Bool {
        header("Retry-After") != nil || Self.limitFields.contains { header($0 + "Remaining")?.trimmingWhitespace() == "0" }
            || limits(["r", "remaining"]).contains("0")
    }

    /// Returns the values of parameters of the field `RateLimit`, such as `"api";r=0;t=55` of Hugging Face and Cloudflare, or `remaining=0, reset=55`
    /// as in an older draft.
    private func limits(_ names: [String]) -> [String] {
        let parameters = header("RateLimit")?.split { $0 == ";" || $0 == "," }.map { $0.trimmingWhitespace() } ?? []
        return parameters.compactMap { parameter in
            names.first { parameter.hasPrefix($0 + "=") }.map { String(parameter.dropFirst($0.count + 1)) }
        }
    }

    /// Returns how long it is until requests are allowed again: a number of seconds, or a moment as seconds or milliseconds since 1970, or as a
    /// date, as at Atlassian.
    private func limitReset(now: Timestamp) -> Duration? {
        guard status == 403 || status == 429 else { return nil }
        guard let field = Self.limitFields.lazy.compactMap({ header($0 + "Reset") }).first else {
            return limits(["t", "reset"]).compactMap(Self.seconds).max().map(Self.pause)
        }
        let text = field.trimmingWhitespace()
        if let date = Timestamp(text) { return Self.pause(Double((date - now).wholeSeconds)) }
        guard let seconds = Self.seconds(text) else { return nil }
        // No pause is longer than 30 years, and no moment is after the year 5138.
        return Self.pause(seconds < 1e9 ? seconds : (seconds < 1e11 ? seconds : seconds / 1000) - Double(now.seconds))
    }

    private static func seconds(_ text: String) -> Double? {
        text.utf8.allSatisfy { "0123456789.".utf8.contains($0) } ? Double(text) : nil
    }

    private static func pause(_ seconds: Double) -> Duration { .seconds(Int64(min(max(seconds.rounded(.up), 0), 86_400))) }
}

extension StringProtocol {
    /// Returns the text without spaces and tabs at both ends.
    func trimmingWhitespace() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        return String(String(drop(while: isBlank).reversed()).drop(while: isBlank).reversed())
    }
}

/// The tokens of HTTP, such as the names of header fields (RFC 9110 section 5.6.2).
extension UInt8 {
    /// Whether the byte is a `tchar`.
    package var isHTTPTokenByte: Bool { isASCIIAlphanumeric || "!#$%&'*+-.^_`|~".utf8.contains(self) }
}

extension String {
    /// Whether the text is a token.
    package var isHTTPToken: Bool { !isEmpty && utf8.allSatisfy(\.isHTTPTokenByte) }
}
