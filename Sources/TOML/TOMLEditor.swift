/// Edits a TOML text and preserves everything else: comments, order and whitespace.
public struct TOMLEditor: Equatable, Sendable {
    /// The current text.
    public private(set) var text: String

    /// Creates an editor.
    ///
    /// - Parameter text: must be valid TOML; otherwise edits throw.
    public init(_ text: String) { self.text = text }

    /// Appends a table to the text. The values must be in TOML syntax.
    public mutating func append(table: [String], values: [(key: String, value: String)]) {
        let end = lineEnd
        if !text.isEmpty {
            if text.utf8.last != UInt8(ascii: "\n") { text += end }
            text += end
        }
        text += "[\(table.map(TOMLText.key).joined(separator: "."))]\(end)"
        for (key, value) in values { text += "\(TOMLText.key(key)) = \(value)\(end)" }
    }

    /// Sets a key of a table: replaces an existing value, otherwise inserts the key at the beginning of the table, otherwise appends the
    /// table.
    ///
    /// The table may be written with a header, inline or with dotted keys. The rest of the text stays unchanged.
    /// - Parameters:
    ///   - table: the path of the table from the root; not empty.
    ///   - value: the value in TOML syntax.
    /// - Throws: if the current text is not valid TOML.
    public mutating func set(_ key: String, in table: [String], to value: String) throws(TOMLError) {
        let document = try TOMLDocument(text)
        let entries = document.entries
        let path = table + [key]
        if let entry = entries.first(where: { $0.place != .header && $0.path.isPath(path) }) {
            replace(entry.value, with: value)
        } else if let header = entries.first(where: { $0.place == .header && $0.path.isPath(table) }) {
            insert("\(TOMLText.key(key)) = \(value)", afterLineOf: header, in: document)
        } else if let braces = entries.first(where: { $0.place != .header && $0.path.isPath(table) }),
            let members = document.root[path: table]?.members
        {
            let start = braces.value.lowerBound + 1
            replace(start..<start, with: " \(TOMLText.key(key)) = \(value)\(members.isEmpty ? " " : ",")")
        } else if let index = entries.indices.first(where: { entries[$0].place != .header && document.isBelow(table, at: $0) }) {
            // A table that dotted keys define must not also have a header.
            let dotted = entries[index]
            let name = table.dropFirst(document.parents[index].count) + [key]
            let dottedKey = name.map(TOMLText.key).joined(separator: ".")
            let start =
                dotted.place == .line ? document.start(ofLine: document.lines(of: dotted.range).lowerBound) : dotted.range.lowerBound
            replace(start..<start, with: "\(dottedKey) = \(value)\(dotted.place == .line ? lineEnd : ", ")")
        } else {
            append(table: table, values: [(key, value)])
        }
    }

    /// Removes a key of a table with its value. Does nothing if there is no such key.
    ///
    /// - Throws: if the current text is not valid TOML.
    public mutating func remove(_ key: String, in table: [String]) throws(TOMLError) { try remove(table: table + [key]) }

    /// The line ending of the text, taken from its first line.
    private var lineEnd: String {
        let bytes = text.utf8
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end > bytes.startIndex else { return "\n" }
        return bytes[bytes.index(before: end)] == UInt8(ascii: "\r") ? "\r\n" : "\n"
    }

    /// Removes a table and everything in it, in any syntax. Comments above the table stay.
    ///
    /// - Throws: if the current text is not valid TOML.
    public mutating func remove(table: [String]) throws(TOMLError) {
        let document = try TOMLDocument(text)
        let bytes = Array(text.utf8)
        var removal = TOMLRemoval(from: bytes)
        for part in parts(of: table, in: document, bytes: bytes).reversed() {
            removal.remove(part.range, withComma: part.isBetweenBraces)
        }
        var rest = removal.finish()
        if rest.count < bytes.count {
            while rest.suffix(2) == Array("\n\n".utf8)[...] { rest.removeLast() }
        }
        text = String(decoding: rest, as: UTF8.self)
    }

