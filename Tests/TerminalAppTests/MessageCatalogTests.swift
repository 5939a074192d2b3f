import AuthModel
import Foundation
import Testing

@testable import Localization

/// The catalogues contain every message of the sources, in every language, with the arguments that the sources pass.
@Suite struct MessageCatalogTests {
    private static let english = Language.english.messages.texts

    /// Names of hosts and files that look like codes.
    private static let names: Set = ["arcgis.com", "config.toml", "mapsindoors.com"]

    /// A message in the sources: its code, or its codes if a condition chooses, and the names of its arguments.
    private struct Use: Hashable {
        let codes: [String]
        let arguments: Set<String>
    }

    private static func sources() throws -> String {
        let files = try #require(FileManager.default.enumerator(at: SourceTexts.sources, includingPropertiesForKeys: nil))
        var all = ""
        for case let file as URL in files where file.pathExtension == "swift" {
            all += try String(contentsOf: file, encoding: .utf8)
        }
        return all
    }

    /// Returns the messages that are created with arguments.
    private static func uses(in source: String) -> Set<Use> {
        let starts = source.matches(of: /(?:UserMessage|TOMLError\.Message)\(([^\[\]()]*?),\s*\[/)
        return Set(
            starts.compactMap { start in
                let codes = start.output.1.matches(of: /"([a-z_]+\.[a-z0-9_]+)"/).map { String($0.output.1) }
                guard !codes.isEmpty else { return nil }
                return Use(codes: codes, arguments: names(in: source[start.range.upperBound...]))
            })
    }

    /// Returns the keys of a dictionary literal that begins after its opening bracket.
    private static func names(in literal: Substring) -> Set<String> {
        var (depth, isText, isKey, names) = (0, false, true, Set<String>())
        var word = ""
        for character in literal {
            switch character {
            case "\"":
                if isText, isKey {
                    names.insert(word)
                    isKey = false
                }
                (isText, word) = (!isText, "")
            case _ where isText: word.append(character)
            case "(", "[", "{": depth += 1
            case "]" where depth == 0: return names
            case ")", "]", "}": depth -= 1
            case "," where depth == 0: isKey = true
            default: break
            }
        }
        return names
    }

    private static func placeholders(_ text: String) -> [String] {
        text.matches(of: /\{([a-z_]+)(:sh|:lower)?\}/).map { String($0.output.1) }.sorted()
    }

    @Test func everyMessageHasAnEnglishText() throws {
        let areas = Set(Self.english.keys.map { $0.prefix { $0 != "." } })
        let source = try Self.sources()
        let literals = source.matches(of: /"([a-z_]+)\.[a-z0-9_]+"/).filter { areas.contains($0.output.1) }
        let codes = Set(literals.map { String($0.output.0.dropFirst().dropLast()) }).subtracting(Self.names)
        #expect(codes.count > 1000)
        #expect(codes.subtracting(Self.english.keys).sorted() == [], "add these to Localization/Catalogs/en.po")
        // These have no literal of their own in the sources.
        #expect(Set(Self.english.keys).subtracting(codes).sorted() == [], "no source contains these any more")
    }

    @Test func textsUseTheArgumentsThatTheSourcesPass() throws {
        let uses = Self.uses(in: try Self.sources())
        #expect(uses.count > 450)
        for use in uses {
            for code in use.codes {
                let text = try #require(Self.english[code], "\(code)")
                #expect(use.arguments.isSubset(of: Self.placeholders(text)), "\(code): \(text)")
            }
        }
    }

    /// A command can be pasted into a shell with every name of a session or a file.
    @Test(arguments: Language.allCases)
    func argumentsOfCommandsAreQuoted(language: Language) {
        for (code, text) in language.messages.texts {
            let words = text.matches(of: /(?:yett (?:[a-z]+ )+|chmod [0-9]+ |-in )\{[a-z_]+\}/)
            #expect(words.isEmpty, "\(code): \(text)")
        }
    }

    @Test(arguments: TranslationTests.translations)
    func everyLanguageHasEveryMessage(language: Language) {
        let texts = language.messages.texts
        #expect(language.messages.mistakes == [])
        #expect(Set(Self.english.keys).subtracting(texts.keys).sorted() == [], "add these to Localization/Catalogs/\(language.rawValue).po")
        for (code, text) in Self.english {
            let translation = texts[code] ?? ""
            #expect(Self.placeholders(text) == Self.placeholders(translation), "\(code)")
            #expect(text.hasPrefix(" ") == translation.hasPrefix(" "), "\(code)")
            #expect(text.hasSuffix(".") == translation.hasSuffix("."), "\(code)")
            #expect(!translation.contains("\n"), "\(code)")
        }
    }

    // MARK: Below the front ends

    /// The modules whose texts are in the catalogues.
    private static let modules = [
        "AuthModel", "OAuth", "AuthEngine", "ProviderKinds", "SessionStore", "Agent", "ResourceClient", "UserConfiguration", "TOML",
    ]

    /// Files whose texts go to browsers, databases and programs, come from servers, or describe the keys of the configuration.
    private static let exceptions: Set = [
        "PageHandler.swift", "StartPageListener.swift", "Schema.swift", "SealedTable.swift", "SessionColumns.swift",
        "StoreTransaction.swift", "ServiceNotifier.swift", "SystemTimeSource.swift", "KeySet.swift", "ConnectionHandler.swift",
        "Revocation.swift", "Database.swift", "OIDCAgentMessages.swift", "CredentialsListener.swift", "ServerError.swift",
    ]

    /// How other texts begin that are not sentences.
    private static let beginnings = [
        "yett store 1 ",
        "yett cache ", "yett providers add ", "PRAGMA ", "-----", "application/", "gzip, ", "text/", "default-src ",
        "event: ", "ssh {", "-p {",
        "registration {", "session {", "key {", "key for {", "SSL routines", "unexpected eof", "certificate required", "handshake failure",
        "RSA PRIVATE", "PRIVATE KEY", "AUTH EXTERNAL", "to clear the keys", "OpenID Connect", "Token Exchange", "Beyond Identity",
        "--newline", "/usr/bin/systemd-creds", "/run/systemd/", "io.systemd.Credentials.", "[\"",
        "render the message", "client secret", "Authorize to participate", "own profile",
        "Not supported currently.",
    ]

    @Test(arguments: modules)
    func moduleContainsNoSentence(module: String) throws {
        let sentences = try SourceTexts.texts(of: module).filter { text in
            !Self.exceptions.contains(text.value) && !text.value.hasSuffix("Kind.swift")
                && !Self.beginnings.contains { text.key.hasPrefix($0) } && text.key.matches(of: /[a-z]{2,}/).count > 1
        }
        #expect(sentences.map { "\($0.value): \($0.key)" }.sorted() == [], "move these to the catalogues")
    }
}

/// Renders messages.
@Suite struct MessageTextTests {
    @Test func argumentsReplaceThePlaceholders() {
        let message = UserMessage("session.not_found", ["session": "work/ada"])
        #expect(message.english == "no session is named work/ada")
        #expect(message.text(in: .german) != message.english)
        #expect(message.text(in: .german).contains("work/ada"))
    }

    @Test func messageInAMessageIsRenderedInTheSameLanguage() {
        let inner: UserMessage = "phrase.not_json"
        let message = UserMessage("http.status_and_error", ["status": 400, "detail": inner])
        #expect(message.english == "status 400, not JSON")
        #expect(message.text(in: .german) == "Status 400, \(inner.text(in: .german))")
    }

    @Test func argumentOfACommandIsQuotedForTheShell() {
        let message = UserMessage("hint.run_chmod", ["mode": 600, "path": "/a b;c"])
        #expect(message.english == "run: chmod 600 '/a b;c'")
    }

    /// A provider's text may look like a placeholder.
    @Test func argumentIsNotATemplate() {
        let message = UserMessage("http.status_and_error", ["status": "{detail}", "detail": "{status}"])
        #expect(message.english == "status {detail}, {status}")
    }

    @Test func unknownCodeIsShownWithItsArguments() {
        let message = UserMessage("future.thing", ["name": "x"])
        #expect(!message.isKnown)
        #expect(message.text(in: .spanish) == "future.thing(name: x)")
    }

    @Test func verbatimTextIsTheSameInEveryLanguage() {
        for language in Language.allCases { #expect(UserMessage.verbatim("{a} b").text(in: language) == "{a} b") }
        #expect(UserMessage.empty.english == "")
    }

    @Test func listIsJoined() {
        #expect(UserMessage.list([.verbatim("a"), .verbatim("b"), .verbatim("c")], by: .comma).english == "a, b, c")
        #expect(UserMessage.list([], by: .semicolon).english == "")
    }

    @Test(arguments: [
        UserMessage("hint.try_again"), UserMessage("http.status_and_error", ["status": 1, "detail": UserMessage("phrase.not_json")]),
        .verbatim("a \"b\""), .empty,
    ])
    func messageSurvivesJSON(message: UserMessage) throws {
        #expect(UserMessage(json: try JSONValue(strict: message.json.text)) == message)
    }

    @Test(arguments: [
        #""text""#, "{}", #"{"code":1}"#, #"{"code":"a","arguments":[]}"#, #"{"code":"a","arguments":{"b":1}}"#,
        #"{"code":"a","arguments":{"b":{"text":"c"}}}"#,
    ])
    func otherJSONIsNotAMessage(text: String) throws {
        #expect(UserMessage(json: try JSONValue(strict: text)) == nil)
    }
}
