import AuthModel
import Glibc
import Localization
import TerminalApp
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The administrator's configuration files, below the user's.
struct SystemConfigurationTests {
    static let corp = "[providers.corp]\nkind = \"oidc\"\nissuer = \"http://127.0.0.1:9\"\nclient_id = \"yett\"\n"
    static let own = "[providers.own]\nkind = \"oidc\"\nissuer = \"https://own.example.org\"\nclient_id = \"me\"\n"

    private func load(_ text: String, over system: String..., replacing: Bool = false) throws -> LoadedConfiguration {
        let files = system.enumerated().map { SystemConfiguration(path: "/etc/\($0.offset)/yett/config.toml", text: $0.element) }
        return try ConfigurationReader(
            name: "config.toml", directory: "/h/.config/yett", home: "/h", rules: .standard, system: files, replacesSystem: replacing
        ).load(text)
    }

    private func provider(_ name: String, in loaded: LoadedConfiguration) throws -> ProviderConfiguration {
        let name = try #require(ProviderName(name))
        return try #require(loaded.configuration.provider(name))
    }

    @Test(arguments: [
        (nil, ["/etc/xdg/yett"]), ("", ["/etc/xdg/yett"]), ("/b/:relative:/a:/b", ["/b/yett", "/a/yett"]), (":", []), ("/", ["/yett"]),
    ])
    func foldersFollowTheBaseDirectorySpecification(variable: String?, folders: [String]) {
        #expect(Directories(environment: variable.map { ["XDG_CONFIG_DIRS": $0] } ?? [:]).system == folders)
    }

    @Test func userOverridesSingleKeys() throws {
        let loaded = try load(
            "[ui]\nmouse = false\n[providers.corp]\nscopes = [\"openid\"]\n" + Self.own,
            over: "[ui]\ntheme = \"plain\"\n[providers.corp]\nclient_id = \"first\"\n", Self.corp + "scopes = [\"openid\", \"email\"]\n")
        #expect(loaded.configuration.interface.theme == "plain")
        #expect(!loaded.configuration.interface.mouse)
        let corp = try provider("corp", in: loaded)
        #expect(corp.clientID == "first")
        #expect(corp.scopes.values == ["openid"])
        #expect(loaded.files(of: corp.name) == ["config.toml", "/etc/0/yett/config.toml", "/etc/1/yett/config.toml"])
        #expect(loaded.files(of: try provider("own", in: loaded).name) == ["config.toml"])
    }

    @Test func relativePathStartsAtTheFolderOfItsFile() throws {
        let system = Self.corp + "ca_file = \"corp.pem\"\nclient_secret_command = [\"pass\"]\n"
        let corp = try provider("corp", in: load("[providers.corp]\nclient_secret_file = \"mine\"\n", over: system))
        #expect(corp.caFile == "/etc/0/yett/corp.pem")
        #expect(corp.clientSecret == .file("/h/.config/yett/mine"))
    }

    @Test func hiddenProviderIsIgnoredWithAndWithoutItsSystemFile() throws {
        let text = "[providers.corp]\nhidden = true\n"
        #expect(try load(text, over: Self.corp).configuration.providers.isEmpty)
        #expect(try load(text).configuration.providers.isEmpty)
        #expect(try load("[providers.corp]\nhidden = false\n", over: Self.corp).configuration.providers.count == 1)
    }

