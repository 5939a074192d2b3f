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
