/// The translations into one language, read from a GNU gettext catalogue (`.po`).
package struct Catalog: Sendable {
    /// Translations by the English text.
    package private(set) var texts: [String: String] = [:]
    /// The singular and plural forms, by the English plural.
    package private(set) var plurals: [String: (one: String, many: String)] = [:]
    /// The numbers of invalid lines.
    package private(set) var mistakes: [Int] = []

    /// A catalogue without translations.
    package static let empty = Catalog([])

    /// Reads `msgid`, `msgid_plural`, `msgstr`, `msgstr[0]`, `msgstr[1]`, continued lines and comments. An entry without a translation, or
    /// marked `fuzzy`, counts as missing.
    package init(_ bytes: [UInt8]) {
        var entry: [Field: String] = [:]
        var field: Field?
        var isFuzzy = false
        // Bytes, because a command that fails reads the whole catalogue for a few texts, and characters take ten times as long.
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.first == UInt8(ascii: "#") {
                if field != nil {
                    if !isFuzzy { take(entry) }
                    (entry, field, isFuzzy) = ([:], nil, false)
                }
                isFuzzy = isFuzzy || line.starts(with: "#,".utf8) && String(decoding: line, as: UTF8.self).contains("fuzzy")
                continue
            }
            if line.first == UInt8(ascii: "m"), let found = Field.allCases.first(where: { line.starts(with: $0.beginning) }) {
                if found == .id, field != nil {
                    if !isFuzzy { take(entry) }
                    (entry, isFuzzy) = ([:], false)
                }
                field = found
            } else if line.first != UInt8(ascii: "\"") {
                field = nil
            }
            guard let field, let text = Self.unquoted(line) else {
                mistakes.append(index + 1)
                continue
            }
            entry[field, default: ""] += text
        }
        if !isFuzzy { take(entry) }
    }

    private enum Field: String, CaseIterable {
        case id = "msgid"
        case manyID = "msgid_plural"
        case text = "msgstr"
        case one = "msgstr[0]"
        case many = "msgstr[1]"

        /// The beginning of a line with the field.
        var beginning: String.UTF8View { (rawValue + " \"").utf8 }
    }

    private mutating func take(_ entry: [Field: String]) {
        // The entry with an empty id is the file header.
        guard let id = entry[.id], !id.isEmpty else { return }
        if let id = entry[.manyID] {
            if let one = entry[.one], let many = entry[.many], !one.isEmpty, !many.isEmpty { plurals[id] = (one, many) }
        } else if let text = entry[.text], !text.isEmpty {
            texts[id] = text
        }
    }

    /// Returns the text between the first and the last quotation mark of a line.
    private static func unquoted(_ line: ArraySlice<UInt8>) -> String? {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        guard let open = line.firstIndex(of: quote), open < line.endIndex - 1, line.last == quote else { return nil }
        let inside = line[(open + 1)..<(line.endIndex - 1)]
        guard inside.contains(where: { $0 == quote || $0 == backslash }) else { return String(decoding: inside, as: UTF8.self) }
        var out: [UInt8] = []
        var isEscaped = false
        for byte in inside {
            if !isEscaped, byte == quote { return nil }
            if !isEscaped, byte == backslash {
                isEscaped = true
                continue
            }
            out.append(isEscaped && byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
            isEscaped = false
        }
        return isEscaped ? nil : String(decoding: out, as: UTF8.self)
    }
}
