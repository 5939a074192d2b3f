import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Renewing and signing out, tested by the command: what is sent, in which order, and which responses are accepted.
struct RenewalCommandTests {
    private func forms(_ server: SandboxServer, grant: String) -> [LoggedRequest] {
        server.requests.filter { $0.field("grant_type") == grant }
    }

    @Test func newRefreshTokenIsUsedNextTime() async throws {
        try await withSession(SignInTests.honest) { server, world in
            let first = await world.run("token", "sandbox").output
            for _ in 0..<3 { #expect(await world.run("renew").status == 0) }
            let sent = forms(server, grant: "refresh_token").compactMap { $0.field("refresh_token") }
            #expect(sent.count == 3 && Set(sent).count == 3)
            #expect(await world.run("token", "sandbox").output != first)
        }
    }

    @Test func missingRefreshTokenKeepsTheOldOne() async throws {
        try await withSession(SignInTests.honest) { server, world in
            await server.set(try FaultSet(names: ["refresh-refresh-token-missing"]))
            for _ in 0..<2 { #expect(await world.run("renew").status == 0) }
            let sent = forms(server, grant: "refresh_token").compactMap { $0.field("refresh_token") }
            #expect(sent.count == 2 && Set(sent).count == 1)
        }
    }

    @Test(arguments: [IDTokenFault.issuerWrong, .subjectOther, .audienceWrong, .signatureWrong, .algorithmNone])
    func invalidRenewedIDTokenFailsTheRenewal(fault: IDTokenFault) async throws {
        try await withSession(SignInTests.honest) { server, world in
            let token = await world.run("token", "sandbox").output
            await server.set([.refreshedIDToken(fault)])
            server.clearRequests()
            #expect(await world.run("renew").status == 8)
            // The new tokens are not used, and the refresh token is not sent again.
            #expect(!server.requests.contains { $0.path == "/userinfo" })
            let after = await world.run("token", "sandbox")
            #expect(after.status == 6 || after.output == token, "\(after.errors)")
            #expect(await world.run("renew").status != 0)
            #expect(forms(server, grant: "refresh_token").count == 1)
        }
    }

    /// Each command stands for its own process: what one renews, the others take from the store.
    @Test func concurrentCallersCauseOneRenewal() async throws {
        try await withSession(SignInTests.honest) { server, world in
            let first = await world.run("token", "sandbox").output
            // The token's remaining time is less than a caller requires.
            world.time.advance(by: .seconds(2950))
            await server.advance(by: .seconds(2950))
            let answers = await withTaskGroup(of: CommandResult.self) { group in
                for _ in 0..<8 { group.addTask { await world.run("token", "sandbox") } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.allSatisfy { $0.status == 0 }, "\(answers.map(\.errors))")
            #expect(Set(answers.map(\.output)).count == 1 && answers.first?.output != first)
            #expect(forms(server, grant: "refresh_token").count == 1)
        }
    }

    @Test func signOutRevokesTheRefreshTokenFirst() async throws {
        try await withSession(SignInTests.honest) { server, world in
            server.clearRequests()
            #expect(await world.run("logout").status == 0)
            let revoked = server.requests.filter { $0.path == "/revoke" }
            #expect(revoked.map { $0.field("token_type_hint") } == ["refresh_token", "access_token"])
            #expect(revoked.allSatisfy { $0.query.isEmpty && $0.field("token")?.isEmpty == false })
        }
    }

    @Test(arguments: ["exchange-issued-token-type-missing", "exchange-issued-token-type-other", "exchange-token-type-n-a"])
    func exchangedTokenOfAnotherTypeIsRefused(fault: String) async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            try world.configure(
                issuer: server.issuer,
                more: """
                    [providers.api]
                    kind = "exchange"
                    from = "sandbox"
                    issuer = "\(server.issuer)"
                    client_id = "yett"
                    audience = "api"
                    """)
            try await world.signIn("sandbox")
            await server.set(try FaultSet(names: [fault]))
            await world.run("login", "api", exits: 8)
            #expect(try await world.sessions().count == 1)
            await server.set(.none)
            #expect(await world.run("login", "api").status == 0)
        }
    }
}
