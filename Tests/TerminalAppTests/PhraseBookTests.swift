import Foundation
import Testing

@testable import Localization
@testable import TerminalApp

/// Recognises the engine's messages, and translates them into the current language.
@Suite struct PhraseBookTests {
    private static let book = PhraseBook(
        Catalog(
            Array(
                """
                msgid "cannot decompress the response from {1}"
                msgstr "die Antwort von {1} lässt sich nicht entpacken"

                msgid "{1} refused {2}: {3}"
                msgstr "{1} hat abgelehnt ({2}): {3}"

                msgid "{1} refused the renewal: {2}"
                msgstr "{1} hat nicht erneuert: {2}"

                msgid "{1} is missing"
                msgstr "{1} fehlt"

                msgid "the {1}{2} is {3}"
                msgstr "{1}{2} ist {3}"

                msgid "its host is {1}; "
                msgstr "ihr Rechner ist {1}; "

                msgid "the renewal"
                msgstr "die Erneuerung"

                msgid "the {1}{2} lacks {3}"
                msgstr "es fehlt {3}: {1}{2}"

                msgid " at {1}"
                msgstr " bei {1}"

                msgid "token response"
                msgstr "Token-Antwort"

                msgid "; the other sign-in methods still work"
                msgstr "; die anderen Anmeldearten gehen noch"

                msgid "try again"
                msgstr "versuche es noch einmal"

                """.utf8)))

    @Test(arguments: [
        ("try again", "versuche es noch einmal"),
        ("cannot decompress the response from a.example", "die Antwort von a.example lässt sich nicht entpacken"),
        // The template with the most fixed words wins.
        ("a.example refused the renewal: no", "a.example hat nicht erneuert: no"),
        ("a.example refused the sign-in: no", "a.example hat abgelehnt (the sign-in): no"),
        // The value of a placeholder may be an engine message too.
        ("a.example refused it: try again", "a.example hat abgelehnt (it): versuche es noch einmal"),
        // Adjacent placeholders, with the second one filled and empty.
        ("the token response at a.example lacks expires_in", "es fehlt expires_in: Token-Antwort bei a.example"),
        ("the token response lacks expires_in", "es fehlt expires_in: Token-Antwort"),
        ("try again; the other sign-in methods still work", "versuche es noch einmal; die anderen Anmeldearten gehen noch"),
        // The match that leaves the least text untranslated, not the first match.
        ("the token response is missing", "Token-Antwort ist missing"),
        ("its host is a.example; try again", "ihr Rechner ist a.example; versuche es noch einmal"),
        ("ada: try again", "ada: versuche es noch einmal"),
        // Texts that are not the engine's.
        ("the cat is out", "the cat is out"), ("", ""), (":", ":"), ("refused", "refused"),
    ])
    func engineMessagesAreTranslated(text: String, translation: String) {
        #expect(Self.book.translation(of: text) == translation)
    }

    /// Translating ends soon for any input, even from a remote server.
    @Test(arguments: [60, 600]) func translationOfLongTextTerminates(times: Int) {
        let text = "the " + String(repeating: " at : refused ", count: times)
        #expect(!Self.book.translation(of: text).isEmpty)
    }
}

/// The catalogues of engine messages are complete.
@Suite struct EngineTextTests {
    /// The modules whose texts the app shows.
    private static let rooms = ["AuthModel", "OAuth", "AuthEngine", "ProviderKinds", "SessionStore", "Agent"]

    /// Files of the command line tool whose texts the app shows: settings, and the discovery of providers.
    private static let lentFiles: Set = [
        "AppOnboarding.swift", "AppSettings.swift", "ConfigurationDocument.swift", "ConfigurationFile.swift",
        "ConfigurationFile+Providers.swift", "ProviderCapabilities.swift", "ProviderPlan.swift", "ProviderPlan+Registration.swift",
        "ProviderPlanner.swift", "ProviderPreset.swift", "ProviderPreset+Table.swift", "ResourcePlanner.swift",
    ]

