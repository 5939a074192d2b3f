/// Where the tables and keys of a TOML text stand, by line.
///
/// The reader that checks the text (TOMLKit) says nothing of positions once it has succeeded; messages that name a line, and edits that
/// leave the rest of the file as it was, need them. The outline is drawn of texts that the reader took, so it need not judge them.
struct TOMLOutline: Equatable {
    /// A table's header, or a key with its value.
    struct Entry: Equatable {
        /// The full path, from the root.
        var path: [String]
        /// Counted from 0; more than one where the value goes on.
        var lines: Range<Int>
        var isHeader: Bool
        /// Where the value begins on its first line, in bytes; 0 for a header.
        var valueOffset: Int
    }

    private(set) var entries: [Entry] = []
    /// The lines of the text, without their ends.
    let lines: [Substring]

    init(_ text: String) {
        // By bytes: to a `Character`, CR LF is one and no line feed.
        lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Substring($0) }
        var scanner = Scanner(bytes: Array(text.utf8))
        var table: [String] = []
        while scanner.skipToContent() {
            let line = scanner.line
            if let header = scanner.header() {
                table = header
                entries.append(Entry(path: header, lines: line..<line + 1, isHeader: true, valueOffset: 0))
            } else {
                let key = scanner.keyPath(until: UInt8(ascii: "="))
                let offset = scanner.column
                scanner.skipValue()
                entries.append(Entry(path: table + key, lines: line..<scanner.line + 1, isHeader: false, valueOffset: offset))
            }
            scanner.skipLine()
        }
    }

    /// The line, counted from 1, of the first table header whose name begins with what no key can begin with.
    ///
    /// The reader that checks the text ends the process there, so it is not given such a text. Unlike the rest, this is meant for any text.
    static func lineOfBrokenHeader(in text: String) -> Int? {
        var scanner = Scanner(bytes: Array(text.utf8))
        while scanner.skipToContent() {
            if scanner.beginsBrokenHeader { return scanner.line + 1 }
            if scanner.header() == nil {
                _ = scanner.keyPath(until: UInt8(ascii: "="))
                scanner.skipValue()
            }
            scanner.skipLine()
        }
        return nil
    }

    /// The line of a path, counted from 1: its own, else that of the nearest path above it.
    func line(of path: [String]) -> Int? {
        var wanted = path[...]
        while !wanted.isEmpty {
            if let entry = entries.first(where: { $0.path.starts(with: wanted) }) { return entry.lines.lowerBound + 1 }
            wanted = wanted.dropLast()
        }
        return nil
    }
}

/// Reads keys exactly and steps over values.
private struct Scanner {
    let bytes: [UInt8]
    var index = 0
    var line = 0
    private var lineStart = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Bytes from the beginning of the line.
    var column: Int { index - lineStart }

    private var current: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func advance() {
        if current == UInt8(ascii: "\n") {
            line += 1
            lineStart = index + 1
        }
        index += 1
    }

    private var isBlank: Bool { current == UInt8(ascii: " ") || current == UInt8(ascii: "\t") || current == UInt8(ascii: "\r") }

    /// Goes to the next header or key; `false` at the end.
    mutating func skipToContent() -> Bool {
        while let byte = current {
            if byte == UInt8(ascii: "#") {
                skipLine()
            } else if isBlank || byte == UInt8(ascii: "\n") {
                advance()
            } else {
                return true
            }
        }
        return false
    }

    mutating func skipLine() {
        while current != nil, current != UInt8(ascii: "\n") { index += 1 }
        advance()
    }

    /// Whether there is `[` or `[[`, and then something that neither begins a key nor closes the header.
    var beginsBrokenHeader: Bool {
        guard current == UInt8(ascii: "[") else { return false }
        let name = bytes[(index + 1)...].drop { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        guard let first = name.first else { return false }
        return switch first {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): false
        default: !"-_\"']".utf8.contains(first)
        }
    }

    /// The path of `[table]` or `[[table]]`; `nil` where there is a key.
    mutating func header() -> [String]? {
        guard current == UInt8(ascii: "[") else { return nil }
        while current == UInt8(ascii: "[") { index += 1 }
        return keyPath(until: UInt8(ascii: "]"))
    }

    /// A dotted key up to `end`, which is passed, and the blanks behind it.
    mutating func keyPath(until end: UInt8) -> [String] {
        var parts: [String] = []
        var bare: [UInt8] = []
        while let byte = current, byte != end, byte != UInt8(ascii: "\n") {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                parts.append(quotedKey(byte))
                continue
            }
            if byte == UInt8(ascii: ".") || isBlank {
                if !bare.isEmpty { parts.append(String(decoding: bare, as: UTF8.self)) }
                bare = []
            } else {
                bare.append(byte)
            }
            index += 1
        }
        if !bare.isEmpty { parts.append(String(decoding: bare, as: UTF8.self)) }
        if current == end { index += 1 }
        while isBlank { index += 1 }
        return parts
    }

    private mutating func quotedKey(_ quote: UInt8) -> String {
        index += 1
        var content: [UInt8] = []
        while let byte = current, byte != quote, byte != UInt8(ascii: "\n") {
            // An escaped key keeps its escapes: it only has to be told from others.
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                content.append(byte)
                index += 1
            }
            if let byte = current { content.append(byte) }
            index += 1
        }
        index += 1
        return String(decoding: content, as: UTF8.self)
    }

    /// Steps over a value, its comment excluded, to the end of the line on which it ends.
    mutating func skipValue() {
        var depth = 0
        while let byte = current {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"): skipString(byte)
            case UInt8(ascii: "["), UInt8(ascii: "{"):
                depth += 1
                index += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"):
                depth -= 1
                index += 1
            case UInt8(ascii: "#"):
                if depth <= 0 { return }
                while current != nil, current != UInt8(ascii: "\n") { index += 1 }
            case UInt8(ascii: "\n"):
                if depth <= 0 { return }
                advance()
            default: index += 1
            }
        }
    }

    private mutating func skipString(_ quote: UInt8) {
        let isLong = index + 2 < bytes.count && bytes[index + 1] == quote && bytes[index + 2] == quote
        index += isLong ? 3 : 1
        while let byte = current {
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                advance()
                if current != nil { advance() }
            } else if byte == quote, !isLong {
                index += 1
                return
            } else if byte == quote, index + 2 < bytes.count, bytes[index + 1] == quote, bytes[index + 2] == quote {
                index += 3
                // Up to two quotes may stand directly before the closing ones.
                while current == quote { index += 1 }
                return
            } else if byte == UInt8(ascii: "\n"), !isLong {
                return
            } else {
                advance()
            }
        }
    }
}
