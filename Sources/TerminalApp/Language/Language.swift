/// A language of the app's texts.
///
/// The code contains the English texts, in ``tr(_:_:)`` and ``plural(_:_:_:)``. The other languages are catalogues in the GNU gettext
/// format, which translation tools support, in `Words/Catalogs`.
public enum Language: String, CaseIterable, Sendable {
    /// English, the language of the source texts.
    case english = "en"
    /// German.
    case german = "de"
    /// Spanish.
    case spanish = "es"

    /// The current language. The app sets it from its state for every update and every frame, so the texts depend on the state alone.
    @TaskLocal static var current = Language.english

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

    /// The translations of the app's texts; empty for English.
    var catalog: Catalog {
        switch self {
        case .english: .empty
        case .german: Self.germanCatalog
        case .spanish: Self.spanishCatalog
        }
    }

    /// The translations of the engine's texts, by template; empty for English.
    var engineCatalog: Catalog {
        switch self {
        case .english: .empty
        case .german: Catalog(PackageResources.engine_de_po)
        case .spanish: Catalog(PackageResources.engine_es_po)
        }
    }

    /// ``engineCatalog`` with an index for finding the engine's texts; nil for English.
    var phraseBook: PhraseBook? {
        switch self {
        case .english: nil
        case .german: Self.germanPhrases
        case .spanish: Self.spanishPhrases
        }
    }

    private static let germanCatalog = Catalog(PackageResources.de_po)
    private static let spanishCatalog = Catalog(PackageResources.es_po)
    private static let germanPhrases = PhraseBook(Language.german.engineCatalog)
    private static let spanishPhrases = PhraseBook(Language.spanish.engineCatalog)
}

/// Returns a text in the current language. `{1}`, `{2}` … are replaced by the arguments.
func tr(_ text: String, _ arguments: any CustomStringConvertible...) -> String {
    fill(Language.current.catalog.texts[text] ?? text, arguments)
}

/// Returns the singular or plural form of a text; its argument is the count. Every supported language has one singular and one plural form.
func plural(_ count: Int, _ one: String, _ many: String) -> String {
    let forms = Language.current.catalog.plurals[many] ?? (one, many)
    return fill(count == 1 ? forms.one : forms.many, [count])
}

/// Returns the text with the placeholders `{1}` to `{9}` replaced.
func fill(_ text: String, _ arguments: [any CustomStringConvertible]) -> String {
    guard !arguments.isEmpty else { return text }
    var out = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
        out += rest[..<open]
        rest = rest[open...]
        let number = rest.dropFirst().prefix(1)
        if let index = Int(number), arguments.indices.contains(index - 1), rest.dropFirst(2).first == "}" {
            out += arguments[index - 1].description
            rest = rest.dropFirst(3)
        } else {
            out += "{"
            rest = rest.dropFirst()
        }
    }
    return out + rest
}
