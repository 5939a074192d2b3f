import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// The effect of `yett login --force` on the session that it first ends at the gateway.
struct OpenWebForcedSignInTests {
    typealias OpenWeb = OpenWebCommandTests

    private static func forced(_ world: CommandWorld, as user: CommandWorld.User = OpenWeb.ada) async -> Int32 {
        await world.run(["login", "ow", "--force"], user: user).status
    }

    @Test(arguments: [OpenWebSettings.Registration.requestID, .refused, .json])
    func failedSignInLeavesAGuest(registration: OpenWebSettings.Registration) async throws {
        try await OpenWeb.signedIn { server, world in
            server.change {
                $0.registration = registration
                $0.completes = registration != .json
            }
            #expect(await Self.forced(world) != 0)
            #expect(server.calls(of: "/user/logout").count == 1)
            #expect(try await OpenWeb.states(world) == ["ow/ada guest"])
            // It is a guest at the gateway, too.
            let reading = try await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read").json
            #expect(reading["by"]?.string?.hasPrefix("guest-") == true)
        }
    }

    @Test func withoutAGuestSessionASignInIsNeeded() async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            server.changeCommon { $0.failNext = Array(repeating: "/user/login:500", count: 3) }
            #expect(await Self.forced(world) == 7)
            #expect(try await OpenWeb.states(world) == ["ow/ada needs_sign_in"])
            #expect(await world.run("token", "ow").status == 6)
            // Under load, the deadline may come before the last of them.
            server.changeCommon { $0.failNext = [] }
            #expect(await Self.forced(world) == 0)
            #expect(try await OpenWeb.states(world) == ["ow/ada signed_in"])
        }
    }

    /// A session whose end the gateway did not receive stays unchanged.
    @Test func sessionThatCouldNotBeEndedIsUnchanged() async throws {
        try await OpenWeb.signedIn { server, world in
            server.change { $0.completes = false }
            server.changeCommon { $0.failNext = Array(repeating: "/user/logout:500", count: 3) }
            #expect(await Self.forced(world) == 5)
            #expect(try await OpenWeb.states(world) == ["ow/ada signed_in"])
            let comment = try await world.run("request", "ow", "-X", "POST", server.origin + "/comment").json
            #expect(comment["by"] == "u_ada")
        }
    }

    @Test func anotherUserSignsTheOldAccountOut() async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            #expect(await Self.forced(world, as: OpenWeb.grace) == 0)
            #expect(try await OpenWeb.states(world) == ["ow/grace signed_in"])
            #expect(server.calls(of: "/user/logout").count == 1)
        }
    }

    /// The old account is signed out here, and the gateway is told once it answers again.
    @Test func unreachableGatewayIsToldLater() async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            let ada = await world.run("token", "ow").output.dropLast()
            server.changeCommon { $0.failNext = Array(repeating: "/user/logout:500", count: 3) }
            #expect(await Self.forced(world, as: OpenWeb.grace) == 0)
            #expect(try await OpenWeb.states(world) == ["ow/grace signed_in"])
            // A sign-out sends what is queued.
            _ = await world.run("logout", "ow")
            let told = server.calls(of: "/user/logout").filter { $0.header("Authorization") == String(ada) }
            #expect(told.count == 4)
        }
    }

    @Test func namedAccountKeepsItsLabel() async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            // Enter does not keep the other account.
            var user = OpenWeb.grace
            user.lines.append("")
            let other = await world.run(["login", "ow", "--account", "ada", "--force"], user: user, exits: 8)
            #expect(other.errors.contains("but you wanted ow/ada"))
            #expect(try await OpenWeb.states(world) == ["ow/ada needs_sign_in"])
        }
    }

    /// With another account's name, no other session ends.
    @Test func signingInAnotherAccountKeepsTheFirst() async throws {
        try await OpenWeb.signedIn { server, world in
            await world.run(["login", "ow", "--account", "grace", "--force"], user: OpenWeb.grace, exits: 0)
            #expect(server.calls(of: "/user/logout").isEmpty)
            let states = try await OpenWeb.states(world)
            #expect(states.sorted() == ["ow/ada signed_in", "ow/grace signed_in"])
        }
    }
}
