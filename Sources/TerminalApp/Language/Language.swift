/// A language that the app speaks.
///
/// What is said is written in English where it is said, through ``tr(_:_:)`` and ``plural(_:_:_:)``; the other languages are catalogues in
/// the format of GNU gettext, which translators have tools for, under `Words/Catalogs`.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case german = "de"
    case spanish = "es"

    /// The language being spoken. The app sets it from its state for every update and every frame, so what is said follows from the state
    /// alone.
    @TaskLocal static var current = Language.english

    /// The language of a locale's name, such as `de_AT.UTF-8`; `nil` for one that is not spoken.
    public init?(locale: String) {
        let code = locale.prefix { $0 != "_" && $0 != "." && $0 != "@" }
        self.init(rawValue: code.lowercased())
    }

    /// The language that the environment asks for, by the rules of POSIX: the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set and
    /// not empty decides.
    public static func preferred(in environment: [String: String]) -> Language {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"]
        let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
        return locale.flatMap(Language.init(locale:)) ?? .english
    }

    /// What the language calls itself.
    public var ownName: String {
        switch self {
        case .english: "English"
        case .german: "Deutsch"
        case .spanish: "español"
        }
    }

    /// The translations; English needs none.
    var catalog: Catalog {
        switch self {
        case .english: .empty
        case .german: Self.germanCatalog
        case .spanish: Self.spanishCatalog
        }
    }

    /// The translations of what the engine says, by its templates; English needs none.
    var engineCatalog: Catalog {
        switch self {
        case .english: .empty
        case .german: Catalog(PackageResources.engine_de_po)
        case .spanish: Catalog(PackageResources.engine_es_po)
        }
    }

    /// ``engineCatalog``, to find the engine's texts in; `nil` for English.
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

/// A text in the language being spoken. `{1}`, `{2}` … in it stand for the arguments.
func tr(_ text: String, _ arguments: any CustomStringConvertible...) -> String {
    fill(Language.current.catalog.texts[text] ?? text, arguments)
}

/// A text that counts something, which is its first argument. Every language shipped has one form for one and one for all else.
func plural(_ count: Int, _ one: String, _ many: String) -> String {
    let forms = Language.current.catalog.plurals[many] ?? (one, many)
    return fill(count == 1 ? forms.one : forms.many, [count])
}

/// The text with its gaps, `{1}` to `{9}`, filled.
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
