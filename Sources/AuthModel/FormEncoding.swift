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
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
                out.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                out += digits.utf8.count == 1 ? "%0" + digits : "%" + digits
            }
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
                guard let high = iterator.next(), let low = iterator.next(), high < 0x80, low < 0x80,
                    let left = Character(Unicode.Scalar(high)).hexDigitValue, let right = Character(Unicode.Scalar(low)).hexDigitValue
                else { return nil }
                bytes.append(UInt8(left << 4 | right))
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
