import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// What a wrong response must not cause, besides being refused.
extension MisbehaviourTests {
    private static let es256 = SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: .es256)

    @Test(arguments: SandboxConfiguration.SigningAlgorithm.allCases)
    func signsInWithEachAlgorithm(algorithm: SandboxConfiguration.SigningAlgorithm) async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada", idTokenAlgorithm: algorithm)) { _, world in
            await world.run("login", "--json", exits: 0)
        }
    }

    @Test func rotatedKeysAreFetchedBetweenSignIns() async throws {
        try await withSession(Self.es256) { sandbox, world in
            try await sandbox.rotateKeys()
            try await world.signIn()
            #expect(sandbox.requests.filter { $0.path.contains("jwks") }.count == 2)
        }
    }

    @Test func signedUserInfoIsVerified() async throws {
        try await withSession(Self.es256.with { $0.userInfo = .jwt }) { sandbox, world in
            #expect(try await world.run("inspect", "--json").json.text.contains("Ada Lovelace"))
            await sandbox.set(try FaultSet(names: ["userinfo-sub-other"]))
            #expect(await world.run("login").status == 8)
        }
    }

    @Test(arguments: ["id-token-auth-time-missing", "id-token-auth-time-old"])
    func oldSignInIsRefusedIfARecentOneWasRequested(fault: String) async throws {
        try await withSandbox(Self.es256) { sandbox, world in
            try await world.signIn("--max-age", "60")
            await sandbox.set(try FaultSet(names: [fault]))
            let result = await world.run("login", "--max-age", "60", exits: 8)
            #expect(result.errors.contains("yett: hint: "))
        }
    }

    @Test func issuerWithAPathSignsIn() async throws {
        try await withSandbox(SandboxConfiguration(autoApproves: "ada").with { $0.issuerPath = "/tenant/a" }) {
            (sandbox, world) async throws in
            let result = await world.run("login", "--json", exits: 0)
            #expect(sandbox.requests.first?.path == "/tenant/a/.well-known/openid-configuration")
            #expect(try result.json["sessions"]?.array?.first?["issuer"]?.string == sandbox.issuer)
        }
    }

    /// Redirects, keys and claims that point to another origin: the program sends no request there, with or without a credential.
    @Test(arguments: [
        "discovery-redirect-302", "discovery-redirect-307", "keys-redirect-302", "token-redirect-302", "token-redirect-307",
        "userinfo-redirect-302", "userinfo-redirect-307", "id-token-header-jku", "id-token-header-x5u", "userinfo-distributed-claims",
        "userinfo-aggregated-claims", "discovery-mtls-aliases",
    ])
    func requestsNeverFollowAResponseToAnotherOrigin(fault: String) async throws {
        try await withSandbox(Self.es256) { sandbox, world in
            await sandbox.set(try FaultSet(names: [fault]))
            await world.run("login")
            #expect(!sandbox.requests.isEmpty)
            #expect(sandbox.requests.filter { $0.path.hasPrefix("/elsewhere") }.isEmpty)
        }
    }

    @Test(arguments: ["userinfo-distributed-claims", "userinfo-aggregated-claims"])
    func claimsOfOtherSourcesAreNeitherFetchedNorUsed(fault: String) async throws {
        try await withSession(Self.es256) { sandbox, world in
            let honest = try #require(try await world.sessions().first)
            await sandbox.set(try FaultSet(names: [fault]))
            try await world.signIn()
            let session = try #require(try await world.sessions().first)
            for member in ["session", "account", "issuer", "subject", "scopes", "warnings"] { #expect(session[member] == honest[member]) }
            #expect(sandbox.requests.filter { $0.path.hasPrefix("/elsewhere") }.isEmpty)
        }
    }

    @Test(arguments: [
        "callback-state-wrong", "callback-state-missing", "callback-state-doubled", "callback-iss-wrong", "callback-iss-missing",
        "callback-iss-doubled", "callback-error-without-state", "callback-jarm", "callback-id-token", "callback-post",
    ])
    func refusedAnswersCauseNoTokenRequest(fault: String) async throws {
        try await withSandbox(Self.es256) { sandbox, world in
            await sandbox.set(try FaultSet(names: [fault]))
            let result = await world.run(["login", "--timeout", "2"], untilDeadlineAfter: .seconds(2)) { await world.visit($0) }
            #expect([4, 8].contains(result.status), "\(result.errors)")
            #expect(sandbox.requests.contains { $0.path == "/authorize" })
            #expect(!sandbox.requests.contains { ["/token", "/userinfo"].contains($0.path) })
        }
    }

    /// The response to a renewal is lost, as if the program was killed before it could store it. The provider then treats the old refresh
    /// token as stolen. The renewal ends with one clear error, and the spent token is sent at most once more.
    @Test func renewalWithALostResponseEndsWithoutALoop() async throws {
        try await withSession(Self.es256) { sandbox, world in
            await sandbox.set(try FaultSet(names: ["refresh-answer-lost"]))
            sandbox.clearRequests()
            // No byte of a response arrived, so the command itself tries once more, after a pause.
            #expect(await world.run(["renew"], time: HastyTime(over: world.time)).status == 6)
            await sandbox.set(.none)
            #expect(await world.run("renew").status == 6)
            for _ in 0..<3 { #expect(await world.run("token", "sandbox").status == 6) }
            #expect(await world.run("renew").status == 6)
            #expect(sandbox.requests.filter { $0.path == "/token" }.count == 2)
            #expect(try await world.sessions().first?["state"] == "needs_sign_in")
        }
    }
}
