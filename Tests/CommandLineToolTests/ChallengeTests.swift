import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// `--challenge` of `yett request` means the same for every obstacle: no session, an expired session, and a token that the resource
/// refuses.
struct ChallengeTests {
    private func running(
        _ sandbox: SandboxConfiguration = SignInTests.honest, signsIn: Bool = true,
        _ body: (SandboxServer, CommandWorld) async throws -> Void
    ) async throws {
        try await withEmptyHome(sandbox) { server, world in
            try world.configure(issuer: server.issuer, more: "api_hosts = [\"127.0.0.1:\(server.port)\"]\n")
            if signsIn { try await world.signIn("sandbox") }
            server.clearRequests()
            try await body(server, world)
        }
    }

    private func calls(of path: String, at server: SandboxServer) -> [LoggedRequest] { server.requests.filter { $0.path == path } }

    @Test func promptSignsInWithoutASession() async throws {
        try await running(signsIn: false) { (server, world) async throws in
            await world.run("request", "sandbox", "--challenge", "prompt", server.issuer + "/api/hello", exits: 0)
            #expect(calls(of: "/authorize", at: server).count == 1)
            #expect(calls(of: "/api/hello", at: server).map { $0.header("Authorization") != nil } == [true])
            #expect(try await world.sessions().count == 1)
        }
    }

    @Test func anonymousSendsNoTokenWithoutASession() async throws {
        try await running(signsIn: false) { (server, world) async throws in
            let result = await world.run("request", "sandbox", "--json", "--challenge", "anonymous", server.issuer + "/api/hello")
            // The resource requires a token, and says so.
            #expect(result.status == 5, "\(result.errors)")
            #expect(result.errors.contains("sent without a token"))
            #expect(try result.json["anonymous"] == true)
            #expect(calls(of: "/api/hello", at: server).map { $0.header("Authorization") } == [nil])
            #expect(calls(of: "/authorize", at: server).isEmpty)
        }
    }

    @Test func failSendsNothingWithoutASession() async throws {
        try await running(signsIn: false) { server, world in
            for options in [["--challenge", "fail"], []] {
                await world.run(["request", "sandbox"] + options + [server.issuer + "/api/hello"], exits: 9)
            }
            #expect(server.requests.isEmpty)
        }
    }

    /// A provider whose refresh tokens have expired.
    @Test(arguments: [("prompt", Int32(0)), ("anonymous", 5), ("fail", 6)])
    func expiredSessionIsAChallenge(challenge: String, status: Int32) async throws {
        try await running(SignInTests.honest.with { $0.lifetimes.accessToken = .seconds(90) }) { server, world in
            await server.set(try FaultSet(names: ["refresh-invalid-grant"]))
            await server.advance(by: .seconds(100))
            world.time.advance(by: .seconds(100))
            let result = await world.run("request", "sandbox", "--challenge", challenge, server.issuer + "/api/hello")
            #expect(result.status == status, "\(result.errors)")
            #expect(calls(of: "/authorize", at: server).count == (challenge == "prompt" ? 1 : 0))
            #expect(
                calls(of: "/api/hello", at: server).map { $0.header("Authorization") != nil }
                    == (challenge == "fail" ? [] : [challenge == "prompt"]))
        }
    }

    /// The resource trusts an authorization server that cannot be reached, so every token is invalid there.
    @Test(arguments: [("prompt", 3, 1), ("anonymous", 3, 0), ("fail", 2, 0)])
    func renewedTokenThatIsRefusedIsAChallenge(challenge: String, sent: Int, signIns: Int) async throws {
        let provider = SignInTests.honest.with { $0.resources.authorizationServers = ["http://127.0.0.1:9"] }
        try await running(provider) { server, world in
            let result = await world.run("request", "sandbox", "--challenge", challenge, server.issuer + "/api/hello", exits: 5)
            #expect(calls(of: "/api/hello", at: server).count == sent)
            #expect(calls(of: "/authorize", at: server).count == signIns)
            guard challenge != "anonymous" else { return }
            // The session can be renewed, so it counts as signed in.
            #expect(result.errors.contains("yett: hint: sign in again with: yett login sandbox/ada --force\n"))
            #expect(await world.run("login", "sandbox/ada").status == 10)
            #expect(await world.run("login", "sandbox/ada", "--force").status == 0)
        }
    }

    /// A session that cannot be renewed needs a sign-in once a resource rejected its token, and the command of the hint does it.
    @Test func rejectedTokenOfASessionWithoutRenewalNeedsASignIn() async throws {
        var provider = SignInTests.honest
        provider.refreshTokens = .never
        provider.resources.authorizationServers = ["http://127.0.0.1:9"]
        try await running(provider) { server, world in
            let warnings = try await world.sessions().first?["warnings"]
            let result = await world.run("request", "sandbox", server.issuer + "/api/hello", exits: 6)
            #expect(result.errors.contains("yett: hint: sign in again with: yett login sandbox/ada\n"))
            #expect(calls(of: "/api/hello", at: server).count == 1)
            #expect(try await world.sessions().map { $0["state"]?.string } == ["needs_sign_in"])
            #expect(await world.run("token", "sandbox").status == 6)
            #expect(await world.run("login", "sandbox/ada").status == 0)
            #expect(calls(of: "/authorize", at: server).count == 1)
            let sessions = try await world.sessions()
            #expect(sessions.map { $0["state"]?.string } == ["signed_in"])
            #expect(sessions.first?["warnings"] == warnings)
        }
    }
}
