extension TOMLReader {
    /// Whether three quotes begin here.
    var beginsLongString: Bool { current.map(quotes) ?? 0 >= 3 }

    /// How many of a quote stand here in a row.
    private func quotes(_ quote: UInt8) -> Int { bytes[index...].prefix { $0 == quote }.count }

    /// A string of any of the four kinds.
    mutating func string() throws(TOMLError) -> String {
        let start = index
        guard let quote = current else { return "" }
        let isLong = quotes(quote) >= 3
        let hasEscapes = quote == UInt8(ascii: "\"")
        index += isLong ? 3 : 1
        // A line end directly behind the opening quotes is not part of the text.
        if isLong { _ = takeLineEnd() }
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote {
                let count = quotes(quote)
                if !isLong {
                    index += 1
                    return String(decoding: text, as: UTF8.self)
                }
                // Up to two quotes may stand directly before the closing three.
                let taken = min(count, 5)
                index += taken
                guard taken < 3 else {
                    return String(decoding: text + [UInt8](repeating: quote, count: taken - 3), as: UTF8.self)
                }
                text += [UInt8](repeating: quote, count: taken)
            } else if byte == UInt8(ascii: "\\"), hasEscapes {
                text += try escape(isLong: isLong)
            } else if takeLineEnd() {
                guard isLong else { break }
                text.append(UInt8(ascii: "\n"))
            } else {
                try refuseControl(byte)
                text.append(byte)
                index += 1
            }
        }
        throw error(
            "this text is not closed", isLong ? "end it with three quotes" : "end it with a quote on the same line", at: start)
    }

    /// What an escape stands for.
    private mutating func escape(isLong: Bool) throws(TOMLError) -> [UInt8] {
        let start = index
        index += 1
        if isLong, try skipEscapedLineEnd() { return [] }
        guard let byte = current else { throw wrongEscape(at: start) }
        index += 1
        switch byte {
        case UInt8(ascii: "b"): return [0x08]
        case UInt8(ascii: "t"): return [0x09]
        case UInt8(ascii: "n"): return [0x0A]
        case UInt8(ascii: "f"): return [0x0C]
        case UInt8(ascii: "r"): return [0x0D]
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): return [byte]
        case UInt8(ascii: "u"): return try scalar(digits: 4, from: start)
        case UInt8(ascii: "U"): return try scalar(digits: 8, from: start)
        default: throw wrongEscape(at: start)
        }
    }

    /// Steps over a line end behind a backslash, with all the blanks and line ends that follow; `false` where there is none.
    private mutating func skipEscapedLineEnd() throws(TOMLError) -> Bool {
        let start = index
        skipBlanks()
        guard takeLineEnd() else {
            index = start
            return false
        }
        repeat { skipBlanks() } while takeLineEnd()
        return true
    }

    private mutating func scalar(digits count: Int, from start: Int) throws(TOMLError) -> [UInt8] {
        let digits = bytes[index...].prefix(count)
        guard digits.count == count, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit && $0 < 0x80 }),
            let value = UInt32(String(decoding: digits, as: UTF8.self), radix: 16), let scalar = Unicode.Scalar(value)
        else { throw wrongEscape(at: start) }
        index += count
        return Array(String(scalar).utf8)
    }

    private func wrongEscape(at start: Int) -> TOMLError {
        error("this escape means nothing", "write \\\\ for a backslash, or put the text in single quotes", at: start)
    }
}
