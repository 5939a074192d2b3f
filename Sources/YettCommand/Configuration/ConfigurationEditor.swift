internal import AuthModel

/// Changes a configuration text without touching what the change is not about: comments, order and blanks stay.
struct ConfigurationEditor {
    private(set) var text: String

    init(_ text: String) { self.text = text }

    /// Adds a table at the end.
    mutating func append(table: [String], values: [(key: String, value: String)]) {
        if !text.isEmpty {
            if text.last?.isNewline != true { text += "\n" }
            text += "\n"
        }
        text += "[\(table.map(Self.key).joined(separator: "."))]\n"
        for (key, value) in values { text += "\(Self.key(key)) = \(value)\n" }
    }

    /// Removes a table with everything below it, however it is written; the comments above it stay.
    mutating func remove(table: [String]) {
        let outline = TOMLOutline(text)
        var isGone = [Bool](repeating: false, count: outline.lines.count)
        for (index, entry) in outline.entries.enumerated() where entry.path.starts(with: table) {
            guard entry.isHeader else {
                for line in entry.lines { isGone[line] = true }
                continue
            }
            let next = outline.entries[(index + 1)...].first(where: \.isHeader)
            let end = next.map { Self.beginning(of: $0, after: entry.lines.upperBound, in: outline) } ?? isGone.count
            for line in entry.lines.lowerBound..<end { isGone[line] = true }
        }
        let kept = outline.lines.indices.filter { !isGone[$0] }.map { outline.lines[$0] }
        text = kept.joined(separator: "\n")
        while text.hasSuffix("\n\n") { text.removeLast() }
        if !text.isEmpty, text.last != "\n" { text += "\n" }
    }

    /// The first line of a header or of the comment that stands directly above it.
    private static func beginning(of header: TOMLOutline.Entry, after lowest: Int, in outline: TOMLOutline) -> Int {
        var line = header.lines.lowerBound
        while line > lowest, outline.lines[line - 1].drop(while: { $0 == " " || $0 == "\t" }).first == "#" { line -= 1 }
        return line
    }

    /// Gives a key of a top-level table a value, in its place where it is there, else at the beginning of its table.
    mutating func set(_ key: String, in table: String, to value: String) {
        let outline = TOMLOutline(text)
        var lines = outline.lines.map(String.init)
        if let entry = outline.entries.first(where: { !$0.isHeader && $0.path == [table, key] }) {
            let line = lines[entry.lines.lowerBound]
            let head = String(decoding: line.utf8.prefix(entry.valueOffset), as: UTF8.self)
            let comment = Self.comment(behind: line.utf8.dropFirst(entry.valueOffset))
            lines.replaceSubrange(entry.lines, with: [head + value + comment])
        } else if let header = outline.entries.first(where: { $0.isHeader && $0.path == [table] }) {
            lines.insert("\(Self.key(key)) = \(value)", at: header.lines.upperBound)
        } else {
            append(table: [table], values: [(key, value)])
            return
        }
        text = lines.joined(separator: "\n")
    }

    /// The comment behind a one-line text value, with the blanks before it.
    private static func comment(behind value: Substring.UTF8View) -> String {
        guard let quote = value.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
            let end = value.dropFirst().firstIndex(of: quote)
        else { return "" }
        let rest = value[value.index(after: end)...]
        return rest.contains(UInt8(ascii: "#")) ? String(decoding: rest, as: UTF8.self) : ""
    }

    /// A key as TOML writes it.
    private static func key(_ text: String) -> String {
        let isBare =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
        return isBare ? text : value(text)
    }

    /// A text as TOML writes it.
    static func value(_ text: String) -> String {
        var out = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": out += "\\\""
            case "\\": out += "\\\\"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16, uppercase: true)
                out += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out + "\""
    }

    /// A list of texts as TOML writes it.
    static func value(_ texts: [String]) -> String {
        "[" + texts.map { value($0) }.joined(separator: ", ") + "]"
    }
}
