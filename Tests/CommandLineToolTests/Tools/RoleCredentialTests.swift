import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Kept credentials of AWS roles, and the roles in claims.
struct RoleCredentialTests {
    private static let role = "arn:aws:iam::123456789012:role/dev"

    /// Signs in with a token service that may get the tokens.
    private func withService(
        ending lifetime: Duration? = nil,
        _ body: (CommandWorld, TokenServiceStandIn, ([String]) async -> CommandResult) async throws -> Void
    ) async throws {
        let expiration = lifetime.map { (CivilShiftedTime().now + $0).description }
        let service = try expiration.map { try TokenServiceStandIn(expiration: $0) } ?? TokenServiceStandIn()
        try await withSession(SignInTests.honest, more: "api_hosts = [\"127.0.0.1:\(service.port)\"]") { _, world in
            try await body(world, service) { options in
                let endpoint = ["--endpoint", "http://127.0.0.1:\(service.port)/"]
                return await world.run(["helper", "aws", "sandbox", "--role-arn", Self.role] + endpoint + options)
            }
        }
    }

    @Test func secondCallAsksNoService() async throws {
        try await withService { world, service, ask in
            let first = await ask([])
            #expect(first.status == 0, "\(first.errors)")
            let second = await ask([])
            #expect(second.status == 0 && second.output == first.output)
            #expect(service.requests.count == 1)
            #expect(world.files(containing: TokenServiceStandIn.secret) == [])
        }
    }

    @Test(arguments: [
        ["--role-arn", "arn:aws:iam::123456789012:role/other"], ["--duration", "900"], ["--role-session-name", "x1"], ["--access-token"],
    ])
    func otherRequestsHaveTheirOwnCredentials(options: [String]) async throws {
        try await withService { _, service, ask in
            _ = await ask([])
            let other = await ask(options)
            #expect(other.status == 0, "\(other.errors)")
            #expect(service.requests.count == 2)
        }
    }

    @Test func newOnesAreRequestedShortlyBeforeTheEnd() async throws {
        try await withService(ending: .seconds(200)) { world, service, ask in
            _ = await ask([])
            world.time.advance(by: .seconds(151))
            #expect(await ask([]).status == 0)
            #expect(service.requests.count == 2)
        }
    }

    @Test func newSignInRemovesThem() async throws {
        try await withService { world, service, ask in
            _ = await ask([])
            try await world.signIn("sandbox")
            _ = await ask([])
            #expect(service.requests.count == 2)
            #expect(await world.run("logout", "sandbox").status == 0)
            #expect(await ask([]).status == 9)
            try await world.signIn("sandbox")
            _ = await ask([])
            #expect(service.requests.count == 3)
        }
    }

    @Test func policyDenyHidesThem() async throws {
        try await withService { world, service, ask in
            _ = await ask([])
            try world.configure(try world.text(world.configurationPath) + "\npolicy = \"deny\"\n")
            #expect(await ask([]).status == 5)
            #expect(service.requests.count == 1)
        }
    }

    @Test(arguments: [("2026-10-24T01:00:00Z", "2026-10-24T00:45:00Z"), ("2026-10-24T00:15:00Z", "2026-10-24T00:11:15Z")])
    func limitIsShortlyBeforeTheEnd(end: String, limit: String) throws {
        let now = try #require(Timestamp("2026-10-24T00:00:00Z"))
        #expect(RoleService.usableUntil(["Expiration": .string(end)], now: now) == Timestamp(limit))
        #expect(RoleService.usableUntil(["Expiration": .string("2026-10-23T00:00:00Z")], now: now) == nil)
    }

    // MARK: Roles in claims

    @Test func rolesAreListedOncePreferredFirst() {
        let (first, second) = ("arn:aws:iam::123456789012:role/team/a", "arn:aws-us-gov:iam::123456789012:role/b")
        let identity = Identity(
            issuer: "i", subject: "s",
            idTokenClaims: [
                "roles": ["admin", .string(first)], "cognito:preferred_role": .string(second),
                "https://aws.amazon.com/roles": .string("\(first),arn:aws:iam::123456789012:saml-provider/p"),
            ], userInfo: ["groups": [.string(second), 3]])
        #expect(RoleClaims(identity).roles == [second, first])
    }

    @Test(arguments: [
        "arn:aws:iam::123456789012:user/a", "arn:aws:iam::1:role/a", "arn:aws:iam:eu:123456789012:role/a",
        "arn:gcp:iam::123456789012:role/a",
        "arn:aws:iam::123456789012:role/", "arn:aws:iam::123456789012:role/a b", "arn:aws:iam::123456789012:role/a\n", "admin", "",
        "arn:aws:iam::123456789012:role/a:b",
    ])
    func otherValuesAreNoRoles(text: String) {
        #expect(!RoleClaims.isRole(text))
    }

    @Test func missingRolesAreReported() async throws {
        try await withSession { _, world in
            let result = await world.run("helper", "aws", "sandbox", "--role", exits: 2)
            #expect(result.errors.contains("name no AWS role"))
            #expect(await world.run("helper", "aws", "sandbox", "--role", "--role-arn", Self.role).status == 64)
        }
    }
}
