import AuthModel
import Localization
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup aws --all`, `--select` and `--move`, at the emulator of AWS IAM Identity Center.
struct SetupAWSProfilesTests {
    private static let own = "[default]\nregion = eu-central-1\n\n# the office\n[profile office]\nregion = eu-west-1\n"

    private static func signedIn(_ body: (IdentityCenterCommandTests.Server, CommandWorld) async throws -> Void) async throws {
        try await IdentityCenterCommandTests.signedIn(IdentityCenterSettings(), body)
    }

    private static func lines(_ world: CommandWorld) throws -> [String] {
        (try world.content(".aws/config") ?? "").split(whereSeparator: \.isNewline).map(String.init)
    }

    private static func process(_ account: Int, _ role: String) throws -> String {
        "credential_process = \(try Product.program("yett")) helper aws aws --account 00000000000\(account) --role \(role)"
    }

    /// Also a file whose last line has no line end, one with the line ends of Windows, an empty one, and none.
    @Test(arguments: [own, String(own.dropLast()), own.replacing("\n", with: "\r\n"), "", nil])
    func everyRoleGetsAProfileAndRemovingRestoresEveryByte(before: String?) async throws {
        try await Self.signedIn { server, world in
            if let before { try world.write(before, to: ".aws/config") }
            let result = await world.setUp("aws", "--all", "aws", "--yes", exits: 0)
            #expect(result.output.hasPrefix("set up: aws gets tokens of aws for the profiles of your roles\n"))
            #expect(result.output.contains("temporary credentials of 000000000003/AdministratorAccess for the profile development.Admin"))
            let content = try #require(try world.content(".aws/config"))
            #expect(content.hasPrefix(before ?? ""))
            let lines = try Self.lines(world)
            let names = ["development", "production", "staging"].flatMap { ["\($0).AdministratorAccess", "\($0).ReadOnlyAccess"] }
            #expect(lines.filter { $0.contains(".") && $0.hasPrefix("[") } == names.map { "[profile \($0)]" })
            #expect(lines.contains(try Self.process(1, "ReadOnlyAccess")))
            // The check, and no more.
            #expect(server.calls(of: IdentityCenterCommandTests.credentials).count == 1)

            #expect(await world.setUp("--list").output.split(separator: "\n").count == 7)
            #expect(await world.setUp("aws", "--all", "aws").output.hasPrefix("already set up: "))
            // One of them can be removed alone.
            #expect(await world.setUp("aws", "staging.ReadOnlyAccess", "--remove", "--yes").status == 0)
            #expect(await world.setUp("--list").output.split(separator: "\n").count == 6)
            let removed = await world.setUp("aws", "--all", "aws", "--remove", "--yes")
            #expect(removed.status == 0 && removed.output.hasPrefix("removed: "), "\(removed.errors)")
            #expect(try world.content(".aws/config") == before)
            #expect(await world.setUp("aws", "--all", "--remove").output.hasPrefix("not set up: "))
        }
    }

    @Test func existingProfilesStayAsTheyAre() async throws {
        try await Self.signedIn { _, world in
            let existing = "[profile production.AdministratorAccess]\noutput = json\n"
            let keys = "[staging.ReadOnlyAccess]\naws_access_key_id = A\n"
            try world.write(existing, to: ".aws/config")
            try world.write(keys, to: ".aws/credentials")
            let result = await world.setUp("aws", "--all", "aws", "--region", "eu-north-1", "--yes", exits: 0)
            for name in ["production.AdministratorAccess exists already", "staging.ReadOnlyAccess has credentials already"] {
                #expect(result.errors.contains("the profile \(name), and stays as it is"), "\(result.errors)")
            }
            let content = try #require(try world.content(".aws/config"))
            #expect(content.hasPrefix(existing + "[profile ") && !content.contains("staging.ReadOnlyAccess"))
            #expect(content.split(separator: "\n").count { $0 == "region = eu-north-1" } == 4)
            #expect(await world.setUp("aws", "--all", "--remove", "--yes").status == 0)
            #expect(try world.content(".aws/config") == existing)
            #expect(try world.content(".aws/credentials") == keys)
        }
    }

    @Test func selectedRolesAreNamedByThePattern() async throws {
        try await Self.signedIn { _, world in
            let result = await world.setUp(
                "aws", "--select", "production/*", "--select", "000000000002/Read*", "aws", "--pattern", "{role}@{account}", "--yes")
            #expect(result.status == 0, "\(result.errors)")
            let lines = try Self.lines(world).filter { $0.hasPrefix("[") }
            #expect(
                lines == [
                    "[profile AdministratorAccess@000000000001]", "[profile ReadOnlyAccess@000000000001]",
                    "[profile ReadOnlyAccess@000000000002]",
                ])
            let missing = await world.setUp("aws", "--select", "production/Nothing", "aws", "--yes")
            #expect(missing.status == 64 && missing.errors.contains("aws has no role production/Nothing"), "\(missing.errors)")
        }
    }

    @Test func profilesThatSignInThemselvesAreMovedAndMovedBack() async throws {
        try await Self.signedIn { server, world in
            let before = """
                [sso-session corp]
                sso_start_url = \(server.origin)/start/#/
                sso_region = eu-central-1

                [profile prod]
                # mine
                sso_session = corp
                sso_account_id = 000000000001
                region = eu-west-1
                sso_role_name = ReadOnlyAccess

                [profile legacy]
                sso_start_url = \(server.origin)/start
                sso_region = eu-central-1
                sso_account_id = 000000000002
                sso_role_name = AdministratorAccess
                [profile other]
                sso_start_url = https://other.awsapps.com/start
                sso_account_id = 000000000002
                sso_role_name = AdministratorAccess
                """
            try world.write(before, to: ".aws/config")
            await world.setUp("aws", "--move", "aws", "--yes", exits: 0)
            let lines = try Self.lines(world)
            #expect(try lines.contains(Self.process(1, "ReadOnlyAccess")) && lines.contains(Self.process(2, "AdministratorAccess")))
            #expect(lines.filter { $0.hasPrefix("sso_account_id") } == ["sso_account_id = 000000000002"])
            #expect(lines.contains("region = eu-west-1") && lines.contains("# mine"))
            if Product.installed("aws") != nil {
                #expect(try world.tool("aws", "configure", "get", "region", "--profile", "prod") == "eu-west-1\n")
                #expect(try world.tool("aws", "configure", "list", "--profile", "legacy").contains("custom-process"))
            }
            // A role has one profile.
            #expect(await world.setUp("aws", "--all", "--move", "aws", "--yes").status == 0)
            #expect(try Self.lines(world).count { $0.hasPrefix("credential_process") } == 6)
            #expect(await world.setUp("aws", "--all", "--remove", "--yes").status == 0)
            #expect(try world.content(".aws/config") == before)
            #expect(await world.setUp("aws", "--all", "--move", "aws", "--yes").status == 0)
            #expect(try Self.lines(world).count { $0 == (try? Self.process(1, "ReadOnlyAccess")) } == 1)
            #expect(await world.setUp("aws", "prod", "--remove", "--yes").status == 0)
            #expect(try #require(try world.content(".aws/config")).contains("# mine\nsso_session = corp\n"))
            #expect(await world.setUp("aws", "--all", "--remove", "--yes").status == 0)
            #expect(try world.content(".aws/config") == before)
        }
    }

    /// AWS tools get the credentials of such a profile from elsewhere, and a profile that builds on a moved one works as before.
    @Test func profilesWithOtherCredentialsAreLeftAlone() async throws {
        try await Self.signedIn { server, world in
            func section(_ name: String, _ account: Int, _ more: String = "") -> String {
                """
                [\(name)]
                sso_start_url = \(server.origin)/start#/?tab=accounts
                sso_region = eu-central-1
                sso_account_id = 00000000000\(account)
                sso_role_name = ReadOnlyAccess
                s3 =
                    max_concurrent_requests = 20
                \(more)

                """
            }
            let base = "[profile deploy]\nrole_arn = arn:aws:iam::000000000001:role/deploy\nsource_profile = default\n"
            let others = ["role_arn = arn:aws:iam::1:role/x", "web_identity_token_file = /x", "login_session = arn:aws:iam::1:user/x"]
            let left = base + zip(["a", "b", "c"], others).map { section("profile \($0)", 1, $1) }.joined()
            try world.write(left, to: ".aws/config")
            let refused = await world.setUp("aws", "--move", "aws", "--yes")
            #expect(refused.status == 64 && refused.errors.contains("no profile with one of your roles signs in at"), "\(refused.errors)")

            let before = left + section("default", 2, "unknown_key = kept")
            try world.write(before, to: ".aws/config")
            await world.setUp("aws", "--move", "aws", "--yes", exits: 0)
            let content = try #require(try world.content(".aws/config"))
            #expect(content.hasPrefix(left + "[default]\n"))
            for line in ["unknown_key = kept", "    max_concurrent_requests = 20"] {
                #expect(content.contains("\n\(line)\n"), "\(line)")
            }
            #expect(try Self.lines(world).filter { $0.hasPrefix("credential_process") } == [Self.process(2, "ReadOnlyAccess")])
            #expect(await world.setUp("aws", "--all", "--remove", "--yes").status == 0)
            #expect(try world.content(".aws/config") == before)
        }
    }

    /// AWS tools would use keys of the same name instead of the role after the move.
    @Test func profilesWithKeysAreNotMoved() async throws {
        try await Self.signedIn { server, world in
            func profile(_ name: String, _ account: Int) -> String {
                """
                [profile \(name)]
                sso_start_url = \(server.origin)/start
                sso_region = eu-central-1
                sso_account_id = 00000000000\(account)
                sso_role_name = ReadOnlyAccess

                """
            }
            try world.write("[prod]\naws_access_key_id = A\n", to: ".aws/credentials")
            try world.write(profile("prod", 1), to: ".aws/config")
            let refused = await world.setUp("aws", "--move", "aws", "--yes")
            #expect(refused.status == 2 && refused.errors.contains("have credentials already"), "\(refused.errors)")
            #expect(try world.content(".aws/config") == profile("prod", 1))

            try world.write(profile("prod", 1) + profile("test", 2), to: ".aws/config")
            let moved = await world.setUp("aws", "--move", "aws", "--yes", exits: 0)
            #expect(moved.errors.contains("the profile prod has credentials already, and stays as it is"), "\(moved.errors)")
            #expect(try #require(try world.content(".aws/config")).hasPrefix(profile("prod", 1)))
            #expect(try Self.lines(world).filter { $0.hasPrefix("credential_process") } == [Self.process(2, "ReadOnlyAccess")])
        }
    }

    /// Without a profile to write, the command changes nothing and says so once.
    @Test func namesThatAllExistAreRefused() async throws {
        try await Self.signedIn { _, world in
            let existing = "[profile production.ReadOnlyAccess]\noutput = json\n"
            try world.write(existing, to: ".aws/config")
            let result = await world.setUp("aws", "--select", "production/ReadOnlyAccess", "aws", "--yes")
            #expect(result.status == 2 && result.output.isEmpty, "\(result.output)")
            #expect(result.errors.contains("all profiles of these names exist already"), "\(result.errors)")
            #expect(try world.content(".aws/config") == existing)
        }
    }

    /// What users write after the setup's profiles stays, and so does a line of their own that calls Yett.
    @Test(arguments: ["\n# mine\n[profile z]\nregion = eu-west-1\n", "# mine\n[profile z]\noutput = json\n", "; the end\n"])
    func removingKeepsWhatUsersWrote(later: String) async throws {
        try await Self.signedIn { _, world in
            let before = Self.own + "[profile named]\ncredential_process = yett helper aws aws --account production --role ReadOnlyAccess\n"
            try world.write(before, to: ".aws/config")
            #expect(await world.setUp("aws", "--all", "aws", "--region", "eu-north-1", "--yes").status == 0)
            let content = try #require(try world.content(".aws/config"))
            #expect(content.hasPrefix(before) && content != before)
            try world.write(content + later, to: ".aws/config")
            #expect(await world.setUp("aws", "--all", "--remove", "--yes").status == 0)
            #expect(try world.content(".aws/config") == before + later)
        }
    }

    /// A comment at the end is about the next section if an empty line is before it. Otherwise it may have been in the section all along.
    @Test(arguments: [("\n# mine\n", "\n# mine\n"), ("# mine\n", "[profile dev]\n# mine\n")])
    func commentAtTheEndOfASectionStays(comment: String, left: String) throws {
        let world = try CommandWorld()
        try world.write("[profile dev]\ncredential_process = x\n\(comment)[profile z]\n", to: "config")
        var configuration = try AWSConfiguration(path: world.home + "/config")
        configuration.remove("credential_process", from: "profile dev")
        #expect(configuration.edit?.after == left + "[profile z]\n")
    }

    /// 20,000 profiles are removed in one pass.
    @Test func manyProfilesAreRemovedInTime() throws {
        let world = try CommandWorld()
        let path = world.home + "/config"
        try PrivateFile.replace(path, with: Array(Self.own.utf8))
        var configuration = try AWSConfiguration(path: path)
        for number in 0..<20_000 { configuration.add("profile \(number)", [("region", "eu-west-1"), ("credential_process", "\(number)")]) }
        configuration.remove("credential_process") { _ in true }
        #expect(configuration.edit == nil)
    }

    /// AWS tools find a section behind tabs too.
    @Test(arguments: ["[profile dev]", "[profile\tdev]", "[ profile  dev ]", "[profile \"dev\"]"])
    func sectionsAreFoundAsAWSToolsFindThem(line: String) throws {
        let world = try CommandWorld()
        try world.write("\(line)\nregion = eu-west-1\n", to: "config")
        #expect(try AWSConfiguration(path: world.home + "/config").settings == ["profile dev": ["region": "eu-west-1"]])
    }

    @Test func filesOfAWSMayBeNamedFromTheHomeFolder() async throws {
        try await Self.signedIn { _, world in
            await world.setUp("aws", "--all", "aws", "--yes", with: ["AWS_CONFIG_FILE": "~/elsewhere"], exits: 0)
            let written = try #require(try world.content("elsewhere"))
            #expect(written.contains("[profile production.ReadOnlyAccess]"))
            #expect(!world.has(".aws/config"))
        }
    }

    // MARK: Names

    private static func role(_ account: Int, _ name: String) -> AccountRole {
        AccountRole(account: "00000000000\(account)", role: "Admin", accountName: name)
    }

    /// The account's name is chosen by others.
    @Test(arguments: [
        ("My Team", "My-Team.Admin"), ("a]\n[default]\naws_access_key_id=x", "a---default--aws_access_key_id-x.Admin"),
        ("", "000000000001.Admin"), ("--profile", "profile.Admin"), ("Büro/1", "B-ro/1.Admin"), ("a\r\n#;\"'\\b", "a-------b.Admin"),
        ("$(id>&2)`id`", "id--2--id-.Admin"), ("a|b&c<d!e*f?{g,h}~%i^:", "a-b-c-d-e-f--g,h---i--.Admin"),
    ])
    func nameOfAnAccountBecomesSafe(account: String, name: String) throws {
        let names = try AWSProfilePattern(AWSProfilePattern.standard).names(of: [Self.role(1, account)])
        #expect(names.map(\.name) == [name])
    }

    @Test func sameNamesAreRefused() throws {
        let roles = [Self.role(1, "team a"), Self.role(2, "team-a")]
        let failure = #expect(throws: AuthFailure.self) { try AWSProfilePattern("{account_name}").names(of: roles) }
        #expect(failure?.summary == "the pattern gives 000000000001/Admin and 000000000002/Admin the same name: team-a")
        #expect(throws: AuthFailure.self) { try AWSProfilePattern("{account_name}").names(of: [Self.role(1, "default")]) }
        #expect(try AWSProfilePattern("{account_name}-{account}").names(of: roles).count == 2)
    }

    @Test(arguments: ["{name}", "{", "{account", "a b", "[{role}]", "{role}\n", "{account_name}=x"])
    func faultyPatternIsRefused(text: String) { #expect(throws: AuthFailure.self) { try AWSProfilePattern(text) } }

    @Test(arguments: [
        ("000000000001/Admin", true), ("team/Admin", true), ("*/Admin", true), ("t*m/*min", true), ("*", true), ("team/*", true),
        ("team", false), ("*/Read*", false), ("team/AdminAdmin*", false), ("team/A*n*n", false), ("TEAM/Admin", false),
    ])
    func patternsNameRoles(text: String, isNamed: Bool) { #expect(Self.role(1, "team").isNamed(text) == isNamed) }

    @Test(arguments: [
        ["--all", "aws", "other"], ["--all", "--select", "a/b"], ["--all", "--role", "arn:aws:iam::123456789012:role/x"],
        ["--select", "a/b", "--remove"], ["dev", "--pattern", "{role}"], ["--all", "--region", "eu west"], [],
    ])
    func senselessCombinationsAreUsageErrors(options: [String]) async throws {
        #expect(try await CommandWorld().run(["setup", "aws"] + options).status == 64)
    }
}
