import AuthModel
import Glibc
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Adds services by presets of files: what is asked for, what an administrator locked, and what is refused.
struct PresetAddingTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    private static let text = PresetReaderTests.text

    private static func write(_ text: String, to folder: String) throws {
        try PrivateFile.makeDirectory(folder)
        try PrivateFile.replace(folder + "/forge.toml", with: Array(text.utf8))
    }

    private static func user(_ world: CommandWorld) -> String { world.home + "/.config/yett/presets" }
    private static func administrator(_ world: CommandWorld) -> String { world.home + "/system/yett/presets" }

    @Test func lockedPresetsOfTheUserAreNotRead() async throws {
        try world.configureSystem("[policy]\nlocked = [\"presets\"]\n")
        try Self.write(Self.text, to: Self.user(world))
        #expect(await world.run("providers", "add", "forge", "--at", "a.example", "--client-id", "c", "--no-check").status == 64)
        #expect(await world.run("doctor").output.contains("\(Self.user(world)) is not read"))
        try Self.write(Self.text, to: Self.administrator(world))
        #expect(await world.run("providers", "add", "forge", "--at", "a.example", "--client-id", "c", "--no-check").status == 0)
    }

    @Test func presetCannotWriteALockedKey() async throws {
        try world.configureSystem("[policy]\nlocked = [\"providers\"]\n")
        try Self.write(Self.text, to: Self.user(world))
        let refused = await world.run("providers", "add", "forge", "--at", "a.example", "--client-id", "c", "--no-check")
        #expect(refused.status == 2 && refused.errors.contains("locked"), "\(refused.errors)")
        #expect(world.files(containing: "[providers").isEmpty)
    }

    @Test func fileWithAnErrorIsNamedAndLeavesTheOthersWorking() async throws {
        try Self.write(Self.text.replacing("oidc", with: "saml"), to: Self.user(world))
        let place = Self.user(world) + "/forge.toml:9: "
        let list = await world.run("providers", "presets")
        #expect(list.status == 0 && list.errors.contains(place) && list.output.contains("github "), "\(list.errors)")
        let asked = await world.run("providers", "add", "forge")
        #expect(asked.status == 2 && asked.errors.contains(place), "\(asked.errors)")
        let check = await world.run("config", "check")
        #expect(check.status == 2 && check.output.contains(place), "\(check.output)")
        #expect(await world.run("doctor").output.contains(place))
        #expect(await world.run("providers", "add", "github", "--client-id", "c").status == 0)
        try Self.write(Self.text, to: Self.user(world))
        #expect(await world.run("config", "check").output.contains(Self.user(world) + "/forge.toml: valid\n"))
    }

    @Test func largeFileAndOpenFolderAreRefused() async throws {
        try Self.write(Self.text + "\n#" + String(repeating: "x", count: PresetReader.limit), to: Self.user(world))
        let large = await world.run("providers", "presets")
        #expect(large.errors.contains("\(PresetReader.limit)"), "\(large.errors)")
        try Self.write(Self.text, to: Self.user(world))
        chmod(Self.user(world), 0o777)
        let open = await world.run("providers", "presets", "forge")
        #expect(open.errors.contains("chmod") && !open.output.contains("Forge: "), "\(open.errors)")
    }

    // MARK: Adding

    /// What is missing is asked for, after the steps with the redirect address to enter.
    @Test func terminalExplainsRegistrationBeforeItAsksForTheClient() async throws {
        try Self.write(Self.text + "\n[needs]\nclient_secret = \"required\"\n", to: Self.user(world))
        let secret = world.home + "/secret"
        try PrivateFile.replace(secret, with: Array("s\n".utf8))
        let user = CommandWorld.User(hasTerminal: true, lines: ["git.forge.example", "mine", "missing", "secret"])
        let added = await world.run("providers", "add", "forge", "--no-check", user: user, exits: 0)
        let texts = ["such as git.forge.example", "at https://git.forge.example/apps:", "Enter http://127.0.0.1/callback.", "Client ID:"]
        let places = texts.map { added.errors.firstRange(of: $0)?.lowerBound }
        #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(added.errors)")
        #expect(added.errors.contains("There is no file \(world.home)/missing."))
        let provider = try await world.run("providers", "show", "forge", "--json").json["provider"]
        #expect(provider?["client_id"] == "mine" && provider?["client_secret_file"] == .string(secret))
        let silent = await world.run("providers", "add", "forge", "--name", "other")
        #expect(
            silent.errors.contains(
                "yett providers add forge --at git.forge.example --client-id ID --client-secret-file FILE --name other"))
    }

    @Test func loginWithTheAddressOfAServiceAddsIt() async throws {
        try await withSandbox { server, world in
            try world.configure("")
            let text = Self.text.replacing("forge.example\"]", with: "127.0.0.1\"]")
            try Self.write(text, to: Self.user(world))
            await server.autoApprove(as: "ada")
            let first = await world.run("login", server.issuer, "--client-id", "yett")
            #expect(first.status == 0 && first.errors.contains("added: forge"), "\(first.errors)")
            #expect(try await world.run("providers", "show", "forge", "--json").json["provider"]?["issuer"] == .string(server.issuer))
            let again = await world.run("login", server.issuer, "--force")
            #expect(again.status == 0 && !again.errors.contains("added:"), "\(again.errors)")
        }
    }

    @Test(arguments: [
        (["api_hosts=a.example,b.example"], "api_hosts", JSONValue.array(["a.example", "b.example"])),
        (["private=true"], "private", .bool(true)), (["trusted_audiences=a,b"], "trusted_audiences", .array(["a", "b"])),
        (["access_lifetime=7200"], "access_lifetime", .number(7200)),
        (["extra_params.include_granted_scopes=true"], "extra_params", .members(("include_granted_scopes", "true"))),
        (["login_timeout=60"], "login_timeout", .number(60)), (["sign_in=on-demand"], "sign_in", "on-demand"),
        (
            ["extra_params.audience=https://api.example", "extra_params.x=y"], "extra_params",
            .members(("audience", "https://api.example"), ("x", "y"))
        ),
    ])
    func settingHasTheTypeOfItsKey(settings: [String], key: String, value: JSONValue) async throws {
        let options = settings.flatMap { ["--set", $0] }
        await world.run(
            ["providers", "add", "https://id.example.org", "--no-check", "--client-id", "c", "--name", "x"] + options, exits: 0)
        #expect(try await world.run("providers", "show", "x", "--json").json["provider"]?[key] == value)
    }
}
