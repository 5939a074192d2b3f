import AuthModel
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Presets in files of the user and of the administrator.
struct PresetFilesTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    private static func preset(title: String, host: String = "id.corp.example") -> String {
        """
        title = "\(title)"
        summary = "the company's identity provider"
        aliases = ["intranet"]
        hosts = ["\(host)"]

        [provider]
        kind = "oidc"
        issuer = "https://\(host)"
        scopes = ["openid", "offline_access"]

        [registration]
        page = "https://\(host)/apps"
        steps = ["Choose New app.", "Enter {redirect} as the callback."]
        """
    }

    private static func write(_ text: String, _ name: String, in folder: String) throws {
        try PrivateFile.makeDirectory(folder)
        try PrivateFile.makeDirectory(folder + "/presets")
        try PrivateFile.replace("\(folder)/presets/\(name).toml", with: Array(text.utf8))
    }

    private static func own(_ world: CommandWorld) -> String { world.home + "/.config/yett" }
    private static func system(_ world: CommandWorld) -> String { world.home + "/system/yett" }

    @Test func userAddsAServiceByAFile() async throws {
        try Self.write(Self.preset(title: "Corp"), "corp", in: Self.own(world))
        let listed = await world.run("providers", "presets", "corp")
        #expect(listed.output.contains("1. Choose New app.\n  2. Enter http://127.0.0.1/callback as the callback."))
        // By its name, an alias, and its address.
        for (index, name) in ["corp", "intranet", "https://id.corp.example"].enumerated() {
            await world.run("providers", "add", name, "--client-id", "c\(index)", "--no-check", "--name", "p\(index)", exits: 0)
            let provider = try await world.run("providers", "show", "p\(index)", "--json").json["provider"]
            #expect(provider?["issuer"] == "https://id.corp.example" && provider?["scopes"] == ["openid", "offline_access"])
        }
    }

    @Test func userGoesBeforeTheAdministratorAndThatBeforeWhatIsShipped() async throws {
        func title() async throws -> String? {
            try await world.run("providers", "presets", "google", "--json").json["preset"]?["title"]?.string
        }
        #expect(try await title() == "Google")
        try Self.write(Self.preset(title: "The administrator's"), "google", in: Self.system(world))
        #expect(try await title() == "The administrator's")
        try Self.write(Self.preset(title: "Mine"), "google", in: Self.own(world))
        #expect(try await title() == "Mine")
        try world.configureSystem("[policy]\nlocked = [\"presets\"]\n")
        #expect(try await title() == "The administrator's")
    }

    @Test(arguments: [
        ("summary = \"a\"\nrubbish = 1\n", ":2: "), ("title = 5\n", ":1: "), ("title = \n", ":1"),
        ("title = \"T\"\nsummary = \"s\"\n[provider]\nkind = \"oidc\"\nisuer = \"https://a.example\"\n", ":5: "),
        ("title = \"a\\u001b[31mred\"\nsummary = \"s\"\n", ":1: a value contains a control character"),
        ("title = \"a\\u202Eb\"\nsummary = \"s\"\n", ":1: 'title' has characters that cannot be shown"),
    ])
    func errorNamesItsFileAndLineAndLeavesTheOthersWorking(text: String, says: String) async throws {
        try Self.write(text, "broken", in: Self.own(world))
        let listed = await world.run("providers", "presets")
        #expect(listed.status == 0 && listed.output.contains("\ngithub "))
        #expect(listed.errors.contains("/presets/broken.toml" + says), "\(listed.errors)")
        let added = await world.run("providers", "add", "broken", "--client-id", "c")
        #expect(added.status == 2 && added.errors.contains("/presets/broken.toml" + says), "\(added.errors)")
        let checked = await world.run("config", "check")
        #expect(checked.status == 2 && checked.output.contains("/presets/broken.toml" + says), "\(checked.output)")
        #expect(await world.run("doctor").output.contains("/presets/broken.toml" + says))
    }

    /// The steps come before the question that they answer.
    @Test func newUserIsAskedForWhatIsMissing() async throws {
        let user = CommandWorld.User(hasTerminal: true, lines: ["acme.okta.com", "0oa1"])
        let added = await world.run("providers", "add", "okta", "--no-check", user: user, exits: 0)
        let steps = try #require(added.errors.firstRange(of: "http://127.0.0.1:8400/callback"))
        let question = try #require(added.errors.firstRange(of: "Client ID:"))
        #expect(steps.lowerBound < question.lowerBound)
        let provider = try await world.run("providers", "show", "okta", "--json").json["provider"]
        #expect(provider?["issuer"] == "https://acme.okta.com" && provider?["client_id"] == "0oa1")
    }

    @Test func withoutATerminalTheErrorSaysWhatToGive() async throws {
        let added = await world.run("providers", "add", "google", exits: 64)
        #expect(added.errors.contains("yett providers add google --client-id ID --client-secret-file FILE"), "\(added.errors)")
        let unknown = await world.run("providers", "add", "githb")
        #expect(unknown.status == 64 && unknown.errors.contains("did you mean github?"), "\(unknown.errors)")
    }
}
