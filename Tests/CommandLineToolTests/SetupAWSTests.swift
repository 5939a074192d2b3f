import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup aws` with the installed aws.
@Suite(.enabled(if: Product.installed("aws") != nil, "aws is not installed"))
struct SetupAWSTests {
    private static let role = "arn:aws:iam::123456789012:role/dev"
    private static let own = "[default]\nregion = eu-central-1\n\n# the office\n[profile office]\nregion = eu-west-1\n"

    @Test func awsGetsCredentialsAndRemovingRestoresEveryByte() async throws {
        let service = try TokenServiceStandIn()
        let endpoint = "http://127.0.0.1:\(service.port)/"
        try await withSetupWorld { _, world in
            try world.write(Self.own, to: ".aws/config")
            let configuration = try world.text(world.configurationPath)
            let result = await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--endpoint", endpoint, "--yes", exits: 0)
            let lines = result.output.split(separator: "\n")
            #expect(lines.first == "set up: aws gets tokens of sandbox for the profile dev")
            #expect(lines.last?.hasPrefix("checked: credential_process returned temporary credentials of \(Self.role), valid for ") == true)
            let process = "\(try Product.program("yett")) helper aws sandbox --role-arn \(Self.role) --endpoint \(endpoint)"
            #expect(
                result.errors == """
                    Let aws get tokens of sandbox for the profile dev:
                      \(world.home)/.aws/config
                        $ aws configure set credential_process '\(process)' --profile dev
                        + [profile dev]
                        + credential_process = \(process)
                      \(world.configurationPath), [providers.sandbox]
                        + api_hosts = ["127.0.0.1:\(service.port)"]
                    yett: hint: use it with: aws --profile dev, or set AWS_PROFILE

                    """)
            #expect(try world.content(".aws/config") == Self.own + "[profile dev]\ncredential_process = \(process)\n")
            #expect(service.requests.last?.contains("RoleArn=arn%3Aaws%3Aiam%3A%3A123456789012%3Arole%2Fdev") == true)
            #expect(!(result.output + result.errors).contains(TokenServiceStandIn.secret))
            #expect(try world.tool("aws", "configure", "list", "--profile", "dev").contains("custom-process"))

            #expect(await world.setUp("--list").output == "TOOL  FOR  SESSION\naws   dev  sandbox\n")
            let again = await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--endpoint", endpoint, exits: 0)
            #expect(again.output.hasPrefix("already set up: aws gets tokens of sandbox for the profile dev; nothing was changed\n"))
            await world.setUp("aws", "dev", "--remove", "--yes", exits: 0)
            #expect(try world.content(".aws/config") == Self.own)
            #expect(try world.text(world.configurationPath) == configuration)
        }
    }

    @Test func profilesKeepTheirOtherSettings() async throws {
        let service = try TokenServiceStandIn()
        let endpoint = "http://127.0.0.1:\(service.port)/"
        try await withSetupWorld { _, world in
            for profile in ["default", "office"] {
                try world.write(Self.own, to: ".aws/config")
                await world.setUp("aws", profile, "sandbox", "--role", Self.role, "--endpoint", endpoint, "--yes", exits: 0)
                #expect(try world.content(".aws/config") != Self.own)
                await world.setUp("aws", profile, "--remove", "--yes", exits: 0)
                #expect(try world.content(".aws/config") == Self.own)
            }
            try world.tool("rm", world.home + "/.aws/config")
            await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--endpoint", endpoint, "--yes")
            #expect(world.has(".aws/config"))
            await world.setUp("aws", "dev", "--remove", "--yes")
            #expect(!world.has(".aws/config"))
            // An empty file of the user's own stays.
            try world.write("", to: ".aws/config")
            await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--endpoint", endpoint, "--yes")
            #expect(try #require(try world.content(".aws/config")).contains("[profile dev]"))
            await world.setUp("aws", "dev", "--remove", "--yes")
            #expect(try world.content(".aws/config") == "")
        }
    }

    /// A file with the line ends of Windows has its sections, and keeps its line ends.
    @Test func linesMayEndWithCarriageReturns() throws {
        let world = try CommandWorld()
        let path = world.home + "/config"
        try PrivateFile.replace(path, with: Array("[default]\r\nregion = eu-west-1\r\n[profile dev]\r\ncredential_process = x\r\n".utf8))
        var configuration = try AWSConfiguration(path: path)
        #expect(configuration.sections == ["default", "profile dev"])
        #expect(configuration.settings(of: "profile dev") == ["credential_process": "x"])
        configuration.remove("credential_process", from: "profile dev")
        #expect(configuration.edit?.after == "[default]\r\nregion = eu-west-1\r\n")
    }

    @Test(arguments: [
        ("config", "[profile dev]\ncredential_process = /opt/other secret-word\n", "already gets its credentials from '/opt/other …'"),
        ("config", "[profile dev]\nsso_session = office\n", "already has credentials: sso_session in "),
        ("config", "[profile dev]\nlogin_session = arn:aws:iam::1:user/x\n", "already has credentials: login_session in "),
        (
            "credentials", "[dev]\naws_access_key_id = A\naws_secret_access_key = secret-word\n",
            "already has credentials: aws_access_key_id in "
        ),
    ])
    func profileWithOtherCredentialsIsRefused(file: String, text: String, reason: String) async throws {
        try await withSetupWorld { _, world in
            try world.write(text, to: ".aws/" + file)
            let result = await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--yes", exits: 2)
            #expect(result.errors.hasPrefix("yett: error: the profile dev \(reason)"), "\(result.errors)")
            #expect(!result.errors.contains("secret-word"))
            #expect(try world.content(".aws/" + file) == text)
            #expect(await world.setUp("aws", "dev", "--remove", "--yes").output.hasPrefix("not set up: "))
        }
    }

    /// The claims of the sandbox's users name no role, so there is no default.
    @Test func roleIsRequiredIfTheClaimsNameNone() async throws {
        try await withSetupWorld { _, world in
            let result = await world.setUp("aws", "dev", "sandbox", "--yes", exits: 64)
            #expect(result.errors.hasPrefix("yett: error: no role given\nyett: hint: add: --role arn:"), "\(result.errors)")
            #expect(!world.has(".aws/config"))
        }
    }

    /// Runs `body` with a session whose claims name these roles.
    private func withRoles(_ roles: [String], _ body: (SandboxServer, CommandWorld) async throws -> Void) async throws {
        var sandbox = SignInTests.honest
        sandbox.users[0].claims = [.init("roles", .array((["admin"] + roles).map(JSONValue.string)))]
        try await withSetupWorld(sandbox, body)
    }

    @Test func onlyRoleInTheClaimsIsTheDefault() async throws {
        let service = try TokenServiceStandIn()
        let endpoint = "http://127.0.0.1:\(service.port)/"
        try await withRoles([Self.role]) { _, world in
            let result = await world.setUp("aws", "dev", "sandbox", "--endpoint", endpoint, "--yes", exits: 0)
            #expect(result.output.contains("returned temporary credentials of \(Self.role), valid for "))
            let profiles = try #require(try world.content(".aws/config"))
            #expect(profiles.contains(" --role-arn \(Self.role) "))
            #expect(await world.run("helper", "aws", "sandbox", "--role").output == Self.role + "\n")
            // Another role than that in the claims needs the option.
            await world.setUp("aws", "ops", "sandbox", "--role", Self.role + "2", "--endpoint", endpoint, "--yes", exits: 0)
            #expect(service.requests.last?.contains("role%2Fdev2") == true)
        }
    }

    @Test func oneOfSeveralRolesMustBeChosen() async throws {
        try await withRoles([Self.role, Self.role + "2"]) { _, world in
            let result = await world.setUp("aws", "dev", "sandbox", "--yes", exits: 64)
            #expect(
                result.errors == """
                    yett: error: the claims of sandbox/ada name 2 roles
                    yett: hint: choose one with --role; list them with: yett helper aws sandbox/ada --role

                    """)
            #expect(!world.has(".aws/config"))
            #expect(await world.run("helper", "aws", "sandbox/ada", "--role").output == "\(Self.role)\n\(Self.role)2\n")
        }
    }

    @Test func unreachableTokenServiceIsReportedAndTheSetupStays() async throws {
        try await withSetupWorld { server, world in
            // The sandbox is no token service.
            let endpoint = "http://127.0.0.1:\(server.port)/"
            let result = await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--endpoint", endpoint, "--yes", exits: 2)
            #expect(result.output == "set up: aws gets tokens of sandbox for the profile dev\n")
            #expect(result.errors.contains("yett: error: aws got no credentials for the profile dev: 127.0.0.1:\(server.port) "))
            #expect(await world.setUp("aws", "dev", "--remove", "--yes").status == 0)
        }
    }

    @Test func missingAWSIsReported() async throws {
        try await withSetupWorld { _, world in
            let folder = try world.folder(with: "yett")
            let result = await world.setUp("aws", "dev", "sandbox", "--role", Self.role, "--yes", with: ["PATH": folder], exits: 2)
            #expect(result.errors.hasPrefix("yett: error: aws is not in PATH\n"))
            #expect(!world.has(".aws/config"))
        }
    }
}
