internal import AuthModel

/// A line of a YAML file, of the kind that ``YAMLTable`` reads.
struct YAMLLine {
    /// The value after the key or the dash of a line.
    enum Value: Equatable {
        case none
        /// A value in this line.
        case value(JSONValue)
        /// A value that other lines have.
        case elsewhere
    }

    /// The bytes of the line without its line feed.
    let range: Range<Int>
    let indent: Int
    var isComment = false
    /// Whether it is neither empty nor a comment.
    var isContent = false
    /// Whether it is read; otherwise it continues a value.
    var isRead = false
    /// Whether it is an item of a list.
    var isItem = false
    var key: String?
    /// The position of the key or the value.
    var start = 0
    var value = Value.none
    /// The bytes of the value, without a comment.
    var valueRange = 0..<0

    /// Reads all lines; `nil` if one of them may mean something that this does not know.
    static func all(of bytes: [UInt8]) -> [YAMLLine]? {
        // Tabs, and what YAML 1.1 takes for a line feed.
        let isKnown = String(decoding: bytes, as: UTF8.self).unicodeScalars.allSatisfy { scalar in
            scalar == "\n" || scalar.value >= 0x20 && ![0x7F, 0x85, 0x2028, 0x2029, 0xFEFF].contains(scalar.value)
        }
        guard isKnown else { return nil }
        var lines: [YAMLLine] = []
        var start = 0
        // The lines with a larger indentation continue the value of the last line that was read.
        var continued: Int?
        var lastRead: Int?
        var hasBegun = false
        while start < bytes.count {
            let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
            defer { start = end + 1 }
            let indent = bytes[start..<end].prefix { $0 == UInt8(ascii: " ") }.count
            var line = YAMLLine(range: start..<end, indent: indent)
            defer { lines.append(line) }
            guard start + indent < end else { continue }
            if let column = continued, indent > column {
                line.isContent = true
                if let lastRead { lines[lastRead].value = .elsewhere }
                continue
            }
            continued = nil
            if bytes[start + indent] == UInt8(ascii: "#") {
                line.isComment = true
                continue
            }
            let text = String(decoding: bytes[start..<end], as: UTF8.self)
            if text == "---", !hasBegun { continue }
            hasBegun = true
            guard !["---", "...", "%"].contains(where: { text.hasPrefix($0) }) else { return nil }
            guard let column = line.read(bytes) else { return nil }
            lastRead = lines.count
            if line.value != .none { continued = column }
        }
        // With another line after it, the text of several lines would have a line feed more.
        if let last = lines.last, last.isContent, !last.isRead, bytes.last != UInt8(ascii: "\n") { return nil }
        return lines
    }

    /// Reads the line. Returns the column that the lines of its value are beyond; `nil` for a line that is not understood.
    private mutating func read(_ bytes: [UInt8]) -> Int? {
        (isContent, isRead) = (true, true)
        var position = range.lowerBound + indent
        while bytes[position] == UInt8(ascii: "-"), position + 1 == range.upperBound || bytes[position + 1] == UInt8(ascii: " ") {
            isItem = true
            position += 1
            while position < range.upperBound, bytes[position] == UInt8(ascii: " ") { position += 1 }
            guard position < range.upperBound else { return indent }
        }
        start = position
        let column = position - range.lowerBound
        if let (name, end) = Self.key(bytes[position..<range.upperBound]) {
            key = name
            position = end
        } else if !isItem {
            return nil
        }
        while position < range.upperBound, bytes[position] == UInt8(ascii: " ") { position += 1 }
        guard let (found, end) = Self.value(bytes[position..<range.upperBound]) else { return nil }
        (value, valueRange) = (found, position..<end)
        return key == nil ? indent : column
    }

    /// Returns the key at the beginning, and the position after its colon; `nil` if there is none.
    private static func key(_ bytes: ArraySlice<UInt8>) -> (String, Int)? {
        func isColon(_ index: Int) -> Bool {
            bytes.indices.contains(index) && bytes[index] == UInt8(ascii: ":")
                && (index + 1 == bytes.endIndex || bytes[index + 1] == UInt8(ascii: " "))
        }
        guard let first = bytes.first else { return nil }
        if isMark(first) {
            guard let end = endOfQuoted(bytes), isColon(end), let text = quoted(bytes[..<end]) else { return nil }
            return (text, end + 1)
        }
        guard !indicators.contains(first), let colon = bytes.indices.first(where: isColon) else { return nil }
        let name = String(decoding: bytes[..<colon], as: UTF8.self)
        // A comment, a list, or another table's members.
        guard !name.contains(where: { "#{[".contains($0) }), name.last != " ", name != "<<" else { return nil }
        return (name, colon + 1)
    }

