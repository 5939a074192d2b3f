/// A TOML value.
public enum TOMLValue: Equatable, Sendable {
    /// A key of a table and its value.
    public struct Member: Equatable, Sendable {
        /// The name of the key.
        public var name: String
        /// The value of the key.
        public var value: TOMLValue

        package init(_ name: String, _ value: TOMLValue) {
            self.name = name
            self.value = value
        }

        /// Returns whether both members have the same name and value. Names are compared by their bytes.
        public static func == (left: Member, right: Member) -> Bool {
            TOMLName(left.name) == TOMLName(right.name) && left.value == right.value
        }
    }

    case string(String)
    case integer(Int64)
    case float(Double)
    case boolean(Bool)
    /// A date, a time or both, as written. The calendar date and the time of day are valid.
    case moment(String)
    case array([TOMLValue])
    /// The members in the order of their first occurrence. Names are unique.
    case table([Member])

    /// Returns the value of a table member.
    public subscript(_ name: String) -> TOMLValue? { members?.first { TOMLName($0.name) == TOMLName(name) }?.value }

    /// Returns the value at a path; `nil` if there is none.
    public subscript(path path: [String]) -> TOMLValue? { path.reduce(self as TOMLValue?) { $0?[$1] } }

    /// The value of a string; `nil` for other types.
    public var string: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The value of an integer; `nil` for other types.
    public var integer: Int64? {
        if case .integer(let number) = self { number } else { nil }
    }

    /// The value of a boolean; `nil` for other types.
    public var boolean: Bool? {
        if case .boolean(let flag) = self { flag } else { nil }
    }

    /// The elements of an array; `nil` for other types.
    public var array: [TOMLValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members of a table; `nil` for other types.
    public var members: [Member]? {
        if case .table(let members) = self { members } else { nil }
    }

    /// The elements of an array of strings; `nil` if any element has another type.
    public var strings: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }
}

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

/// Recognizes dates and times in TOML syntax (RFC 3339, and its parts without an offset).
enum TOMLDateTime {
    /// Returns whether a word starts like a date or time: four digits and `-`, or two digits and `:`.
    static func looksLikeDateTime(_ word: ArraySlice<UInt8>) -> Bool {
        startsLikeTime(word) || digits(word.prefix(4)) != nil && word.count > 4 && word.dropFirst(4).first == UInt8(ascii: "-")
    }

    static func startsLikeTime(_ word: ArraySlice<UInt8>) -> Bool {
        word.count > 2 && digits(word.prefix(2)) != nil && word.dropFirst(2).first == UInt8(ascii: ":")
    }

    static func isDateTime(_ word: ArraySlice<UInt8>) -> Bool {
        if isTime(word) || isDate(word) { return true }
        guard isDate(word.prefix(10)), let divider = word.dropFirst(10).first, "Tt ".utf8.contains(divider) else { return false }
        let time = word.dropFirst(11)
        if time.last == UInt8(ascii: "Z") || time.last == UInt8(ascii: "z") { return isTime(time.dropLast()) }
        return isTime(time) || isTime(time.dropLast(6)) && isOffset(time.suffix(6))
    }

    /// Returns whether a word is a valid calendar date.
    static func isDate(_ word: ArraySlice<UInt8>) -> Bool {
        guard word.count == 10, let parts = numbers(word, widths: [4, 2, 2], dividers: "--"), (1...12).contains(parts[1]) else {
            return false
        }
        let isLeap = parts[0] % 4 == 0 && (parts[0] % 100 != 0 || parts[0] % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...lengths[parts[1] - 1]).contains(parts[2])
    }

    /// Returns whether a word is a time such as `07:32:00`, with an optional fraction. Second 60 is a leap second.
    private static func isTime(_ word: ArraySlice<UInt8>) -> Bool {
        guard let parts = numbers(word.prefix(8), widths: [2, 2, 2], dividers: "::"), parts[0] < 24, parts[1] < 60, parts[2] <= 60 else {
            return false
        }
        let fraction = word.dropFirst(8)
        return fraction.isEmpty || fraction.first == UInt8(ascii: ".") && fraction.count > 1 && fraction.dropFirst().allSatisfy(isDigit)
    }

    private static func isOffset(_ word: ArraySlice<UInt8>) -> Bool {
        guard let sign = word.first, "+-".utf8.contains(sign), let parts = numbers(word.dropFirst(), widths: [2, 2], dividers: ":") else {
            return false
        }
        return parts[0] < 24 && parts[1] < 60
    }

    /// Parses numbers of fixed widths with single-byte dividers; returns `nil` for anything else.
    private static func numbers(_ word: ArraySlice<UInt8>, widths: [Int], dividers: String) -> [Int]? {
        var rest = word
        var values: [Int] = []
        for (place, width) in widths.enumerated() {
            if place > 0 {
                guard rest.popFirst() == Array(dividers.utf8)[place - 1] else { return nil }
            }
            guard rest.count >= width, let value = digits(rest.prefix(width)) else { return nil }
            values.append(value)
            rest = rest.dropFirst(width)
        }
        return rest.isEmpty ? values : nil
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func digits(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard !bytes.isEmpty, bytes.allSatisfy(isDigit) else { return nil }
        return bytes.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
