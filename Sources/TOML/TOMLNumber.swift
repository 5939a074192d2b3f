/// Parses numbers in TOML syntax.
enum TOMLNumber {
    /// Returns the value of a number; `nil` if the word is not a number or is out of range.
    static func value(_ text: String) -> TOMLValue? {
        if let (digits, radix) = prefixed(text) {
            guard isDigitGroup(digits, radix: radix) else { return nil }
            return Int64(digits.replacing("_", with: ""), radix: radix).map(TOMLValue.integer)
        }
        let unsigned = text.first == "-" || text.first == "+" ? text.dropFirst() : text[...]
        switch unsigned {
        case "inf": return .float(text.first == "-" ? -.infinity : .infinity)
        case "nan": return .float(.nan)
        default: break
        }
        let bare = text.replacing("_", with: "")
        if isWhole(text) { return Int64(bare).map(TOMLValue.integer) }
        guard isFraction(unsigned) else { return nil }
        return Double(bare).map(TOMLValue.float)
    }

    /// Returns whether a word is an integer of any size.
    static func isWhole(_ text: String) -> Bool {
        if let (digits, radix) = prefixed(text) { return isDigitGroup(digits, radix: radix) }
        return isDecimal(text.first == "-" || text.first == "+" ? text.dropFirst() : text[...])
    }

    private static func prefixed(_ text: String) -> (digits: Substring, radix: Int)? {
        switch text.prefix(2) {
        case "0x": (text.dropFirst(2), 16)
        case "0o": (text.dropFirst(2), 8)
        case "0b": (text.dropFirst(2), 2)
        default: nil
        }
    }

    /// Returns whether the text is a decimal integer without a leading zero.
    private static func isDecimal(_ text: Substring) -> Bool {
        isDigitGroup(text, radix: 10) && (text == "0" || text.first != "0")
    }

    /// Returns whether the text is digits with single underscores between them.
    private static func isDigitGroup(_ text: Substring, radix: Int) -> Bool {
        !text.isEmpty
            && text.split(separator: "_", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { isDigit($0, radix: radix) }
            }
    }

    private static func isDigit(_ byte: UInt8, radix: Int) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): Int(byte - UInt8(ascii: "0")) < radix
        case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): radix == 16
        default: false
        }
    }

    /// Returns whether the text is `1.5`, `1e3` or `1.5e3`, without a sign.
    private static func isFraction(_ text: Substring) -> Bool {
        var mantissa = text
        var isScaled = false
        if let e = text.firstIndex(where: { $0 == "e" || $0 == "E" }) {
            var exponent = text[text.index(after: e)...]
            if exponent.first == "-" || exponent.first == "+" { exponent = exponent.dropFirst() }
            guard isDigitGroup(exponent, radix: 10) else { return false }
            mantissa = text[..<e]
            isScaled = true
        }
        let parts = mantissa.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let whole = parts.first, isDecimal(whole) else { return false }
        return parts.count == 2 ? isDigitGroup(parts[1], radix: 10) : isScaled
    }
}
