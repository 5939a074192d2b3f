import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// The life of a MapsIndoors session, and where its token goes.
struct MapsIndoorsSessionTests {
    @Test func tokenIsSentToTheDataAndOutlivesTheProcess() async throws {
        try await withSolution { server, world in
            try await world.signIn("mi")
            let token = String(await world.run("token", "mi").output.dropLast())
            let result = await world.run("request", "mi", server.origin + "/data", exits: 0)
            #expect(try result.json["sub"] == "sandbox-ada")
            #expect(server.calls(of: "/data").first?.header("Authorization") == "Bearer \(token)")
            #expect(server.calls(of: "/connect/token").first?.header("Authorization") == nil)
            #expect(server.calls(of: "/connect/token").first?.field("client_id") == "mapsindoors-app")
        }
    }

    /// If the solution requires no sign-in, a request works without a session, a browser or a store.
    @Test(arguments: [false, true])
    func openSolutionNeedsNoSession(hasTerminal: Bool) async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.isAuthRequired = false }) { server, world in
            let result = await world.run(["request", "mi", server.origin + "/data"], user: .init(hasTerminal: hasTerminal))
            #expect(result.status == 0 && result.output.contains("Yett House"), "\(result.errors)")
            #expect(server.calls(of: "/data").map { $0.header("Authorization") } == [nil])
            #expect(world.openedAddresses.isEmpty && server.calls(of: "/connect/authorize").isEmpty)
        }
    }

    /// An expired session does not prevent the request.
    @Test func openSolutionIgnoresAnExpiredSession() async throws {
        try await withSolution { server, world in
            try await world.signIn("mi")
            world.time.advance(by: .seconds(86_401))
            await world.run("request", "mi", server.origin + "/data", exits: 6)
            server.change { $0.isAuthRequired = false }
            await world.run("request", "mi", server.origin + "/data", exits: 0)
            #expect(server.calls(of: "/data").map { $0.header("Authorization") } == [nil])
        }
    }

    @Test func failedSignInKeepsTheEarlierSession() async throws {
        try await withSolution { server, world in
            try await world.signIn("mi")
            let before = await world.run("token", "mi").output
            server.change { $0.authorizeError = "access_denied" }
            let denied = await world.run("login", "mi", exits: 5)
            #expect(denied.errors.contains("access_denied"))
            #expect(try await world.sessions().first?["state"] == "signed_in")
            #expect(await world.run("token", "mi").output == before)
        }
    }

    @Test(arguments: MapsIndoorsSettings.IDTokenFlaw.allCases.filter { $0 != .none })
    func invalidIDTokenIsRefused(flaw: MapsIndoorsSettings.IDTokenFlaw) async throws {
        try await withSolution(MapsIndoorsSettings.with { $0.idTokenFlaw = flaw }) { (_, world) async throws in
            await world.run("login", "mi", exits: 8)
            #expect(try await world.sessions().isEmpty)
        }
    }

    @Test func dataTokenIsNotForTheBookingService() async throws {
        try await withSolution { server, world in
            try await VendorServer.running(MapsIndoorsSettings(), common: VendorServerSettings(autoApproves: "ada")) { booking in
                let host = String(booking.origin.dropFirst("http://".count))
                try world.configure(
                    try world.text(world.configurationPath) + """

                        [providers.mi-booking]
                        kind = "mapsindoors"
                        issuer = "\(booking.origin)"
                        client_id = "booking-app"
                        scopes = ["openid", "profile", "booking"]
                        tenant_id = "tenant-7"
                        api_hosts = ["\(host)"]
                        """)
                try await world.signIn("mi")
                let refused = await world.run("request", "mi", booking.origin + "/booking", exits: 8)
                #expect(refused.errors.contains("mi-booking"))
                #expect(booking.requests.isEmpty)
                try await world.signIn("mi-booking")
                let result = await world.run("request", "mi-booking", booking.origin + "/booking", exits: 0)
                #expect(try result.json["tenant"] == "tenant-7")
                let token = String(await world.run("token", "mi-booking").output.dropLast())
                #expect(booking.calls(of: "/booking").first?.header("Authorization") == "Bearer \(token)")
            }
        }
    }

    @Test func refreshTokenIsUsedOnceAndReplaced() async throws {
        var settings = MapsIndoorsSettings()
        // Valid, but for less time than an issued token must be.
        settings.accessLifetime = .seconds(30)
        try await withSolution(settings, more: "extra_scopes = [\"offline_access\"]") { server, world in
            try await world.signIn("mi")
            server.change { $0.accessLifetime = .seconds(3600) }
            server.clearRequests()
            await world.run("token", "mi", exits: 0)
            #expect(server.calls(of: "/connect/token").map { $0.field("grant_type") } == ["refresh_token"])
            // The details are requested only for a sign-in.
            #expect(!server.requests.contains { $0.path.hasPrefix("/gateway") })
            #expect(await world.run("renew", "mi").status == 0)
            let presented = server.calls(of: "/connect/token").compactMap { $0.field("refresh_token") }
            #expect(presented.count == 2 && Set(presented).count == 2)
        }
    }

    @Test func sessionWithoutARefreshTokenExpires() async throws {
        try await withSolution { server, world in
            try await world.signIn("mi")
            world.time.advance(by: .seconds(86_401))
            server.advance(by: .seconds(86_401))
            server.clearRequests()
            let result = await world.run("token", "mi", exits: 6)
            #expect(result.errors.contains("expired") && result.errors.contains("sign in again"))
            #expect(server.requests.isEmpty)
            #expect(try await world.sessions().first?["state"] == "needs_sign_in")
        }
    }

    @Test func signOutRevokesBothTokens() async throws {
        try await withSolution(more: "extra_scopes = [\"offline_access\"]") { server, world in
            try await world.signIn("mi")
            await world.run("logout", "mi", exits: 0)
            #expect(server.calls(of: "/connect/revocation").map { $0.field("token_type_hint") } == ["refresh_token", "access_token"])
        }
    }
}