    /// The bytes that cannot begin a plain word.
    private static let indicators = Set("\"'&*!?|>%@`#{}[],".utf8)

    /// Returns a value that ends in the line, and the position after it; `nil` for one that is not understood.
    private static func value(_ bytes: ArraySlice<UInt8>) -> (Value, Int)? {
        func isEnd(_ index: Int) -> Bool {
            let rest = bytes[index...]
            let spaces = rest.prefix { $0 == UInt8(ascii: " ") }.count
            return rest.count == spaces || spaces > 0 && rest[index + spaces] == UInt8(ascii: "#")
        }
        guard let first = bytes.first, first != UInt8(ascii: "#") else { return (.none, bytes.startIndex) }
        if isMark(first) {
            guard let end = endOfQuoted(bytes), isEnd(end) else { return nil }
            return (quoted(bytes[..<end]).map { Value.value(.string($0)) } ?? .elsewhere, end)
        }
        switch first {
        case UInt8(ascii: "|"), UInt8(ascii: ">"):
            // With a plus, the empty lines after it are a part of it.
            let end = bytes.dropFirst().firstIndex { !"0123456789-".utf8.contains($0) } ?? bytes.endIndex
            return isEnd(end) ? (.elsewhere, end) : nil
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard let end = closing(bytes), isEnd(end) else { return nil }
            // Other lists and tables in one line are left unread.
            return ((try? JSONValue(strict: Array(bytes[..<end]))).map { Value.value($0) } ?? .elsewhere, end)
        case UInt8(ascii: "-"), UInt8(ascii: ":"):
            // An item of a list in the line of its key.
            guard bytes.count > 1, bytes[bytes.startIndex + 1] != UInt8(ascii: " ") else { return nil }
        case _ where indicators.contains(first): return nil
        default: break
        }
        let comment = bytes.indices.first { bytes[$0] == UInt8(ascii: "#") && bytes[$0 - 1] == UInt8(ascii: " ") } ?? bytes.endIndex
        let end = bytes[..<comment].lastIndex { $0 != UInt8(ascii: " ") }.map { $0 + 1 } ?? comment
        let text = String(decoding: bytes[..<end], as: UTF8.self)
        guard !text.contains(": "), !text.hasSuffix(":") else { return nil }
        return (.value(plain(text)), end)
    }

    private static func plain(_ text: String) -> JSONValue { text == "~" ? .null : (try? JSONValue(strict: text)) ?? .string(text) }

    private static func isMark(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }

    /// Returns a text in quotation marks; `nil` if it has other escapes than JSON's.
    private static func quoted(_ bytes: ArraySlice<UInt8>) -> String? {
        guard bytes.first == UInt8(ascii: "'") else { return (try? JSONValue(strict: Array(bytes)))?.string }
        return String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self).replacing("''", with: "'")
    }

    private static func endOfQuoted(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard let mark = bytes.first else { return nil }
        var index = bytes.startIndex + 1
        while index < bytes.endIndex {
            if bytes[index] == UInt8(ascii: "\\"), mark == UInt8(ascii: "\"") {
                index += 2
            } else if bytes[index] == mark {
                guard mark == UInt8(ascii: "'"), index + 1 < bytes.endIndex, bytes[index + 1] == mark else { return index + 1 }
                index += 2
            } else {
                index += 1
            }
        }
        return nil
    }

    /// Returns the position after the bracket that closes the first one.
    private static func closing(_ bytes: ArraySlice<UInt8>) -> Int? {
        var depth = 0
        var index = bytes.startIndex
        while index < bytes.endIndex {
            switch bytes[index] {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                guard let end = endOfQuoted(bytes[index...]) else { return nil }
                index = end
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
            if depth == 0 { return index }
        }
        return nil
    }
}
