import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Accounts, roles and their credentials from the user's side: the real command at the sandbox's portal.
struct IdentityCenterRoleTests {
    private static let helper = IdentityCenterCommandTests.helper
    private static let credentials = IdentityCenterCommandTests.credentials

    private static func signedIn(
        _ settings: IdentityCenterSettings = IdentityCenterSettings(), more: String = "",
        _ body: (IdentityCenterCommandTests.Server, CommandWorld) async throws -> Void
    ) async throws {
        try await IdentityCenterCommandTests.signedIn(settings, more: more, body)
    }

    @Test func rolesOfAllAccountsAreListed() async throws {
        var settings = IdentityCenterSettings()
        (settings.accountCount, settings.pageSize) = (12, 5)
        try await Self.signedIn(settings) { _, world in
            let result = await world.run("helper", "aws", "aws", "--role")
            let lines = result.output.split(separator: "\n")
            #expect(result.status == 0 && lines.count == 24, "\(result.errors)")
            #expect(lines.contains("000000000001/ReadOnlyAccess  production"))
        }
    }

    @Test func scriptsGetTheFormOfTheOtherCommands() async throws {
        try await Self.signedIn { _, world in
            let list = try await world.run("helper", "aws", "aws", "--role", "--json").json
            #expect(list["version"] == 1 && list["session"] == "aws/account" && list["roles"]?.array?.count == 6)
            #expect(list["roles"]?.array?.last == ["account": "000000000002", "account_name": "staging", "role": "ReadOnlyAccess"])
            let plain = try await world.run(Self.helper).json
            let answer = try await world.run(Self.helper + ["--json"]).json
            #expect(answer["version"] == 1 && answer["account"] == "000000000001" && answer["role"] == "ReadOnlyAccess")
            for (name, other) in [
                ("access_key_id", "AccessKeyId"), ("secret_access_key", "SecretAccessKey"), ("session_token", "SessionToken"),
                ("expires_at", "Expiration"),
            ] {
                #expect(answer[name]?.string?.isEmpty == false && answer[name] == plain[other], "\(name)")
            }
            let shown = await world.run(Self.helper + ["--json"], user: .init(hasTerminal: true))
            #expect(shown.status == 64 && shown.output == "")
        }
    }

    @Test func accountThatWentAwayHidesNoOther() async throws {
        try await Self.signedIn(IdentityCenterSettings.with { $0.removedAccounts = ["000000000002"] }) { _, world in
            let result = await world.run("helper", "aws", "aws", "--role")
            #expect(result.status == 0 && result.output.split(separator: "\n").count == 4, "\(result.errors)")
        }
    }

    @Test func helperPrintsCredentialsOfOneRequest() async throws {
        try await Self.signedIn { server, world in
            let first = await world.run(Self.helper)
            let document = try JSONValue(strict: first.output)
            #expect(document["Version"] == 1 && document["AccountId"] == "000000000001")
            #expect(document["AccessKeyId"]?.string?.hasPrefix("ASIA") == true)
            #expect(await world.run(Self.helper).output == first.output)
            #expect(server.calls(of: Self.credentials).count == 1)
            // The number of an account needs no list.
            let lists = server.calls(of: "/assignment/accounts").count
            let other = await world.run("helper", "aws", "aws", "--account", "000000000002", "--role", "AdministratorAccess")
            #expect(other.status == 0 && other.output != first.output)
            #expect(server.calls(of: "/assignment/accounts").count == lists)
            let secret = try #require(document["SecretAccessKey"]?.string)
            #expect(secret.count > 20 && world.files(containing: secret) == [])
        }
    }

    @Test func credentialsAreReplacedFiveMinutesBeforeTheirEnd() async throws {
        try await Self.signedIn { server, world in
            let first = await world.run(Self.helper).output
            world.time.advance(by: .seconds(2700))
            #expect(await world.run(Self.helper).output == first)
            world.time.advance(by: .seconds(660))
            #expect(await world.run(Self.helper).output != first)
            #expect(server.calls(of: Self.credentials).count == 2)
        }
    }

