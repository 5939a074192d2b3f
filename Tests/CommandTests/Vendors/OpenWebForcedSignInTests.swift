import AuthModel
import Sandbox
import Testing

@testable import YettCommand

/// What `yett login --force` leaves of the session that it ended at the gateway first, and what is done in whose name after a failed renewal.
struct OpenWebForcedSignInTests {
    typealias OpenWeb = OpenWebCommandTests

    private static func forced(_ world: CommandWorld, as person: CommandWorld.Person = OpenWeb.ada) async -> Int32 {
        await world.run(["login", "ow", "--force"], person: person).status
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
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada guest"])
            // It is a guest's at the gateway, too.
            let reading = try await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read").json
            #expect(reading["by"]?.string?.hasPrefix("guest-") == true)
        }
    }

    @Test func withoutAGuestOnlyASignInHelps() async throws {
        try await OpenWeb.signedIn { server, world in
            server.changeCommon { $0.failNext = Array(repeating: "/user/login:500", count: 3) }
            #expect(await Self.forced(world) == 7)
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada needs_sign_in"])
            #expect(await world.run("token", "ow").status == 6)
            #expect(await Self.forced(world) == 0)
            let after = try await OpenWeb.states(world)
            #expect(after == ["ow/ada signed_in"])
        }
    }

    /// What the gateway did not hear of is as it was.
    @Test func sessionThatCouldNotBeEndedStaysAsItWas() async throws {
        try await OpenWeb.signedIn { server, world in
            server.change { $0.completes = false }
            server.changeCommon { $0.failNext = Array(repeating: "/user/logout:500", count: 3) }
            #expect(await Self.forced(world) == 5)
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada signed_in"])
            let comment = try await world.run("request", "ow", "-X", "POST", server.origin + "/comment").json
            #expect(comment["by"] == "u_ada")
        }
    }

    @Test func somebodyElseSignedInLeavesTheOldUserSignedOut() async throws {
        try await OpenWeb.signedIn { server, world in
            server.change { $0.vouchesFor = "grace" }
            #expect(await Self.forced(world) == 0)
            let states = try await OpenWeb.states(world)
            #expect(states.sorted() == ["ow/ada needs_sign_in", "ow/grace signed_in"])
        }
    }

    /// With another account's name nobody else is ended.
    @Test func anotherAccountLeavesTheFirstAlone() async throws {
        try await OpenWeb.signedIn { server, world in
            let second = await world.run(["login", "ow", "--account", "grace", "--force"], person: OpenWeb.grace)
            #expect(second.status == 0, "\(second.errors)")
            #expect(server.calls(of: "/user/logout").isEmpty)
            let states = try await OpenWeb.states(world)
            #expect(states.sorted() == ["ow/ada signed_in", "ow/grace signed_in"])
        }
    }

    // MARK: In whose name

    private static func refusing(_ body: (VendorServer<OpenWebSettings>, CommandWorld) async throws -> Void) async throws {
        try await OpenWeb.signedIn { server, world in
            server.change {
                $0.forcesRegistration = false
                $0.publisherMode = .notImplemented
                $0.refusals403 = 1
            }
            try await body(server, world)
        }
    }

    @Test func whatIsWantedInSomebodysNameIsNotDoneByAGuest() async throws {
        try await Self.refusing { server, world in
            let comment = await world.run("request", "ow", "--require", "signed-in", "-d", "n=1", server.origin + "/comment")
            #expect(comment.status == 6, "\(comment.errors)")
            #expect(comment.output.isEmpty && server.calls(of: "/comment").count == 1)
        }
    }

    @Test func whatAnybodyMayDoGoesOnAsAGuest() async throws {
        try await Self.refusing { server, world in
            let comment = await world.run("request", "ow", "-d", "n=1", server.origin + "/comment")
            #expect(comment.status == 0 && comment.errors.contains("goes on as a guest"), "\(comment.errors)")
            let answer = try comment.json
            #expect(answer["by"]?.string?.hasPrefix("guest-") == true)
        }
    }
}
