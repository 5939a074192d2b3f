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
    public init(code: String, description: String? = nil) {
        let code = Self.cut(code, limit: 64)
        self.code = code.isEmpty ? "unknown_error" : code
        let text = description.map { Self.cut($0, limit: 240) } ?? ""
        self.description = text.isEmpty ? nil : text
    }

    /// Reads the error of a JSON answer (RFC 6749 section 5.2); `nil` where there is none that can be read.
    init?(_ response: WebResponse) {
        guard let document = try? JSONValue(strict: response.body) else { return nil }
        self.init(document)
    }

    init?(_ document: JSONValue) {
        guard let code = document["error"]?.string, !code.isEmpty else { return nil }
        self.init(code: code, description: document["error_description"]?.string)
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
    /// The code, and what the server says about it behind it: one line.
    public var line: String { description.map { "\(code): \($0)" } ?? code }
}