    /// Files whose texts go only to browsers, databases and programs, or that name things with one name in every language.
    private static let silentFiles: Set = [
        "CallbackPage.swift", "Schema.swift", "SealedTable.swift", "Header.swift", "LastUse.swift", "StoreTransaction.swift",
        "SystemTimeSource.swift", "ServiceStatus.swift",
    ]

    /// Whether a file reads or explains the configuration: its messages stay in English, like the keys.
    private static func readsConfiguration(_ file: String) -> Bool { file.contains(/Kind(\+\w+)?\.swift$/) }

    /// How texts begin that are not shown to users.
    private static let silentBeginnings = [
        "yett store ", "yett cache ", "yett, for ", "PRAGMA ", "-----", "application/", "gzip, ", "Bearer {", "--scope ", "event: ",
        "ssh {", "-p {",
        "registration {", "session {", "key {", "SSL routines", "unexpected eof", "certificate required", "handshake failure",
        "RSA PRIVATE",
        "PRIVATE KEY", "libcurl cannot wait", "no memory", "yett login", "AUTH EXTERNAL",
    ]

    /// Single words, and texts inside placeholders of others, which the search for sentences in the sources does not find.
    private static let words: Set = [
        "discovery", "userinfo", "not JSON", "a web page, not JSON", "active", "not active", "token", "provider", "resource", "cancelled",
        "Cancel",
        "ID token", "create", "open", "use", "read", "write", "remove", "user name", "e-mail address", "display name", "revocation",
        "introspection",
    ]

    private static func texts() throws -> Set<String> {
        var texts = try SourceTexts.texts(of: "CommandLineTool").merging(SourceTexts.texts(of: "UserConfiguration")) { $1 }.filter {
            lentFiles.contains($0.value)
        }
        for room in rooms { texts.merge(try SourceTexts.texts(of: room)) { $1 } }
        return words.union(
            texts.filter { text in
                !silentFiles.contains(text.value) && !readsConfiguration(text.value)
                    && !silentBeginnings.contains { text.key.hasPrefix($0) }
            }.keys)
    }

    @Test(arguments: TranslationTests.translations)
    func catalogIsComplete(language: Language) throws {
        let texts = try Self.texts()
        #expect(texts.count > 700)
        let catalog = language.engineCatalog
        #expect(catalog.mistakes == [])
        #expect(texts.subtracting(catalog.texts.keys).sorted() == [], "add these to Localization/Catalogs/engine-\(language.rawValue).po")
        #expect(Set(catalog.texts.keys).subtracting(texts).sorted() == [], "no source contains these any more")
    }

    @Test(arguments: TranslationTests.translations)
    func translationsKeepPlaceholdersAndEnds(language: Language) {
        for (text, translation) in language.engineCatalog.texts {
            #expect(TranslationTests.placeholders(text) == TranslationTests.placeholders(translation), "\(text)")
            #expect(text.hasPrefix(" ") == translation.hasPrefix(" "), "\(text)")
            #expect(text.hasSuffix(" ") == translation.hasSuffix(" "), "\(text)")
            #expect(text.hasSuffix(".") == translation.hasSuffix("."), "\(text)")
            #expect(!translation.contains("\n"), "\(text)")
        }
    }

    /// A message made from any template is recognised, even if templates are similar.
    @Test(arguments: TranslationTests.translations)
    func everyTemplateIsRecognised(language: Language) throws {
        let book = try #require(language.phraseBook)
        for (text, translation) in language.engineCatalog.texts {
            guard let template = PhraseBook.Template(text, translation: translation), template.isReliable else { continue }
            let values = (1...9).map { "X\($0)" }
            let made = book.translation(of: fill(text, values))
            #expect(made != fill(text, values) || text == translation, "\(text)")
        }
    }

    @Test func sentencesAreCapitalisedAndTranslated() {
        Language.$current.withValue(.german) {
            #expect(Words.sentence("the disk is full: /home/ada/.local/share/yett") != "The disk is full: /home/ada/.local/share/yett.")
        }
        #expect(Words.sentence("the disk is full: /tmp") == "The disk is full: /tmp.")
    }
}