    @Test(arguments: [false, true])
    func lockedKeyKeepsTheSystemValue(isNamedFile: Bool) throws {
        let text = "[store]\nseal = \"memory\"\n" + Self.corp + "policy = \"allow\"\n" + Self.own + "policy = \"deny\"\n"
        let system = """
            [policy]
            locked = ["providers.*.policy", "store.seal", "providers.corp.browser"]
            [store]
            seal = "passphrase"
            [ui]
            theme = "plain"
            [providers.corp]
            policy = "ask"
            client_id = "theirs"
            """
        let loaded = try load(text, over: system, replacing: isNamedFile)
        #expect(loaded.configuration.seal == .passphrase)
        #expect(try provider("corp", in: loaded).policy == .ask)
        #expect(try provider("corp", in: loaded).clientID == "yett")
        #expect(try provider("own", in: loaded).policy == .deny)
        #expect(loaded.configuration.interface.theme == (isNamedFile ? "gate" : "plain"))
        #expect(loaded.ignored.map(\.path) == [["providers", "corp", "policy"], ["store", "seal"]])
        #expect(
            loaded.ignored.map(\.failure.summary) == [
                "config.toml:7: 'providers.corp.policy' is locked by /etc/0/yett/config.toml:2",
                "config.toml:2: 'store.seal' is locked by /etc/0/yett/config.toml:2",
            ])
    }

    @Test func namedFileGetsNoOtherProvidersOfSystemFiles() throws {
        let system = "[policy]\nlocked = [\"providers.*.policy\"]\n" + Self.corp + "policy = \"ask\"\n"
        #expect(try load(Self.own, over: system, replacing: true).configuration.providers.map(\.name.text) == ["own"])
        let whole = "[policy]\nlocked = [\"providers\"]\n" + Self.corp
        for replacing in [false, true] {
            #expect(try load(Self.own, over: whole, replacing: replacing).configuration.providers.map(\.name.text) == ["corp"])
        }
    }

    @Test(arguments: ["store.seel", "stor", "providers.*.polcy", "providers.*.policy.x", "ui.theme = 1 #", "", "policy", "keys.nowhere"])
    func misspeltLockIsAnError(lock: String) {
        #expect(throws: AuthFailure.self) { try load("", over: "[policy]\nlocked = [\"\(lock)\"]\n") }
    }

    @Test(arguments: ["ui", "keys.sessions.renew", "providers.\\\"a.b\\\".policy", "providers.*", "agent.hook"])
    func locksNameKeysAndTables(lock: String) throws {
        #expect(try load("", over: "[policy]\nlocked = [\"\(lock)\"]\n").locked.count == 1)
    }

    @Test func policyInTheUsersFileIsAnError() {
        let failure = #expect(throws: AuthFailure.self) { try load("\n[policy]\nlocked = []\n", over: Self.corp) }
        #expect(failure?.summary == "config.toml:2: [policy] works only in a system file")
    }

    @Test func errorNamesTheFileThatSetsTheKey() {
        let failure = #expect(throws: AuthFailure.self) { try load("[ui]\nmouse = true\n", over: "[ui]\n\ntheme = 1\n") }
        #expect(failure?.summary.hasPrefix("/etc/0/yett/config.toml:3: ") == true)
    }

    @Test func commandsShowTheFilesAndWriteOnlyTheUsers() async throws {
        let world = try CommandWorld()
        let system = try world.configureSystem("[policy]\nlocked = [\"providers.*.policy\"]\n" + Self.corp)
        try world.configure("[providers.corp]\npolicy = \"deny\"\n" + Self.own)
        let listed = await world.run("providers", "list")
        #expect(listed.output.contains(" your configuration, \(system)\n"), "\(listed.output)")
        let entries = try #require(try await world.run("providers", "list", "--json").json["providers"]?.array)
        #expect(entries.map { $0["files"] } == [JSONValue([world.configurationPath, system]), JSONValue([world.configurationPath])])
        let removed = await world.run("providers", "remove", "corp", exits: 2)
        #expect(removed.errors.contains("corp is defined for all users of this machine in \(system)"))
        #expect(removed.errors.contains("add hidden = true to [providers.corp] in \(world.configurationPath)"))
        #expect(await world.run("providers", "remove", "own").status == 0)
        #expect(!(try world.text(world.configurationPath).contains("own")))
        let diagnosis = await world.run("doctor")
        #expect(diagnosis.output.contains("\(system); defines corp; locks providers.*.policy\n"), "\(diagnosis.output)")
        #expect(diagnosis.output.contains("'providers.corp.policy' is locked by \(system):2; the administrator's value is used"))
    }

    /// A key that does the same as a locked one, or decides the same, is locked with it, whether the system file sets it or not.
    @Test(arguments: [
        ("client_secret_file", "client_secret_command = [\"mine\"]"), ("client_secret_command", "client_secret_file = \"mine\""),
        ("redirect", "paste_redirect = \"https://mine.example/\""), ("paste_redirect", "redirect = \"http://127.0.0.1:1/\""),
        ("issuer", "token_endpoint = \"https://mine.example/\""), ("issuer", "authorization_endpoint = \"https://mine.example/\""),
        ("issuer", "userinfo_endpoint = \"https://mine.example/\""), ("issuer", "revocation_endpoint = \"https://mine.example/\""),
        ("issuer", "end_session_endpoint = \"https://mine.example/\""),
        ("issuer", "device_authorization_endpoint = \"https://mine.example/\""), ("api_hosts", "resource = \"https://mine.example/\""),
        ("issuer", "device_token_endpoint = \"https://mine.example/\""), ("issuer", "sign_in_hosts = [\"mine.example\"]"),
        ("issuer", "discovery = \"https://mine.example/\""), ("api_hosts", "api_host_from = \"instance_url\""),
    ])
    func lockCoversTheKeysThatCouldBeUsedInstead(key: String, setting: String) throws {
        let policy = "[policy]\nlocked = [\"providers.*.\(key)\"]\n" + Self.corp
        let plain = try provider("corp", in: load("", over: policy))
        let loaded = try load("[providers.corp]\n\(setting)\n", over: policy)
        #expect(try provider("corp", in: loaded) == plain)
        let other = String(setting.prefix { $0 != " " })
        #expect(loaded.ignored.map(\.path) == [["providers", "corp", other]])
        #expect(loaded.ignored.first?.lock.text == "providers.*.\(key)")
        #expect(try provider("corp", in: load("[providers.corp]\n\(setting)\n", over: Self.corp)) != plain)
    }

    /// The tokens of AWS are for the start URL, the region and the endpoint together.
    @Test(arguments: ["region = \"us-east-1\"", "endpoint = \"https://mine.example\""])
    func lockOfTheStartURLCoversTheService(setting: String) throws {
        let system = """
            [policy]
            locked = ["providers.*.start_url"]
            [providers.corp]
            kind = "aws-sso"
            start_url = "https://corp.awsapps.com/start"
            region = "eu-central-1"
            """
        let plain = try provider("corp", in: load("", over: system))
        let loaded = try load("[providers.corp]\n\(setting)\n", over: system)
        #expect(try provider("corp", in: loaded) == plain)
        #expect(loaded.ignored.map(\.path) == [["providers", "corp", String(setting.prefix { $0 != " " })]])
    }

    /// A file that replaces the system files leaves what they set instead of the locked key.
    @Test func replacedSystemFileKeepsTheAlternative() throws {
        let system =
            "[policy]\nlocked = [\"providers.corp.client_secret_file\"]\n" + Self.corp + "client_secret_command = [\"pass\"]\n"
        let own = "[providers.corp]\nkind = \"oidc\"\nissuer = \"https://id.corp.example\"\nclient_id = \"x\"\n"
        let loaded = try load(own + "client_secret_file = \"mine\"\n", over: system, replacing: true)
        #expect(try provider("corp", in: loaded).clientSecret == .command(["pass"]))
    }

    @Test func lockedSettingIsNotWritten() throws {
        let world = try CommandWorld()
        let system = try world.configureSystem("[policy]\nlocked = [\"ui.theme\"]\n")
        let file = try ConfigurationFile(
            option: nil, environment: world.environment, directories: Directories(environment: world.environment), workingDirectory: "/",
            rules: .standard)
        let failure = #expect(throws: AuthFailure.self) { try file.save(SettingChange(.theme, .word("plain"))) }
        #expect(failure?.summary == "'ui.theme' is locked by \(system):2")
        #expect(!FileStatus.exists(world.configurationPath))
    }

    @Test func fileThatOthersCanChangeIsRefused() async throws {
        let world = try CommandWorld()
        let system = try world.configureSystem(Self.corp)
        #expect(chmod(system, 0o664) == 0)
        let result = await world.run("providers", "list", exits: 2)
        #expect(result.errors.hasPrefix("yett: error: \(system) can be changed by others\n"))
        #expect(chmod(system, 0o644) == 0)
        #expect(chmod(world.home + "/system/yett", 0o777) == 0)
        #expect(await world.run("providers", "list").status == 2)
    }

    @Test func systemThemesAreBelowTheUsers() async throws {
        let world = try CommandWorld()
        try world.configureSystem("[ui]\ntheme = \"corp\"\n")
        let shipped = String(decoding: ThemeFixture.gate, as: UTF8.self)
        for folder in ["/system/yett/themes", "/.config/yett/themes"] { try PrivateFile.makeDirectory(world.home + folder) }
        let system = world.home + "/system/yett/themes/corp.toml"
        try PrivateFile.replace(system, with: Array(shipped.utf8))
        func entry() async throws -> JSONValue? {
            try await world.run("theme", "list", "--json").json["themes"]?.array?.first { $0["name"]?.string == "corp" }
        }
        let found = try #require(try await entry())
        #expect(found["file"]?.string == system)
        #expect(found["own"]?.bool == false)
        #expect(found["current"]?.bool == true)
        #expect(await world.run("doctor").output.contains("corp, from \(system)\n"))
        try PrivateFile.replace(world.home + "/.config/yett/themes/corp.toml", with: Array(shipped.utf8))
        #expect(try await entry()?["own"]?.bool == true)
    }
}