    @Test func twentyCallersCauseOneRequest() async throws {
        try await Self.signedIn { server, world in
            _ = await world.run("helper", "aws", "aws", "--role")
            let outputs = await withTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { await world.run(Self.helper).output } }
                return await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(outputs.count == 1 && outputs.first?.hasPrefix("{") == true)
            #expect(server.calls(of: Self.credentials).count == 1)
        }
    }

    @Test func throttledRequestIsRepeated() async throws {
        try await Self.signedIn { server, world in
            try server.set("throttles", to: 1)
            await world.run(
                ["helper", "aws", "aws", "--account", "000000000001", "--role", "ReadOnlyAccess"], exits: 0)
            #expect(server.calls(of: Self.credentials).count == 2)
        }
    }

    /// The list is kept for a day, and an administrator may give a role meanwhile.
    @Test func roleThatIsNewerThanTheListIsFound() async throws {
        try await Self.signedIn(IdentityCenterSettings.with { $0.removedRoles = ["000000000001/ReadOnlyAccess"] }) { server, world in
            let time = ManualTime(now: world.time.now)
            let other = ["helper", "aws", "aws", "--account", "staging", "--role", "ReadOnlyAccess"]
            #expect(await world.run(other, time: time).status == 0)
            let lists = server.calls(of: "/assignment/accounts").count
            try server.set("removed_roles", to: [])
            // A list that is new is not asked for again.
            #expect(await world.run(Self.helper, time: time).status == 64)
            #expect(server.calls(of: "/assignment/accounts").count == lists)
            world.time.advance(by: .seconds(61))
            await world.run(Self.helper, exits: 0)
            #expect(server.calls(of: "/assignment/accounts").count == lists + 1)
            #expect(await world.run(Self.helper).status == 0)
            #expect(server.calls(of: "/assignment/accounts").count == lists + 1)
        }
    }

    @Test func roleThatWasTakenAwayIsReported() async throws {
        try await Self.signedIn(IdentityCenterSettings.with { $0.removedRoles = ["000000000001/ReadOnlyAccess"] }) { server, world in
            let named = await world.run(Self.helper)
            #expect(named.status == 64 && named.errors.contains("aws/account has no role production/ReadOnlyAccess"), "\(named.errors)")
            let numbered = await world.run("helper", "aws", "aws", "--account", "000000000001", "--role", "ReadOnlyAccess")
            #expect(numbered.status == 5 && numbered.errors.contains("no credentials for the role"), "\(numbered.errors)")
        }
    }

    @Test func execGivesTheCommandNothingElse() async throws {
        try await Self.signedIn { _, world in
            let result = await world.run(
                ["exec", "aws", "--aws", "production/ReadOnlyAccess", "--", "forbidden"],
                with: [
                    "AWS_PROFILE": "other", "AWS_ACCESS_KEY_ID": "old", "AWS_ACCESS_KEY": "old", "AWS_REGION": "eu-west-1",
                    "AWS_ACCOUNT_ID": "999999999999", "AWS_CA_BUNDLE": "/ca",
                ])
            let environment = try #require(result.replacement?.environment, "\(result.errors)")
            #expect(environment["AWS_ACCESS_KEY_ID"]?.hasPrefix("ASIA") == true && environment["AWS_SESSION_TOKEN"]?.isEmpty == false)
            #expect(environment["AWS_PROFILE"] == nil && environment["AWS_REGION"] == "eu-west-1")
            #expect(environment["AWS_ACCESS_KEY"] == nil && environment["AWS_ACCOUNT_ID"] == "000000000001")
            #expect(environment["AWS_CA_BUNDLE"] == "/ca")
            #expect(environment["ACCESS_TOKEN"] == nil)
        }
    }

    /// The profile is not the command's, but its region is.
    @Test(
        arguments: [
            (["AWS_PROFILE": "work"], "eu-north-1"), ([:], "eu-west-1"), (["AWS_PROFILE": "work", "AWS_REGION": "us-east-1"], "us-east-1"),
            (["AWS_PROFILE": "missing"], nil),
        ] as [([String: String], String?)])
    func execKeepsTheRegionOfTheProfile(variables: [String: String], region: String?) async throws {
        try await Self.signedIn { _, world in
            try world.write("[default]\nregion = eu-west-1\n[profile work]\nregion = eu-north-1\n", to: ".aws/config")
            let result = await world.run(
                ["exec", "aws", "--aws", "production/ReadOnlyAccess", "--", "forbidden"], with: variables)
            let environment = try #require(result.replacement?.environment, "\(result.errors)")
            #expect(environment["AWS_REGION"] == region && environment["AWS_DEFAULT_REGION"] == region, "\(environment)")
        }
    }

    /// AWS libraries look into their files before they ask the address.
    @Test func refreshingCommandFindsNoOtherCredentials() throws {
        let world = try CommandWorld()
        let folder = world.home + "/.aws"
        try PrivateFile.makeDirectory(folder)
        try PrivateFile.replace(folder + "/credentials", with: Array("[default]\naws_access_key_id = AKIAOTHER\n".utf8))
        try PrivateFile.replace(
            folder + "/config",
            with: Array("[default]\nregion = eu-west-1\ncredential_process = other\n[profile work]\nregion=eu-north-1\n".utf8))
        let address = try #require(WebURL("http://127.0.0.1:9/credentials"))
        let given = ["AWS_ACCESS_KEY_ID": "old", "AWS_CREDENTIAL_FILE": "/x", "AWS_PROFILE": "work", "HOME": world.home]
        let work = RoleCredentials.environment(asking: address, with: Secret("t1"), in: given)
        for name in ["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE", "BOTO_CONFIG"] { #expect(work[name] == "/dev/null", "\(name)") }
        for name in ["AWS_ACCESS_KEY_ID", "AWS_CREDENTIAL_FILE", "AWS_PROFILE"] { #expect(work[name] == nil, "\(name)") }
        #expect(work["AWS_CONTAINER_CREDENTIALS_FULL_URI"] == address.text && work["AWS_CONTAINER_AUTHORIZATION_TOKEN"] == "t1")
        #expect(work["AWS_REGION"] == "eu-north-1" && work["AWS_DEFAULT_REGION"] == "eu-north-1")
        let plain = RoleCredentials.environment(asking: address, with: Secret("t1"), in: ["HOME": world.home])
        #expect(plain["AWS_REGION"] == "eu-west-1")
        let named = RoleCredentials.environment(
            asking: address, with: Secret("t1"), in: ["HOME": world.home, "AWS_DEFAULT_REGION": "us-east-1"])
        #expect(named["AWS_REGION"] == "us-east-1")
    }

    @Test func policyDenyGivesNoCredentials() async throws {
        try await Self.signedIn(more: "policy = \"deny\"") { server, world in
            #expect(await world.run("helper", "aws", "aws", "--account", "000000000001", "--role", "ReadOnlyAccess").status == 5)
            #expect(server.calls(of: Self.credentials).isEmpty)
            #expect(await world.run("helper", "aws", "aws", "--role").status == 5)
            #expect(server.calls(of: "/assignment/accounts").isEmpty)
        }
    }

    /// The names of accounts and roles are issued as tokens are.
    @Test func policyAskAsksBeforeRolesAreListed() async throws {
        try await Self.signedIn(more: "policy = \"ask\"") { server, world in
            let list = ["helper", "aws", "aws", "--role"]
            let silent = await world.run(list)
            #expect(silent.status == 5 && silent.output == "" && silent.errors.contains("needs your consent"), "\(silent)")
            let refused = await world.run(list, user: .init(hasTerminal: true, lines: ["n"]))
            #expect(refused.status == 5 && refused.output == "")
            #expect(server.calls(of: "/assignment/accounts").isEmpty)
            let listed = await world.run(list, user: .init(hasTerminal: true, lines: ["y"]))
            #expect(listed.status == 0 && listed.output.contains("production"), "\(listed.errors)")
            #expect(listed.errors.contains("asks for the list of roles of aws"), "\(listed.errors)")
            let kinds = try await world.run("activity", "--json").json["activity"]?.array?.prefix(2).compactMap { $0["kind"]?.string }
            #expect(kinds == ["handed_out", "consented_by_caller"])
            let credentials = await world.run(
                "exec", "aws", "--aws", "000000000001/ReadOnlyAccess", "--", "env", user: .init(hasTerminal: true, lines: ["n"]))
            #expect(credentials.errors.contains("asks for credentials of only the role 000000000001/ReadOnlyAccess of aws"))
            #expect(credentials.status == 5 && server.calls(of: Self.credentials).isEmpty)
        }
    }

    @Test(arguments: [
        ["--account", "production"], ["--role", "Admin"], ["--json"], ["--json", "--role-arn", "arn:aws:iam::1:role/x"],
        ["--account", "a", "--role", "b", "--role-arn", "arn:aws:iam::1:role/x"],
    ])
    func senselessCombinationsAreUsageErrors(options: [String]) async throws {
        #expect(try await CommandWorld().run(["helper", "aws", "aws"] + options).status == 64)
    }
}
