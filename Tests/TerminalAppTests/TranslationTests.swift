import AuthModel
import Foundation
import TerminalUI
import TestSupport
import Testing

@testable import Localization
@testable import TerminalApp

/// Every text exists in every language, and no translation loses a part.
@Suite struct TranslationTests {
    static let translations = Language.allCases.filter { $0 != .english }

    /// Returns every text of the source, as `xgettext` would find them, and the descriptions of the included themes.
    private static func sources() throws -> (texts: Set<String>, plurals: Set<String>) {
        let files = try ["TerminalApp"].flatMap { module in
            let folder = SourceTexts.sources.appending(path: module)
            return try #require(FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)).compactMap { $0 as? URL }
        }
        var texts = try Set(ShippedThemes.names.map { try ShippedThemes.theme($0).summary })
        var plurals: Set<String> = []
        for file in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            for match in source.matches(of: /\btr\(\s*"((?:[^"\\]|\\.)*)"/) { texts.insert(unescaped(match.output.1)) }
            for match in source.matches(of: /\bplural\(\s*[^",()]+,\s*"(?:[^"\\]|\\.)*",\s*"((?:[^"\\]|\\.)*)"/) {
                plurals.insert(unescaped(match.output.1))
            }
        }
        return (texts, plurals)
    }

    private static func unescaped(_ text: Substring) -> String { String(text).replacing("\\\"", with: "\"") }

    static func placeholders(_ text: String) -> [String] { text.matches(of: /\{[0-9]\}/).map { String($0.output) }.sorted() }

    @Test(arguments: translations)
    func catalogIsComplete(language: Language) throws {
        let (texts, plurals) = try Self.sources()
        #expect(texts.count > 300)
        let catalog = language.catalog
        let codes = Set(Language.english.messages.texts.keys)
        #expect(catalog.mistakes == [])
        #expect(texts.subtracting(catalog.texts.keys).sorted() == [], "add these to Localization/Catalogs/\(language.rawValue).po")
        #expect(plurals.subtracting(catalog.plurals.keys).sorted() == [], "add these to Localization/Catalogs/\(language.rawValue).po")
        #expect(Set(catalog.texts.keys).subtracting(texts).subtracting(codes).sorted() == [], "these texts are no longer in the sources")
        #expect(Set(catalog.plurals.keys).subtracting(plurals).sorted() == [], "these texts are no longer in the sources")
    }

    @Test(arguments: translations)
    func translationsKeepPlaceholdersAndOuterSpaces(language: Language) {
        let codes = Language.english.messages.texts
        for (text, translation) in language.catalog.texts where codes[text] == nil {
            #expect(Self.placeholders(text) == Self.placeholders(translation), "\(text)")
            #expect(text.hasPrefix(" ") == translation.hasPrefix(" "), "\(text)")
            #expect(text.hasSuffix(" ") == translation.hasSuffix(" "), "\(text)")
            #expect(!translation.contains("\n"), "\(text)")
        }
        for (text, forms) in language.catalog.plurals {
            #expect(Self.placeholders(text) == Self.placeholders(forms.many), "\(text)")
        }
    }

    /// A screen uses the chosen language, and no English is left in it.
    @Test(arguments: [(Language.german, "Anmeldung bei", "Hilfe"), (.spanish, "Inicias sesión en", "ayuda")])
    func screenUsesTheChosenLanguage(language: Language, phrase: String, help: String) throws {
        var state = try Given.signingIn()
        state.model.language = language
        let text = state.picture().text
        #expect(text.contains(phrase))
        #expect(text.contains(help))
        #expect(!text.contains("You sign in at"))
        // The language of one frame does not affect the next.
        #expect(try Given.signingIn().picture().text.contains("You sign in at"))
    }

    @Test func noticeUsesTheChosenLanguage() throws {
        var state = try Given.firstRun()
        state.model.language = .german
        _ = TerminalAppRoot.update(&state, .keyPressed(.escape))
        #expect(state.notice?.text == "drücke q zum Beenden")
    }

    @Test func pluralFormsDependOnTheCount() {
        Language.$current.withValue(.german) {
            #expect(SessionListWords.guests(1) == "1 Gast")
            #expect(SessionListWords.guests(2) == "2 Gäste")
        }
        #expect(SessionListWords.attention(1) == "1 needs action")
        #expect(SessionListWords.attention(2) == "2 need action")
    }

    @Test(arguments: [
        (["LANG": "de_AT.UTF-8"], Language.german), (["LANG": "es"], .spanish), (["LANG": "fr_FR.UTF-8"], .english), ([:], .english),
        (["LANG": "de_DE", "LC_MESSAGES": "es_MX"], .spanish), (["LANG": "de_DE", "LC_ALL": "C"], .english),
        (["LANG": "de_DE", "LC_ALL": "", "LC_MESSAGES": ""], .german),
    ])
    func languageFollowsTheEnvironment(environment: [String: String], language: Language) {
        #expect(Language.preferred(in: environment) == language)
    }

    @Test func parsesPOFiles() {
        let catalog = Catalog(
            Array(
                """
                msgid ""
                msgstr "Language: xx\\n"

                # a comment
                msgid "a \\"word\\""
                msgstr "ein "
                "\\"Wort\\""

                #, fuzzy
                msgid "doubtful"
                msgstr "zweifelhaft"

                msgid "missing"
                msgstr ""
                msgid "{1} thing"
                msgid_plural "{1} things"
                msgstr[0] "{1} Ding"
                msgstr[1] "{1} Dinge"
                what is this

                """.utf8))
        #expect(catalog.texts == ["a \"word\"": "ein \"Wort\""])
        #expect(catalog.plurals["{1} things"]?.one == "{1} Ding")
        #expect(catalog.plurals["{1} things"]?.many == "{1} Dinge")
        #expect(catalog.mistakes == [19])
    }
}
