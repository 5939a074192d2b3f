public import AuthModel

/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1).
public struct Challenge: Equatable, Sendable {
    /// The scheme as written; compared without case.
    public let scheme: String
    /// The token68 data that some schemes use instead of parameters.
    public let token68: String?
    /// The parameters in order, with names in lower case and quotes resolved. Names are unique, apart from `resource_metadata`.
    public let parameters: [Parameter]
    /// Whether the same response asks for no Bearer token, so that the server accepts only tokens that are bound to a key.
    public internal(set) var excludesBearer = false
    /// Removes known secrets from errors.
    var redactor = SecretRedactor.none

    /// Compares the scheme and what follows it in the field.
    public static func == (left: Challenge, right: Challenge) -> Bool {
        left.scheme == right.scheme && left.token68 == right.token68 && left.parameters == right.parameters
    }

    /// A parameter of a challenge.
    public struct Parameter: Equatable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes.
        public let value: String
    }

    /// A challenge for a Bearer token without parameters.
    package static let bareBearer = Challenge(scheme: "Bearer", token68: nil, parameters: [])

    /// Returns the first value of a parameter. The name must be in lower case.
    public subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Returns whether the scheme is `name`, compared without case.
    public func isScheme(_ name: String) -> Bool { scheme.asciiLowercased() == name.asciiLowercased() }

    /// Whether a Bearer token is required (RFC 6750 section 3).
    public var isBearerChallenge: Bool { isScheme("Bearer") }
    /// Whether a token with a DPoP proof is required (RFC 9449 section 7.1).
    public var isProofChallenge: Bool { isScheme("DPoP") }
}

extension WebResponse {
    /// The challenges that request an access token with the scheme Bearer or DPoP, in order.
    public var tokenChallenges: [Challenge] { challenges.filter { $0.isBearerChallenge || $0.isProofChallenge } }

    /// The challenge of a request without an accepted token: the first one that says where the resource's metadata is, else the first one.
    /// `nil` unless the status is 401.
    public var unauthorizedChallenge: Challenge? {
        guard status == 401 else { return nil }
        let challenges = tokenChallenges
        var challenge = challenges.first { $0["resource_metadata"] != nil } ?? challenges.first
        challenge?.excludesBearer = !challenges.contains(where: \.isBearerChallenge)
        return challenge
    }

    /// The challenges of all `WWW-Authenticate` fields, in order. See ``ChallengeReader`` for what is skipped.
    public var challenges: [Challenge] {
        var reader = ChallengeReader()
        for field in headers where field.name.asciiLowercased() == "www-authenticate" { reader.read(field.value) }
        return reader.challenges.map { challenge in
            var challenge = challenge
            challenge.redactor = redactor
            return challenge
        }
    }
}

/// The parameters of challenges that request an access token.
extension Challenge {
    /// The error of the sent token (RFC 6750 section 3.1), reduced to characters that are safe to show; `nil` if no token was sent.
    public var error: ServerError? {
        guard let code = self["error"], !code.isEmpty else { return nil }
        return ServerError(code: code, description: self["error_description"], hiding: redactor)
    }

    /// The required scopes (RFC 6750 section 3), without invalid ones.
    public var scopes: ScopeSet { ScopeSet((self["scope"] ?? "").split(separator: " ").map(String.init).filter(ScopeSet.isScope)) }

    /// The URLs of the resource's metadata (RFC 9728 section 5.1) that are https, or http on a loopback literal or `localhost`. There
    /// should be one, but a server behind a gateway can have one of both.
    public var resourceMetadata: [WebURL] {
        parameters.filter { $0.name == "resource_metadata" }.prefix(Self.locationLimit).compactMap { WebURL($0.value) }
            .filter { $0.isRequestable && $0.fragment == nil }
    }

    private static let locationLimit = 4

    /// The accepted authentication context classes, preferred first (RFC 9470 section 3). Only printable ASCII is accepted.
    public var contextClasses: [String] {
        (self["acr_values"] ?? "").split(separator: " ").map(String.init).filter { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    }

    /// The maximum size of required claims, in bytes. They become a parameter of a URL.
    private static let claimsLimit = 2048

    /// The claims of the access token that the next sign-in must request, as a JSON object with the member `access_token`: `claims`, which
    /// servers send as base64 with or without padding. `nil` if it is absent, too large or not such an object.
    ///
    /// Only that member, because a resource may say which token it accepts, and not which data of the user this client requests.
    public var claims: String? {
        guard let text = self["claims"], text.utf8.count <= Self.claimsLimit * 2 else { return nil }
        let unpadded = text.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        let bytes = text.hasPrefix("{") ? Array(text.utf8) : Base64URL.decode(unpadded) ?? []
        guard bytes.count <= Self.claimsLimit, let wanted = (try? JSONValue(strict: bytes))?["access_token"],
            wanted.members?.isEmpty == false
        else { return nil }
        return JSONValue.object([.init("access_token", wanted)]).text
    }

    /// The maximum time since the user's authentication, in seconds (RFC 9470 section 3), limited to a century; `nil` if it is absent or
    /// not a number.
    public var maxAge: Int? {
        guard let text = self["max_age"], !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 3_155_760_000)
    }
}

/// Parses `WWW-Authenticate` fields (RFC 9110 sections 5.6 and 11.6.1).
///
/// A field may contain several challenges, and commas separate both challenges and parameters. Text after a comma is a parameter if an
/// equals sign follows its name, otherwise a new challenge. At the first syntax error, the rest of the field and the current challenge are
/// dropped; earlier challenges are kept. A challenge with a duplicate parameter is dropped, unless only the places of metadata are several:
/// each document says itself what it describes.
struct ChallengeReader {
    private(set) var challenges: [Challenge] = []
    private var bytes: [UInt8] = []
    private var index = 0

