import AuthModel
@testable import TerminalApp
import Glibc
import Localization
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Settings written from the app, and their effect on the file.
struct SettingsTests {
    private static let text = """
        # mine, by hand
        [ui]
        theme = "gate"   # the one with the arch

        [providers.work]   # the office
        kind = "oidc"
        issuer = "https://id.example.org"
        client_id = "yett"
        # last

        """

    private static func work() throws -> ProviderName { try #require(ProviderName("work")) }

    /// Returns the app's environment, for a home with that configuration.
    private static func environment(_ world: CommandWorld) async throws -> TerminalAppEnvironment {
        let result = await world.run([], user: .init(hasTerminal: true), with: ["YETT_NO_AGENT": "1"])
        return try #require(result.launch).environment
    }

    @Test func changesOneValueAndNothingElse() async throws {
        let world = try CommandWorld.configured(Self.text)
        let app = try await Self.environment(world)
        try await app.saveSetting(SettingChange(.theme, .word("dusk")))
        #expect(try world.text(world.configurationPath) == Self.text.replacing("\"gate\"", with: "\"dusk\""))
        try await app.saveSetting(SettingChange(.isPrivate(Self.work()), .flag(true)))
        try await app.saveSetting(SettingChange(.lockAfter, .span(900)))
        let after = Self.text.replacing("\"gate\"", with: "\"dusk\"").replacing("# the office\n", with: "# the office\nprivate = true\n")
        #expect(try world.text(world.configurationPath) == after + "\n[agent]\nlock_after = 900\n")
        try await app.saveSetting(SettingChange(.lockAfter, nil))
        try await app.saveSetting(SettingChange(.isPrivate(Self.work()), nil))
        #expect(try world.text(world.configurationPath).hasPrefix(after.replacing("private = true\n", with: "")))
    }

    @Test func createsAMissingFile() async throws {
        let world = try CommandWorld()
        let app = try await Self.environment(world)
        try await app.saveSetting(SettingChange(.guestPrompt, .flag(false)))
        #expect(try world.text(world.configurationPath) == "[ui]\nguest_prompt = false\n")
        #expect(FileStatus.mode(world.configurationPath) == 0o600)
    }

    /// Each blocked program is a setting of its own in one list.
    @Test func blockedProgramsAreAddedAndRemoved() async throws {
        let world = try CommandWorld.configured("[agent]\nblocked_programs = [\n  \"/opt/a\", # a reason\n]\nnotify = true\n")
        let app = try await Self.environment(world)
        try await app.saveSetting(SettingChange(.blockedProgram("/usr/bin/git"), .flag(true)))
        let sheet = try #require(try await app.readSettings().sheet)
        #expect(sheet[.blockedProgram("/opt/a")]?.value == .flag(true))
        #expect(sheet[.blockedProgram("/usr/bin/git")]?.isSet == true)
        try await app.saveSetting(SettingChange(.blockedProgram("/opt/a"), nil))
        try await app.saveSetting(SettingChange(.blockedProgram("/usr/bin/git"), .flag(false)))
        #expect(try world.text(world.configurationPath) == "[agent]\nnotify = true\n")
    }

    /// Writes each setting to the file and reads it back; it is shown as set.
    @Test func everySettingRoundTrips() async throws {
        let world = try CommandWorld.configured(Self.text)
        let app = try await Self.environment(world)
        let values: [(Setting.ID, Setting.Value)] = [
            (.theme, .word("moss")), (.language, .word("de")), (.guestPrompt, .flag(false)), (.mouse, .flag(false)),
            (.motion, .word("reduced")), (.seal, .word("key-file")),
            (.lockAfter, .span(60)), (.idleExit, .span(3600)), (.notify, .flag(true)),
            (.policy(try Self.work()), .word("ask")),
            (.browser(try Self.work()), .text("firefox --new-window \"%s\"")), (.isPrivate(try Self.work()), .flag(true)),
        ]
        let before = try #require(app.settings.sheet)
        #expect(before.settings.map(\.id) == values.map { $0.0 }, "a setting that is not tried here")
        for (id, value) in values {
            try await app.saveSetting(SettingChange(id, value))
            let setting = try #require(try await app.readSettings().sheet?.settings.first { $0.id == id })
            #expect(setting.value == value)
            #expect(setting.isSet)
        }
        for (id, _) in values { try await app.saveSetting(SettingChange(id, nil)) }
        #expect(try await app.readSettings().sheet?.settings.allSatisfy { !$0.isSet } == true)
        #expect(try world.text(world.configurationPath).contains("# mine, by hand"))
    }

    @Test(arguments: [
        ("ui = \"x\"\n", "must be a table"), ("[ui\n", ":1: "), ("[agent]\nlock_after = \"soon\"\n", "lock_after"),
    ])
    func unreadableFileIsNotChanged(text: String, says: String) async throws {
        let world = try CommandWorld()
        let app = try await Self.environment(world)
        try world.configure(text)
        let failure = try await #require(throws: AuthFailure.self) { try await app.saveSetting(SettingChange(.theme, .word("dusk"))) }
        #expect(failure.kind == .configuration)
        #expect(failure.summary.contains(says))
        #expect(try world.text(world.configurationPath) == text)
    }

    @Test func invalidValuesAreRefused() async throws {
        let world = try CommandWorld.configured(Self.text)
        let app = try await Self.environment(world)
        for change in [SettingChange(.lockAfter, .span(-1)), .init(.language, .word("fr")), .init(.theme, .word("../x"))] {
            await #expect(throws: AuthFailure.self) { try await app.saveSetting(change) }
            #expect(try world.text(world.configurationPath) == Self.text)
        }
        let gone = try #require(ProviderName("gone"))
        await #expect(throws: AuthFailure.self) { try await app.saveSetting(SettingChange(.isPrivate(gone), .flag(true))) }
        #expect(try world.text(world.configurationPath) == Self.text)
    }

    /// A store with one seal cannot be opened with another, so the sessions would be unreachable.
    @Test func sealThatTheStoreDoesNotHaveIsRefused() async throws {
        try await withSession { _, world in
            let app = try await Self.environment(world)
            let text = try world.text(world.configurationPath)
            let failure = try await #require(throws: AuthFailure.self) {
                try await app.saveSetting(SettingChange(.seal, .word("passphrase")))
            }
            #expect(failure.summary.contains("seal"))
            #expect(try world.text(world.configurationPath) == text)
            try await app.saveSetting(SettingChange(.seal, .word("key-file")))
            #expect(await world.run("token", "sandbox").status == 0)
        }
    }

    @Test func concurrentChangeIsNotOverwritten() throws {
        let world = try CommandWorld.configured(Self.text)
        let file = try ConfigurationFile(
            option: nil, environment: world.environment, directories: Directories(environment: world.environment), workingDirectory: "/",
            rules: .standard)
        let other = Self.text + "\n[store]\nseal = \"memory\"\n"
        let failure = try #require(throws: AuthFailure.self) {
            try file.change { (_, _) throws(AuthFailure) in
                // An editor saves the file during the change.
                try PrivateFile.replace(file.path, with: Array(other.utf8))
            } isIntended: { _ in
                true
            }
        }
        #expect(failure.summary.contains("was changed by another program"))
        #expect(try world.text(world.configurationPath) == other)
    }
}
