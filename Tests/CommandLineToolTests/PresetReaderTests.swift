import AuthModel
import Localization
import TOML
import TerminalUI
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Reads the files of presets.
struct PresetReaderTests {
    /// A small valid preset, in lines, so that a test can change one.
    private static let lines = [
        "title = \"Forge\"",
        "summary = \"code hosting\"",
        "aliases = [\"fg\"]",
        "hosts = [\"forge.example\"]",
        "[place]",
        "what = \"your host\"",
        "example = \"git.forge.example\"",
        "[provider]",
        "kind = \"oidc\"",
        "issuer = \"https://{place}\"",
        "scopes = [\"openid\"]",
        "[registration]",
        "page = \"https://{place}/apps\"",
        "steps = [\"Enter {redirect}.\"]",
    ]

    static let text = lines.joined(separator: "\n")

    private static func read(_ text: String) throws(AuthFailure) -> ProviderPreset {
        try PresetReader(rules: .standard).read(text, name: "forge", file: "forge.toml")
    }

    @Test func presetIsRead() throws {
        let preset = try Self.read(Self.text)
        #expect(preset.title == "Forge" && preset.place?.example == "git.forge.example" && preset.needs.client)
        #expect(try preset.provider(at: "https://a.example/")["issuer"]?.string == "https://a.example")
        #expect(preset.page(at: "a.example") == "https://a.example/apps")
        #expect(preset.steps(at: nil, redirects: ["http://127.0.0.1/callback", "b"]) == ["Enter http://127.0.0.1/callback and b."])
    }

    /// The number of a line from 1, its replacement, the line of the error, and a word of it.
    @Test(arguments: [
        (1, "title = 1", 1, "title"), (1, "titel = \"Forge\"", 1, "titel"), (1, "", nil, "title"),
        (2, "summary = \"\(String(repeating: "x", count: 61))\"", 2, "61"), (1, "title = \"a\u{202E}b\"", 1, "shown"),
        (3, "aliases = [\"Big\"]", 3, "Big"), (4, "hosts = [\"https://forge.example\"]", 4, "https://forge.example"),
        (4, "hosts = [\"com\"]", 4, "com"), (5, "[plaice]", 5, "plaice"), (6, "", 5, "what"), (7, "default = \"x\"", 5, "example"),
        (9, "kind = \"saml\"", 9, "saml"), (9, "", 8, "kind"), (10, "issuer = \"{place}\"", 10, "issuer"),
        (10, "issuer = \"https://{place}?a\"", 5, "your host"),
        (11, "scopes = [\"profile\"]", 11, "openid"), (11, "scope = []", 11, "scope"), (11, "client_secret = \"x\"", 11, "client_secret"),
        (11, "scopes = [", 12, ""), (13, "page = \"http://{place}\"", 13, "http://{place}"),
        (14, "steps = [\(Array(repeating: "\"x\"", count: 13).joined(separator: ","))]", 14, "13"),
    ])
    func errorNamesFileAndLine(line: Int, replacement: String, place: Int?, word: String) throws {
        var lines = Self.lines
        lines[line - 1] = replacement
        let failure = #expect(throws: AuthFailure.self) { try Self.read(lines.joined(separator: "\n")) }
        let summary = try #require(failure).summary
        #expect(summary.hasPrefix(place.map { "forge.toml:\($0): " } ?? "forge.toml: "), "\(summary)")
        #expect(summary.contains(word), "\(summary)")
    }

    @Test func placeholderNeedsAPlace() throws {
        let lines = Self.lines.filter { !["[place]", "what = \"your host\"", "example = \"git.forge.example\""].contains($0) }
        #expect(throws: AuthFailure.self) { try Self.read(lines.joined(separator: "\n")) }
    }

    private static let modes = """
        title = "Forge"
        summary = "code hosting"
        [provider]
        kind = "oauth2"
        authorization_endpoint = "https://forge.example/a"
        token_endpoint = "https://forge.example/t"

        [[modes]]
        name = "app"
        meaning = "an app"
        [modes.provider]
        scopes = ["a"]
        [[modes]]
        name = "own"
        meaning = "your server"
        hosts = ["own.example"]
        [modes.place]
        what = "your host"
        example = "own.example"
        [modes.provider]
        token_endpoint = "https://{place}/t"
        [modes.needs]
        client_secret = "required"
        """

    @Test func modeIsLaidOverThePreset() throws {
        let preset = try Self.read(Self.modes)
        let own = try preset.mode(named: "own")
        #expect(try own.provider(at: "me.example")["token_endpoint"]?.string == "https://me.example/t")
        #expect(own.provider["authorization_endpoint"]?.string == "https://forge.example/a")
        #expect(own.needs.secret == .required && preset.modes[0].needs.secret == .none && preset.modes[0].scopes == ["a"])
        #expect(throws: AuthFailure.self) { try preset.mode(named: nil) }
        #expect(throws: AuthFailure.self) { try preset.mode(named: "other") }
    }

    @Test(arguments: [
        ("scopes = [\"a\"]", "scopes = 1", 12), ("meaning = \"your server\"", "", 14), ("[modes.place]", "[modes.plaice]", 17),
        ("token_endpoint = \"https://{place}/t\"", "token_endpoint = \"x\"", 21), ("name = \"own\"", "name = \"app\"", 8),
        ("client_secret = \"required\"", "client_secret = \"always\"", 23),
    ])
    func errorInAModeNamesItsLine(part: String, replacement: String, line: Int) throws {
        let failure = #expect(throws: AuthFailure.self) { try Self.read(Self.modes.replacing(part, with: replacement)) }
        let summary = try #require(failure).summary
        #expect(summary.hasPrefix("forge.toml:\(line): "), "\(summary)")
    }

    // MARK: The shipped presets

    private static let ways = PresetLibrary(folders: [], rules: .standard).presets.flatMap { [$0] + $0.modes }

    @Test(arguments: ways) func shippedTextsAreShortAndSafe(preset: ProviderPreset) {
        let texts =
            [preset.title, preset.summary, preset.meaning] + preset.hints + preset.steps(at: nil, redirects: ["http://127.0.0.1/callback"])
            + [preset.place?.what, preset.place?.example, preset.renewal.mayBeMissing, preset.renewal.endsAfter].compactMap(\.self)
            + preset.settings.flatMap { [$0.what, $0.example] }
        #expect(texts.allSatisfy { SafeText.line($0) == $0 })
        for text in preset.hints + preset.steps(at: nil, redirects: []) { #expect(text.hasSuffix("."), "\(text)") }
        #expect(!preset.summary.hasSuffix("."))
        #expect(preset.page(at: nil)?.hasPrefix("https://") != false)
        #expect(preset.mode != nil || !preset.modes.isEmpty || !preset.asksForClient || preset.registration?.steps.isEmpty == false)
    }

    /// A name, an alias or a host leads to one service.
    @Test func shippedNamesAndHostsAreUnique() {
        let presets = PresetLibrary(folders: [], rules: .standard).presets
        for words in [presets.flatMap { [$0.name] + $0.aliases }, presets.flatMap(\.hosts)] {
            let counts = Dictionary(words.map { ($0, 1) }, uniquingKeysWith: +)
            #expect(counts.filter { $0.value > 1 }.keys.sorted() == [])
        }
    }
}
