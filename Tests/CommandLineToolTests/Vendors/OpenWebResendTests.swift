import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Under which account a request that the gateway refused is sent again.
struct OpenWebResendTests {
    typealias OpenWeb = OpenWebCommandTests

    /// Ada is signed in, but neither her session nor a renewal of it is accepted; guests may write.
    private static func refusing(_ body: (OpenWeb.Server, CommandWorld) async throws -> Void) async throws {
        try await OpenWeb.signedIn { server, world in
            server.change {
                $0.forcesRegistration = false
                $0.publisherMode = .notImplemented
                $0.refusals403 = 1
            }
            try await body(server, world)
        }
    }

    @Test(arguments: [["--require", "signed-in"], []])
    func writeIsNotSentAgainAsAGuest(requirement: [String]) async throws {
        try await Self.refusing { (server, world) async throws in
            let comment = await world.run(["request", "ow", "-d", "n=1", server.origin + "/comment"] + requirement, exits: 6)
            #expect(comment.errors.contains("status 501"))
            #expect(comment.errors.contains("not sent again as a guest") == requirement.isEmpty, "\(comment.errors)")
            #expect(comment.output.isEmpty && server.calls(of: "/comment").count == 1)
            #expect(try await OpenWeb.states(world) == ["ow/ada guest"])
        }
    }

    @Test func readContinuesAsAGuest() async throws {
        try await Self.refusing { (server, world) async throws in
            let reading = await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read")
            #expect(reading.status == 0 && reading.errors.contains("continuing as a guest"), "\(reading.errors)")
            #expect(try reading.json["by"]?.string?.hasPrefix("guest-") == true)
        }
    }

    /// Another account of the site is signed in, and would be the next one.
    @Test func writeIsNotSentAgainAsAnotherAccount() async throws {
        try await OpenWeb.signedIn { server, world in
            await world.run(["login", "ow", "--account", "grace"], user: OpenWeb.grace, exits: 0)
            #expect(await world.run("switch", "ow", "ada").status == 0)
            server.change {
                $0.publisherMode = .notImplemented
                $0.refusals403 = 1
            }
            await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 6)
            #expect(server.calls(of: "/comment").count == 1)
        }
    }

    /// An account that signs in instead did not write it.
    @Test func writeIsNotSentAgainAsANewlySignedInUser() async throws {
        try await Self.refusing { server, world in
            // The publisher answers again once its sign-in is requested.
            let comment = await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment", "--challenge", "prompt"], user: OpenWeb.grace,
                told: { line in if line.contains("the resource requires a sign-in") { server.change { $0.publisherMode = .normal } } })
            #expect(comment.status == 6, "\(comment.errors)")
            #expect(comment.errors.contains("the request as ow/ada was refused, and is not sent again as ow/grace"), "\(comment.errors)")
            #expect(server.calls(of: "/comment").count == 1)
        }
    }

    @Test func writeIsSentAgainAsTheSameUser() async throws {
        try await Self.refusing { (server, world) async throws in
            let comment = await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment", "--challenge", "prompt"], user: OpenWeb.ada,
                told: { line in if line.contains("the resource requires a sign-in") { server.change { $0.publisherMode = .normal } } })
            #expect(comment.status == 0, "\(comment.errors)")
            #expect(try comment.json["by"] == "u_ada")
            #expect(server.calls(of: "/comment").count == 2)
        }
    }
}