    /// Limits that exceed what legitimate servers send.
    static let maximumLength = 16_384
    static let maximumCount = 32

    mutating func read(_ field: String) {
        guard field.utf8.count <= Self.maximumLength else { return }
        bytes = Array(field.utf8)
        index = 0
        skipListSeparators()
        while index < bytes.count, challenges.count < Self.maximumCount {
            guard let challenge = challenge() else { return }
            let names = challenge.parameters.map(\.name).filter { $0 != "resource_metadata" }
            if Set(names).count == names.count { challenges.append(challenge) }
        }
    }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Parses one challenge and the following separators; returns `nil` on a syntax error.
    private mutating func challenge() -> Challenge? {
        guard let scheme = token() else { return nil }
        if skipToListEnd() {
            // The parameter list may start with empty elements. The next element is a parameter if it looks like one.
            skipListSeparators()
            if !isAtParameter { return Challenge(scheme: scheme, token68: nil, parameters: []) }
            return parameters(of: scheme)
        }
        guard current == UInt8(ascii: " ") else { return nil }
        skipWhitespace()
        if let token68 = token68() { return skipped(Challenge(scheme: scheme, token68: token68, parameters: [])) }
        return parameters(of: scheme)
    }

    /// Parses the parameters of a challenge and the following separators; returns `nil` on a syntax error.
    private mutating func parameters(of scheme: String) -> Challenge? {
        var parameters: [Challenge.Parameter] = []
        repeat {
            guard let parameter = parameter() else { return nil }
            parameters.append(parameter)
            guard skipToListEnd() else { return nil }
            skipListSeparators()
        } while isAtParameter
        return Challenge(scheme: scheme, token68: nil, parameters: parameters)
    }

    private mutating func skipped(_ challenge: Challenge) -> Challenge {
        skipListSeparators()
        return challenge
    }

    /// Parses `token68` (section 11.2) if nothing else precedes the next comma; otherwise consumes nothing.
    private mutating func token68() -> String? {
        let start = index
        while let byte = current, Self.isTokenByte(byte, also: "/", not: "!#$%&'*^`|") { index += 1 }
        guard index > start else { return nil }
        while current == UInt8(ascii: "=") { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if skipToListEnd() { return text }
        index = start
        return nil
    }

    /// Parses `token BWS "=" BWS ( token / quoted-string )`.
    private mutating func parameter() -> Challenge.Parameter? {
        guard let name = token() else { return nil }
        skipWhitespace()
        guard current == UInt8(ascii: "=") else { return nil }
        index += 1
        skipWhitespace()
        let isQuoted = current == UInt8(ascii: "\"")
        let isLenient = ["resource_metadata", "scope"].contains(name.asciiLowercased())
        guard let value = isQuoted ? quotedString() : isLenient ? unquotedText() : token() else { return nil }
        return Challenge.Parameter(name: name.asciiLowercased(), value: value)
    }

    /// Parses a value without its quotes, or with others, as some MCP servers write addresses and scopes.
    private mutating func unquotedText() -> String? {
        let quote = UInt8(ascii: "'")
        let isQuoted = current == quote
        if isQuoted { index += 1 }
        let start = index
        while let byte = current, (0x20...0x7E).contains(byte), isQuoted ? byte != quote : byte != 0x20 && byte != UInt8(ascii: ",") {
            index += 1
        }
        guard index > start else { return nil }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        if isQuoted {
            guard current == quote else { return nil }
            index += 1
        }
        return text
    }

    /// Whether a name and an equals sign follow. Consumes nothing.
    private var isAtParameter: Bool {
        var ahead = self
        guard ahead.token() != nil else { return false }
        ahead.skipWhitespace()
        return ahead.current == UInt8(ascii: "=")
    }

    private mutating func token() -> String? {
        let start = index
        while let byte = current, Self.isTokenByte(byte) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// Parses a quoted string and resolves escapes (section 5.6.4). It must be valid UTF-8 without control characters except tab.
    private mutating func quotedString() -> String? {
        index += 1
        var text: [UInt8] = []
        while let byte = current {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(validating: text, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = current, Self.isTextByte(escaped) else { return nil }
                text.append(escaped)
                index += 1
            default:
                guard Self.isTextByte(byte) else { return nil }
                text.append(byte)
            }
        }
        return nil
    }

    /// Returns whether only whitespace precedes a comma or the end, and consumes it if so.
    private mutating func skipToListEnd() -> Bool {
        let start = index
        skipWhitespace()
        if current == nil || current == UInt8(ascii: ",") { return true }
        index = start
        return false
    }

    private mutating func skipWhitespace() {
        while let byte = current, byte == 0x20 || byte == 0x09 { index += 1 }
    }

    /// Skips whitespace and commas. Empty list elements have no meaning (section 5.6.1).
    private mutating func skipListSeparators() {
        while let byte = current, byte == 0x20 || byte == 0x09 || byte == UInt8(ascii: ",") { index += 1 }
    }

    private static func isTextByte(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }

    /// Returns whether a byte is a `tchar` (section 5.6.2), with the given additions and exclusions.
    private static func isTokenByte(_ byte: UInt8, also: String = "", not excluded: String = "") -> Bool {
        (byte.isHTTPTokenByte && !excluded.utf8.contains(byte)) || also.utf8.contains(byte)
    }
}