    /// Returns the byte ranges of a table and everything in it, in order and without overlaps.
    private func parts(
        of table: [String], in document: TOMLDocument, bytes: [UInt8]
    ) -> [(range: Range<Int>, isBetweenBraces: Bool)] {
        var parts: [(range: Range<Int>, isBetweenBraces: Bool)] = []
        for (index, entry) in document.entries.enumerated() where entry.path.isPath(in: table) {
            let lines = document.lines(of: entry.range)
            let start = document.start(ofLine: lines.lowerBound)
            let range =
                switch entry.place {
                case .header:
                    start..<(document.entries[(index + 1)...].first { $0.place == .header }
                        .map { beginning(of: $0, after: lines.upperBound, in: document, bytes: bytes) } ?? bytes.count)
                case .line: start..<document.start(ofLine: lines.upperBound + 1)
                case .braces: entry.range
                }
            // A range inside the previous one is removed with it.
            if let last = parts.last, range.lowerBound < last.range.upperBound { continue }
            parts.append((range, entry.place == .braces))
        }
        return parts
    }

    private mutating func replace(_ range: Range<Int>, with new: String) {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(range, with: new.utf8)
        text = String(decoding: bytes, as: UTF8.self)
    }

    private mutating func insert(_ line: String, afterLineOf entry: TOMLDocument.Entry, in document: TOMLDocument) {
        let next = document.start(ofLine: document.lines(of: entry.range).upperBound + 1)
        let isLast = next == text.utf8.count && text.utf8.last != UInt8(ascii: "\n")
        replace(next..<next, with: isLast ? lineEnd + line : line + lineEnd)
    }

    /// Returns the offset of a header, or of the comments directly above it.
    private func beginning(of header: TOMLDocument.Entry, after lowest: Int, in document: TOMLDocument, bytes: [UInt8]) -> Int {
        var line = document.lines(of: header.range).lowerBound
        while line > lowest + 1 {
            let above = bytes[document.start(ofLine: line - 1)...]
            guard above.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) == UInt8(ascii: "#") else { break }
            line -= 1
        }
        return document.start(ofLine: line)
    }

    /// Appends a string to an array of strings, in the array's own layout. Sets the key if there is none.
    ///
    /// - Throws: if the current text is not valid TOML.
    public mutating func append(_ text: String, to key: String, in table: [String]) throws(TOMLError) {
        guard let array = try TOMLStringArray(key, in: table, of: self.text) else {
            return try set(key, in: table, to: TOMLText.list([text]))
        }
        try set(key, in: table, to: array.appending(TOMLText.quoted(text)))
    }

    /// Removes an element of an array of strings by its position. Does nothing if there is no such array or position.
    ///
    /// - Throws: if the current text is not valid TOML.
    public mutating func removeElement(_ index: Int, of key: String, in table: [String]) throws(TOMLError) {
        guard let array = try TOMLStringArray(key, in: table, of: text), array.elements.indices.contains(index) else { return }
        try set(key, in: table, to: array.removing(index))
    }
}

/// Removes ranges from a text in one pass, from its end to its beginning.
struct TOMLRemoval<Bytes: RandomAccessCollection> where Bytes.Element == UInt8, Bytes.Index == Int {
    private let bytes: Bytes
    /// The kept bytes after `end`, in reverse order.
    private var kept: [UInt8] = []
    /// The end of the bytes that have not been processed yet.
    private var end: Int

    init(from bytes: Bytes) {
        self.bytes = bytes
        end = bytes.endIndex
        kept.reserveCapacity(bytes.count)
    }

    /// Removes a range, which must end before the previously removed one starts.
    ///
    /// - Parameter withComma: whether the range is a key of an inline table. The comma after it is removed too, or else the one before it.
    mutating func remove(_ range: Range<Int>, withComma: Bool) {
        copy(to: range.upperBound)
        end = range.lowerBound
        guard withComma, !dropFollowingComma() else { return }
        if let before = bytes[..<end].lastIndex(where: { !Self.isBlank($0) }), bytes[before] == UInt8(ascii: ",") { end = before }
    }

    /// Returns the remaining bytes.
    mutating func finish() -> [UInt8] {
        copy(to: bytes.startIndex)
        return kept.reversed()
    }

    private mutating func copy(to start: Int) {
        guard start < end else { return }
        kept.append(contentsOf: bytes[start..<end].reversed())
        end = start
    }

    /// Drops the next comma and the surrounding whitespace; returns whether there was one.
    private mutating func dropFollowingComma() -> Bool {
        guard let comma = kept.lastIndex(where: { !Self.isBlank($0) }), kept[comma] == UInt8(ascii: ",") else { return false }
        kept.removeSubrange(comma...)
        while let next = kept.last, Self.isBlank(next) { kept.removeLast() }
        return true
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
}
