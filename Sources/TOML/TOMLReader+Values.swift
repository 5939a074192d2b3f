extension TOMLReader {
    /// Parses a value without anything after it.
    ///
    /// - Parameter path: the path of the key of the value.
    mutating func value(at path: [String]) throws(TOMLError) -> TOMLValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= TOMLDocument.maximumDepth else { throw tooDeep() }
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"): return .string(try string())
        case UInt8(ascii: "["): return .array(try array(at: path))
        case UInt8(ascii: "{"): return try inlineTable(at: path)
        default: return try word()
        }
    }

    private mutating func array(at path: [String]) throws(TOMLError) -> [TOMLValue] {
        let start = index
        index += 1
        var elements: [TOMLValue] = []
        while true {
            try skipLines()
            if consume("]") { return elements }
            guard current != nil else { throw error("toml.list_not_closed", "hint.toml_end_with_bracket", at: start) }
            elements.append(try value(at: path))
            try skipLines()
            if consume("]") { return elements }
            guard consume(",") else {
                throw current == nil
                    ? error("toml.list_not_closed", "hint.toml_end_with_bracket", at: start)
                    : error("toml.comma_missing", "hint.toml_list_form")
            }
        }
    }

    /// Skips whitespace, comments and line endings.
    private mutating func skipLines() throws(TOMLError) {
        repeat {
            skipWhitespace()
            try skipComment()
        } while consumeLineEnd()
    }

    private mutating func inlineTable(at path: [String]) throws(TOMLError) -> TOMLValue {
        let start = index
        index += 1
        var tree = TOMLTree()
        skipWhitespace()
        if consume("}") { return tree.root }
        while true {
            skipWhitespace()
            let begin = index
            let key = try keyPath(below: path)
            let value = try assigned(to: path + key, in: .braces, from: begin)
            do throws(TOMLTree.Conflict) {
                try tree.put(value, at: key)
            } catch {
                throw refusal(error, of: key, at: begin)
            }
            skipWhitespace()
            if consume("}") { return tree.root }
            guard consume(",") else {
                throw error("toml.braces_not_closed", "hint.toml_end_braces", at: start)
            }
        }
    }

    /// Parses an unquoted value: a number, `true`, `false`, a date or a time.
    private mutating func word() throws(TOMLError) -> TOMLValue {
        let start = index
        skipWord()
        // A date and a time may be separated by one space.
        if TOMLDateTime.isDate(bytes[start..<index]), current == UInt8(ascii: " "), TOMLDateTime.startsLikeTime(bytes[(index + 1)...]) {
            index += 1
            skipWord()
        }
        let word = bytes[start..<index]
        let text = String(decoding: word, as: UTF8.self)
        let shown = Self.shown(text)
        switch text {
        case "":
            throw error("toml.value_missing", "hint.toml_quote_text_or_list", at: start)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        default: break
        }
        if TOMLDateTime.looksLikeDateTime(word) {
            guard TOMLDateTime.isDateTime(word) else {
                throw error(TOMLError.Message("toml.not_a_date", ["value": shown]), "hint.toml_quote_text", at: start)
            }
            return .moment(text)
        }
        if let number = TOMLNumber.value(text) { return number }
        if TOMLNumber.isWhole(text) {
            throw error(TOMLError.Message("toml.number_too_large", ["value": shown]), "hint.toml_64_bits", at: start)
        }
        throw error(
            TOMLError.Message("toml.not_a_value", ["value": shown]), TOMLError.Message("hint.toml_quote_this", ["value": shown]), at: start)
    }

    private mutating func skipWord() {
        while let byte = current, TOMLText.isBare(byte) || "+.:".utf8.contains(byte) { index += 1 }
    }

    /// Whether three quotes start here.
    var startsMultilineString: Bool { current.map(quotes) ?? 0 >= 3 }

    /// Returns the number of consecutive quotes at the current position.
    private func quotes(_ quote: UInt8) -> Int { bytes[index...].prefix { $0 == quote }.count }

    /// Parses a string of any of the four kinds.
    mutating func string() throws(TOMLError) -> String {
        let start = index
        guard let quote = current else { return "" }
        let isMultiline = quotes(quote) >= 3
        let hasEscapes = quote == UInt8(ascii: "\"")
        index += isMultiline ? 3 : 1
        // A line ending directly after the opening quotes is not part of the string.
        if isMultiline { _ = consumeLineEnd() }
        var text: [UInt8] = []
        while let byte = current {
            if byte == quote {
                let count = quotes(quote)
                if !isMultiline {
                    index += 1
                    return String(decoding: text, as: UTF8.self)
                }
                // Up to two quotes may precede the closing three.
                let taken = min(count, 5)
                index += taken
                guard taken < 3 else {
                    return String(decoding: text + [UInt8](repeating: quote, count: taken - 3), as: UTF8.self)
                }
                text += [UInt8](repeating: quote, count: taken)
            } else if byte == UInt8(ascii: "\\"), hasEscapes {
                text += try escape(isMultiline: isMultiline)
            } else if consumeLineEnd() {
                guard isMultiline else { break }
                text.append(UInt8(ascii: "\n"))
            } else {
                try rejectControlCharacter(byte)
                text.append(byte)
                index += 1
            }
        }
        throw error(
            "toml.text_not_closed", isMultiline ? "hint.toml_end_with_three_quotes" : "hint.toml_end_with_quote", at: start)
    }

    /// Parses an escape sequence and returns its bytes.
    private mutating func escape(isMultiline: Bool) throws(TOMLError) -> [UInt8] {
        let start = index
        index += 1
        if isMultiline, try skipEscapedLineEnd() { return [] }
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

    /// Skips an escaped line ending and all following whitespace and line endings; returns `false` if there is none.
    private mutating func skipEscapedLineEnd() throws(TOMLError) -> Bool {
        let start = index
        skipWhitespace()
        guard consumeLineEnd() else {
            index = start
            return false
        }
        repeat { skipWhitespace() } while consumeLineEnd()
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
        error("toml.unknown_escape", "hint.toml_write_backslash", at: start)
    }
}
