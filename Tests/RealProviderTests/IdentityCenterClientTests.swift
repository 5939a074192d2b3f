import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// AWS IAM Identity Center with the programs of AWS: botocore and aws, at the emulator of the sandbox.
@Suite(
    .startsPrograms, .serialized, .timeLimit(.minutes(15)), .enabled(if: IdentityCenterHome.isInstalled, IdentityCenterHome.absence))
struct IdentityCenterClientTests {
    /// botocore reads the answers by the service models of AWS, so the emulator speaks as AWS does.
    @Test func emulatorSpeaksWithBotocore() async throws {
        let world = try await IdentityCenterHome(isSignedIn: false)
        let found = try #require(try await world.botocore("wire", world.vendor.origin).first)
        #expect(found["renewed"] == true && found["token_type"] == "Bearer" && found["key"] == "ASIA" && found["complete"] == true)
        #expect(
            found["accounts"] == [
                ["000000000001", "production"], ["000000000002", "staging"], ["000000000003", "development"],
            ])
        #expect(found["roles"] == ["AdministratorAccess", "ReadOnlyAccess"])
        let errors = try #require(found["errors"]?.members)
        let expected: [String: (String, Int64)] = [
            "pending": ("AuthorizationPendingException", 400), "slow": ("SlowDownException", 400),
            "client": ("InvalidClientException", 401), "device": ("InvalidGrantException", 400),
            "refresh": ("InvalidGrantException", 400), "grant": ("UnsupportedGrantTypeException", 400),
            "token": ("UnauthorizedException", 401), "signed_out": ("UnauthorizedException", 401),
            "role": ("ForbiddenException", 403), "account": ("ResourceNotFoundException", 404), "page": ("InvalidRequestException", 400),
            "throttle": ("TooManyRequestsException", 429),
        ]
        #expect(Set(errors.map(\.name)) == Set(expected.keys))
        for error in errors {
            let (name, status) = try #require(expected[error.name])
            // The service model does not have this one, although AWS sends it.
            let type = name == "ForbiddenException" ? "ClientError" : name
            #expect(error.value == [.string(type), .string(name), .number(status)], "\(error.name)")
        }
    }

    @Test func everyDoorLeadsToTheSameCredentials() async throws {
        let world = try await IdentityCenterHome()
        let own = "[profile own]\nregion = eu-west-1\n"
        try world.home.write(own, to: ".aws/config")
        let setup = try await world.yett("setup", "aws", "--all", "aws", "--yes")
        try #require(setup.status == 0, "\(setup)")
        // credential_process. The setup has checked the first profile, with the only request.
        let key = try await world.acceptedKey(
            try await world.aws("configure", "export-credentials", "--profile", "development.AdministratorAccess"))
        #expect(try await world.count(IdentityCenterHome.credentials) == 1)
        // The environment, and the container endpoint.
        let role = "development/AdministratorAccess"
        let aws = try #require(IdentityCenterHome.awsProgram)
        for options in [[], ["--refreshing"]] {
            let words = ["exec", "aws", "--aws", role] + options + ["--", aws, "configure", "export-credentials"]
            let result = try await world.home.program("yett", words, with: world.variables).run()
            #expect(try await world.acceptedKey(result) == key)
        }
        // The console
        let console = try await world.yett("console", "aws", role)
        #expect(console.status == 0, "\(console)")
        try await eventually("the console was not opened") {
            try await world.vendor.requests(at: "/federation").contains { $0.parameter("Action") == "login" }
        }
        #expect(try await world.count(IdentityCenterHome.credentials) == 1)
        let removed = try await world.yett("setup", "aws", "--all", "--remove", "--yes")
        #expect(removed.status == 0 && world.home.read(".aws/config") == Array(own.utf8), "\(removed)")
        #expect(try await world.yett("agent", "stop").status == 0)
    }

    /// Everything has expired, and no agent runs: the first of twenty callers starts it.
    @Test func twentyCallersCauseOneRenewalAndOneRequestForEachRole() async throws {
        let world = try await IdentityCenterHome(["role_lifetime=302"])
        try #require(try await world.yett("setup", "aws", "--all", "aws", "--yes").status == 0)
        let profiles = ["production.AdministratorAccess", "staging.ReadOnlyAccess"]
        for profile in profiles { _ = try await world.botocore("together", "1", profile) }
        // The last token ends in two seconds, and nothing uses it.
        try await world.vendor.turn("{\"access_lifetime\": 2}")
        #expect(try await world.yett("renew", "aws").status == 0)
        #expect(try await world.yett("agent", "stop").status == 0)
        let start = ContinuousClock.now
        try await eventually("two seconds do not pass") { ContinuousClock.now > start + .milliseconds(2100) }
        try await world.vendor.turn("{\"access_lifetime\": 3600, \"role_lifetime\": 3600}")
        let (renewals, requests) = (try await world.renewals(), try await world.count(IdentityCenterHome.credentials))

        let found = try #require(try await world.botocore("together", "20", profiles[0], profiles[1]).first)
        #expect(found["callers"] == 20)
        for profile in profiles { #expect(found["keys"]?[profile]?.array?.count == 1, "\(found)") }
        #expect(try await world.renewals() == renewals + 1)
        #expect(try await world.count(IdentityCenterHome.credentials) == requests + 2)
        #expect(world.pages == 1)
        #expect(try await world.yett("agent", "stop").status == 0)
    }

    /// The session was ended elsewhere: the callers wait for one page, which signs them all in.
    @Test func twentyCallersOpenOnePageAfterTheEndOfTheSession() async throws {
        let world = try await IdentityCenterHome()
        try #require(try await world.yett("setup", "aws", "--all", "aws", "--yes").status == 0)
        let token = try await world.yett("token", "aws")
        try #require(token.status == 0, "\(token)")
        _ = try await world.botocore("end", world.vendor.origin, input: token.output)
        let (pages, requests) = (world.pages, try await world.count(IdentityCenterHome.credentials))
        let profiles = ["production.AdministratorAccess", "staging.ReadOnlyAccess"]
        let found = try #require(try await world.botocore("together", "20", profiles[0], profiles[1]).first)
        for profile in profiles { #expect(found["keys"]?[profile]?.array?.count == 1, "\(found)") }
        #expect(world.pages == pages + 1)
        // Each role was asked for with the token that had ended, at most once for each caller that came before the sign-in.
        #expect(try await world.count(IdentityCenterHome.credentials) >= requests + profiles.count)
        #expect(try await world.yett("agent", "stop").status == 0)
    }

    /// A job that outlives several credentials, and the agent.
    @Test func longJobGoesOnWhenTheAgentIsKilled() async throws {
        // Credentials are given for two seconds each.
        let world = try await IdentityCenterHome(["role_lifetime=302"])
        let job = try world.starting(
            "exec", "aws", "--aws", "production/ReadOnlyAccess", "--refreshing", "--", ToolServer.botocore, IdentityCenterHome.script,
            "job", "4")
        _ = try await job.until { $0.output.split(separator: "\n").count >= 2 }
        let killed = try await world.agent()
        #expect(kill(killed, SIGKILL) == 0)
        let result = await job.finish()
        let seen = try result.output.split(separator: "\n").map { try JSONValue(strict: String($0)) }
        #expect(result.status == 0 && seen.count == 4 && seen.allSatisfy { $0["method"] == "container-role" }, "\(result)")
        #expect(try await world.agent() != killed)
        #expect(world.pages == 1)
        #expect(try await world.yett("agent", "stop").status == 0)
    }
}
