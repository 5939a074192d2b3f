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
        for (index, line) in String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.isEmpty || line.hasPrefix("#") {
                if field != nil {
                    if !isFuzzy { take(entry) }
                    (entry, field, isFuzzy) = ([:], nil, false)
                }
                isFuzzy = isFuzzy || line.hasPrefix("#,") && line.contains("fuzzy")
                continue
            }
            if let found = Field.allCases.first(where: { line.hasPrefix($0.rawValue + " \"") }) {
                if found == .id, field != nil {
                    if !isFuzzy { take(entry) }
                    (entry, isFuzzy) = ([:], false)
                }
                field = found
            } else if !line.hasPrefix("\"") {
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
        case plural = "msgid_plural"
        case text = "msgstr"
        case one = "msgstr[0]"
        case many = "msgstr[1]"
    }

    private mutating func take(_ entry: [Field: String]) {
        // The entry with an empty id is the file header.
        guard let id = entry[.id], !id.isEmpty else { return }
        if let plural = entry[.plural] {
            if let one = entry[.one], let many = entry[.many], !one.isEmpty, !many.isEmpty { plurals[plural] = (one, many) }
        } else if let text = entry[.text], !text.isEmpty {
            texts[id] = text
        }
    }

    /// Returns the text between the first and the last quotation mark of a line.
    private static func unquoted(_ line: Substring) -> String? {
        guard let open = line.firstIndex(of: "\""), line.count > 1, line.last == "\"" else { return nil }
        var out = ""
        var isEscaped = false
        let inside = line[line.index(after: open)...].dropLast()
        for character in inside {
            switch (isEscaped, character) {
            case (false, "\\"): isEscaped = true
            case (false, "\""): return nil
            case (false, _): out.append(character)
            case (true, "n"):
                out.append("\n")
                isEscaped = false
            case (true, _):
                out.append(character)
                isEscaped = false
            }
        }
        return isEscaped ? nil : out
    }
}
