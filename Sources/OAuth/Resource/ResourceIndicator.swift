/// The resource indicator of a request (RFC 8707 section 2).
public enum ResourceIndicator {
    /// Returns whether `text` is an absolute URI (RFC 3986 section 4.3) without a fragment. It need not be a web address.
    public static func isValid(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), (1...2048).contains(text.utf8.count) else { return false }
        let scheme = text[..<colon].utf8
        guard let first = scheme.first, isLetter(first), scheme.allSatisfy({ isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) })
        else { return false }
        let rest = Array(text[text.index(after: colon)...].utf8)
        guard !rest.isEmpty, rest.allSatisfy({ isLetter($0) || isDigit($0) || "-._~:/?[]@!$&'()*+,;=%".utf8.contains($0) }) else {
            return false
        }
        // Every percent sign must start an escape.
        return rest.indices.allSatisfy { rest[$0] != UInt8(ascii: "%") || rest[($0 + 1)...].prefix(2).filter(isHexDigit).count == 2 }
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (0x61...0x66).contains(byte | 0x20) }
}
