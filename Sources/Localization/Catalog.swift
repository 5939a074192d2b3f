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
                    if !isFuzzy { add(entry) }
                    (entry, field, isFuzzy) = ([:], nil, false)
                }
                isFuzzy = isFuzzy || line.starts(with: "#,".utf8) && String(decoding: line, as: UTF8.self).contains("fuzzy")
                continue
            }
            if line.first == UInt8(ascii: "m"), let found = Field.allCases.first(where: { line.starts(with: $0.beginning) }) {
                if found == .id, field != nil {
                    if !isFuzzy { add(entry) }
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
        if !isFuzzy { add(entry) }
    }

    private enum Field: String, CaseIterable {
        case id = "msgid"
        case manyID = "msgid_plural"
        case text = "msgstr"
        case one = "msgstr[0]"
        case many = "msgstr[1]"

        /// The first word of a line with the field.
        var beginning: String.UTF8View { (rawValue + " \"").utf8 }
    }

    private mutating func add(_ entry: [Field: String]) {
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

/// A language of the app's texts.
///
/// `Catalogs` has one catalogue per language in the GNU gettext format, which translation tools support. Each contains the texts of all
/// ``UserMessage``s by code. The app's own English texts are in the code, in ``tr(_:_:)`` and ``plural(_:_:_:)``; the catalogues of the other
/// languages have their translations.
public enum Language: String, CaseIterable, Sendable {
    /// English, the language of the source texts.
    case english = "en"
    /// German.
    case german = "de"
    /// Spanish.
    case spanish = "es"

    /// The current language. The app sets it from its state for every update and every frame, so the texts depend on the state alone.
    @TaskLocal package static var current = Language.english

    /// Returns the language of a locale name such as `de_AT.UTF-8`; nil for an unsupported one.
    public init?(locale: String) {
        let code = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }
        self.init(rawValue: code.lowercased())
    }

    /// Returns the language that the environment asks for, by the POSIX rules: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set
    /// and not empty decides. Default: English.
    public static func preferred(in environment: [String: String]) -> Language {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap(Language.init(locale:)) ?? .english
    }

    /// The language's name in that language.
    public var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .spanish: "español"
        }
    }

    /// The translations of the app's own texts; empty for English, whose texts are in the code.
    package var catalog: Catalog {
        switch self {
        case .english: .empty
        case .german: Self.germanCatalog
        case .spanish: Self.spanishCatalog
        }
    }

    /// The texts of ``UserMessage``s in this language, by code.
    package var messages: Catalog { self == .english ? Self.englishMessages : catalog }

    private static let englishMessages = embedded("en.po")
    private static let germanCatalog = embedded("de.po")
    private static let spanishCatalog = embedded("es.po")

    private static func embedded(_ name: String) -> Catalog {
        EmbeddedFiles.all.first { $0.name == name }.map { $0.text.withUTF8Buffer { Catalog(Array($0)) } } ?? .empty
    }
}
