import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// The token rules hold in every flow: for a device, a pasted code and a renewal.
struct EveryFlowTests {
    typealias Row = MisbehaviourTests.Row

    /// The device flow sends no nonce, and a renewed token may lack it.
    private static let withoutNonce = MisbehaviourTests.idTokens.filter { !$0.fault.contains("nonce") }
    private static let single = withoutNonce.filter { $0.faults.count == 1 }
    /// Failures that a wrong clock or a truncated response may explain: trying again may help, and the session is kept.
    private static let mayPass: Set = [
        "id-token-exp-past", "id-token-iat-future", "id-token-nbf-future", "id-token-iat-week-old", "id-token-not-a-jwt",
    ]

    /// Only waiting advances the clock, so no poll waits in real time.
    @Test(arguments: withoutNonce + MisbehaviourTests.userInfo)
    func deviceFlowRefusesInvalidTokens(row: Row) async throws {
        let time = HastyTime(over: ManualTime())
        let sandbox = SandboxConfiguration(
            autoApproves: "ada", idTokenAlgorithm: .es256, time: time, faultSet: try FaultSet(names: row.faults))
        try await withSandbox(sandbox, more: "login_timeout = 3000") { (server, world) async throws in
            let result = await world.run(["login", "--flow", "device"], time: time)
            #expect(result.status == row.status, "\(result.errors)")
            #expect(result.errors.contains(row.says), "\(result.errors)")
            #expect(server.requests.count { $0.field("device_code") != nil } == 1, "what was given is not asked for again")
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test(arguments: MisbehaviourTests.idTokens)
    func pastedCodeRefusesInvalidTokens(row: Row) async throws {
        let sandbox = SandboxConfiguration(
            autoApproves: "ada", idTokenAlgorithm: .es256, faultSet: try FaultSet(names: row.faults))
        try await withSandbox(sandbox) { (server, world) async throws in
            let result = await world.signInByPaste()
            #expect(result.status == row.status, "\(result.errors)")
            #expect(result.errors.contains(row.says), "\(result.errors)")
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test(arguments: single)
    func renewalRefusesInvalidTokens(row: Row) async throws {
        let fault = try #require(IDTokenFault(rawValue: String(row.fault.dropFirst("id-token-".count))))
        try await withSession(SignInTests.honest) { server, world in
            await server.set([.refreshedIDToken(fault)])
            server.clearRequests()
            let result = await world.run("renew")
            #expect(result.status == (Self.mayPass.contains(row.fault) ? 7 : row.status), "\(result.errors)")
            #expect(result.errors.contains(row.says), "\(result.errors)")
            #expect(!server.requests.contains { $0.path == "/userinfo" }, "no token that came with it is used")
        }
    }
}
