import AuthModel

/// Parses `WWW-Authenticate` fields (RFC 9110 sections 5.6 and 11.6.1).
///
/// A field may contain several challenges, and commas separate both challenges and parameters. Text after a comma is a parameter if an
/// equals sign follows its name, otherwise a new challenge. At the first syntax error, the rest of the field and the current challenge are
/// dropped; earlier challenges are kept. A challenge with a duplicate parameter is dropped.
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
            if Set(challenge.parameters.map(\.name)).count == challenge.parameters.count { challenges.append(challenge) }
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
        guard let value = current == UInt8(ascii: "\"") ? quotedString() : token() else { return nil }
        return Challenge.Parameter(name: name.asciiLowercased(), value: value)
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
