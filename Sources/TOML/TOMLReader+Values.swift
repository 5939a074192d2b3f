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
            if take("]") { return elements }
            guard current != nil else { throw error("toml.list_not_closed", "hint.toml_end_with_bracket", at: start) }
            elements.append(try value(at: path))
            try skipLines()
            if take("]") { return elements }
            guard take(",") else {
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
        } while takeLineEnd()
    }

    private mutating func inlineTable(at path: [String]) throws(TOMLError) -> TOMLValue {
        let start = index
        index += 1
        var tree = TOMLTree()
        skipWhitespace()
        if take("}") { return tree.root }
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
            if take("}") { return tree.root }
            guard take(",") else {
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
}
