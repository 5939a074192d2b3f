/// Parses a document in one pass.
struct TOMLReader {
    let bytes: [UInt8]
    let lineStarts: [Int]
    var index: Int
    /// The number of open arrays and inline tables.
    var depth = 0
    private(set) var entries: [TOMLDocument.Entry] = []
    private var tree = TOMLTree()
    private var table: [String] = []

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        // Some editors write a UTF-8 byte order mark. It is not part of the first line.
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        index = start
        lineStarts = [start] + bytes.indices.filter { bytes[$0] == UInt8(ascii: "\n") }.map { $0 + 1 }
    }

    var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    /// Returns the line of a byte, counted from 1.
    func line(at offset: Int) -> Int { lineStarts.line(at: offset) + 1 }

    /// Creates an error at an offset, by default at the next byte.
    func error(_ reason: TOMLError.Message, _ hint: TOMLError.Message, at offset: Int? = nil) -> TOMLError {
        let offset = offset ?? index
        let line = line(at: offset)
        return TOMLError(line: line, column: offset - lineStarts[line - 1] + 1, reason: reason, hint: hint)
    }

    /// Shortens a piece of the text for a message. Counts scalars, because a character may be of any size.
    static func shown(_ piece: String) -> String {
        let scalars = piece.unicodeScalars
        return scalars.count > 60 ? String(scalars.prefix(60)) + "…" : piece
    }

    mutating func document() throws(TOMLError) -> TOMLValue {
        while true {
            skipWhitespace()
            switch current {
            case nil: return tree.root
            case UInt8(ascii: "["): try header()
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "#"): break
            default: try keyValue()
            }
            try endOfLine()
        }
    }

    // MARK: Lines

    private mutating func header() throws(TOMLError) {
        let start = index
        index += 1
        let isArray = consume("[")
        let path = try keyPath(below: [])
        guard consume("]"), !isArray || consume("]") else {
            throw error("toml.table_name_not_closed", TOMLError.Message("hint.toml_form", ["example": isArray ? "[[table]]" : "[table]"]))
        }
        do throws(TOMLTree.Conflict) {
            if isArray { try tree.append(path) } else { try tree.open(path) }
        } catch {
            throw refusal(error, of: path, at: start)
        }
        table = path
        entries.append(TOMLDocument.Entry(path: path, place: .header, range: start..<index, value: index..<index))
    }

    private mutating func keyValue() throws(TOMLError) {
        let start = index
        let path = try keyPath(below: table)
        let value = try assigned(to: table + path, in: .line, from: start)
        do throws(TOMLTree.Conflict) {
            try tree.put(value, at: path)
        } catch {
            throw refusal(error, of: path, at: start)
        }
    }

    /// Parses `= value` after a key and records the entry. `path` is the full path of the key, and `start` its first byte.
    mutating func assigned(to path: [String], in place: TOMLDocument.Entry.Place, from start: Int) throws(TOMLError) -> TOMLValue {
        guard consume("=") else {
            throw error("toml.equals_missing", "hint.toml_one_key_per_line")
        }
        skipWhitespace()
        let begin = index
        let value = try value(at: path)
        entries.append(TOMLDocument.Entry(path: path, place: place, range: start..<index, value: begin..<index))
        return value
    }

    /// Converts a conflict into an error message.
    func refusal(_ conflict: TOMLTree.Conflict, of path: [String], at offset: Int) -> TOMLError {
        let name = Self.shown(path.map(TOMLText.key).joined(separator: "."))
        let part = Self.shown(TOMLText.key(conflict.name))
        return switch conflict.kind {
        case .duplicate: error(TOMLError.Message("toml.defined_twice", ["key": name]), "hint.keep_one", at: offset)
        case .notATable: error(TOMLError.Message("toml.not_a_table", ["key": name, "part": part]), "hint.rename_one", at: offset)
        case .closed:
            error(
                TOMLError.Message("toml.table_defined_elsewhere", ["key": name, "part": part]),
                TOMLError.Message("hint.toml_move_below", ["part": part]), at: offset)
        }
    }

    /// Parses whitespace and a comment up to the end of the line or the text.
    private mutating func endOfLine() throws(TOMLError) {
        skipWhitespace()
        try skipComment()
        guard current == nil || consumeLineEnd() else {
            throw error("toml.text_after_value", "hint.toml_own_line")
        }
    }

    // MARK: Pieces

    mutating func consume(_ byte: Unicode.Scalar) -> Bool {
        guard current == UInt8(ascii: byte) else { return false }
        index += 1
        return true
    }

    /// Consumes LF or CR LF.
    mutating func consumeLineEnd() -> Bool {
        if current == UInt8(ascii: "\r"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") { index += 1 }
        return consume("\n")
    }

    mutating func skipWhitespace() {
        while current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") { index += 1 }
    }

    mutating func skipComment() throws(TOMLError) {
        guard current == UInt8(ascii: "#") else { return }
        while let byte = current, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\r"), index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\n") { return }
            try rejectControlCharacter(byte)
            index += 1
        }
    }

    /// Throws for control characters other than tab, which strings and comments must not contain.
    func rejectControlCharacter(_ byte: UInt8) throws(TOMLError) {
        guard byte < 0x20 && byte != UInt8(ascii: "\t") || byte == 0x7F else { return }
        throw error("toml.control_character", "hint.remove_it")
    }

    /// Parses a dotted key and the surrounding whitespace.
    mutating func keyPath(below table: [String]) throws(TOMLError) -> [String] {
        var path: [String] = []
        repeat {
            skipWhitespace()
            path.append(try simpleKey())
            skipWhitespace()
        } while consume(".")
        guard table.count + path.count <= TOMLDocument.maximumDepth else { throw tooDeep() }
        return path
    }

    func tooDeep() -> TOMLError {
        error("toml.nested_too_deeply", TOMLError.Message("hint.toml_depth", ["depth": String(TOMLDocument.maximumDepth)]))
    }

    private mutating func simpleKey() throws(TOMLError) -> String {
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            let start = index
            let isMultiline = startsMultilineString
            let text = try string()
            guard !isMultiline else { throw error("toml.key_on_several_lines", "hint.toml_single_quotes", at: start) }
            return text
        default: break
        }
        let start = index
        while let byte = current, TOMLText.isBare(byte) { index += 1 }
        guard index > start else {
            throw error("toml.name_missing", "hint.toml_name_characters")
        }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }
}
