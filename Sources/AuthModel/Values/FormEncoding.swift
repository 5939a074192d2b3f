/// Reads and writes `application/x-www-form-urlencoded` as OAuth uses it (RFC 6749 appendix B).
public enum FormEncoding {
    /// Encodes the pairs in order. Escapes everything but unreserved characters; a space becomes `%20`, which all decoders accept.
    public static func encode(_ pairs: [(String, String)]) -> String {
        pairs.map { escape($0.0) + "=" + escape($0.1) }.joined(separator: "&")
    }

    /// Escapes one name or value.
    public static func escape(_ text: String) -> String {
        var out = ""
        for byte in text.utf8 {
            if byte.isUnreserved { out.unicodeScalars.append(Unicode.Scalar(byte)) } else { out += "%" + [byte].hexadecimal.uppercased() }
        }
        return out
    }

    /// Decodes pairs in order; returns `nil` for a malformed escape or text that is not UTF-8.
    public static func decode(_ text: some StringProtocol) -> [(name: String, value: String)]? {
        var pairs: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let equals = part.firstIndex(of: "=")
            guard let name = unescape(part[..<(equals ?? part.endIndex)]),
                let value = unescape(equals.map { part[part.index(after: $0)...] } ?? "")
            else { return nil }
            pairs.append((name, value))
        }
        return pairs
    }

    /// Decodes `+` and escapes in one name or value; returns `nil` if it is malformed.
    public static func unescape(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var iterator = text.utf8.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = iterator.next()?.hexadecimalValue, let low = iterator.next()?.hexadecimalValue else { return nil }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
