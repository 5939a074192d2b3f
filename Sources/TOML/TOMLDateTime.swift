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
