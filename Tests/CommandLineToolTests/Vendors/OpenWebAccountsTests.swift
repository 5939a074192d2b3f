import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Several users of one site, and their relation to the publisher's session.
struct OpenWebAccountsTests {
    @Test func requestsUseTheTokenOfTheDefaultUser() async throws {
        try await OpenWebCommandTests.signedIn { (server, world) async throws in
            await world.run(["login", "ow", "--account", "grace"], user: OpenWebCommandTests.grace, exits: 0)
            let url = server.origin + "/comment"
            #expect(await world.run("request", "ow", "-X", "POST", url).status == 64)
            for (account, user) in [("ada", "u_ada"), ("grace", "u_grace"), ("u_ada", "u_ada")] {
                await world.run("switch", "ow", account, exits: 0)
                #expect(try await world.run("request", "ow", "-X", "POST", url).json["by"]?.string == user)
            }
            let untouched = await world.run("token", "ow/grace").output
            server.change { $0.refusals403 = 1 }
            #expect(try await world.run("request", "ow", "-X", "POST", url).json["by"] == "u_ada")
            #expect(await world.run("token", "ow/grace").output == untouched)
        }
    }

    @Test(arguments: [
        (["logout", "ow"], ["ow/guest guest", "work/sandbox-ada signed_in"]), (["logout", "ow", "--with-publisher"], ["ow/guest guest"]),
    ])
    func publisherSessionEndsOnRequest(arguments: [String], left: [String]) async throws {
        try await OpenWebCommandTests.signedInThroughThePublisher { (_, server, world) async throws in
            await world.run(arguments, exits: 0)
            #expect(try await OpenWebCommandTests.states(world) == left)
            #expect(server.calls(of: "/user/logout").count == 1)
        }
    }

    /// A silent renewal uses the publisher account of the sign-in, even if another account is the default there now.
    @Test func renewalKeepsThePublisherAccount() async throws {
        try await OpenWebCommandTests.signedInThroughThePublisher { publisher, server, world in
            let ada = await world.run("token", "work/sandbox-ada").output.dropLast()
            await publisher.autoApprove(as: "grace")
            try await world.signIn("work")
            #expect(await world.run("switch", "work", "sandbox-grace").status == 0)
            server.change { $0.refusals403 = 1 }
            await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            #expect(server.calls(of: "/api/spotim-sso").last?.header("Authorization") == "Bearer \(ada)")
            // The publisher's default account stays signed in when the other one signs out.
            #expect(await world.run("logout", "ow", "--with-publisher").status == 0)
            let states = try await OpenWebCommandTests.states(world)
            #expect(states == ["ow/guest guest", "work/sandbox-grace signed_in"])
        }
    }
}
