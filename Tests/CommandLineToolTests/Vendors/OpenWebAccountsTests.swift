import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Several users of one site, and their relation to the publisher's session.
struct OpenWebAccountsTests {
    @Test func requestsUseTheTokenOfTheDefaultUser() async throws {
        try await OpenWebCommandTests.signedIn { server, world in
            let second = await world.run(["login", "ow", "--account", "grace"], user: OpenWebCommandTests.grace)
            #expect(second.status == 0, "\(second.errors)")
            let url = server.origin + "/comment"
            #expect(await world.run("request", "ow", "-X", "POST", url).status == 64)
            for (account, user) in [("ada", "u_ada"), ("grace", "u_grace"), ("u_ada", "u_ada")] {
                let switched = await world.run("switch", "ow", account)
                #expect(switched.status == 0, "\(switched.errors)")
                let answer = try await world.run("request", "ow", "-X", "POST", url).json
                #expect(answer["by"]?.string == user)
            }
            let untouched = await world.run("token", "ow/grace").output
            server.change { $0.refusals403 = 1 }
            let renewed = try await world.run("request", "ow", "-X", "POST", url).json
            #expect(renewed["by"] == "u_ada")
            #expect(await world.run("token", "ow/grace").output == untouched)
        }
    }

    @Test(arguments: [
        (["logout", "ow"], ["ow/guest guest", "work/sandbox-ada signed_in"]), (["logout", "ow", "--with-publisher"], ["ow/guest guest"]),
    ])
    func publisherSessionEndsOnRequest(arguments: [String], left: [String]) async throws {
        try await OpenWebCommandTests.signedInThroughThePublisher { _, server, world in
            let result = await world.run(arguments)
            #expect(result.status == 0, "\(result.errors)")
            let states = try await OpenWebCommandTests.states(world)
            #expect(states == left)
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
            let comment = await world.run("request", "ow", "-X", "POST", server.origin + "/comment")
            #expect(comment.status == 0, "\(comment.errors)")
            #expect(server.calls(of: "/api/spotim-sso").last?.header("Authorization") == "Bearer \(ada)")
            // The publisher's default account stays signed in when the other one signs out.
            #expect(await world.run("logout", "ow", "--with-publisher").status == 0)
            let states = try await OpenWebCommandTests.states(world)
            #expect(states == ["ow/guest guest", "work/sandbox-grace signed_in"])
        }
    }
}
