import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// OW-10 and OW-12: what the status shows of a session at OpenWeb.
struct OpenWebStatusTests {
    typealias OpenWeb = OpenWebCommandTests

    @Test(arguments: [(true, false), (false, true)])
    func actionsFollowTheSite(forcesRegistration: Bool, allowsGuestLikes: Bool) async throws {
        var settings = OpenWebSettings()
        settings.forcesRegistration = forcesRegistration
        settings.allowsGuestLikes = allowsGuestLikes
        try await OpenWeb.signedIn(settings) { server, world in
            let answer = try await world.run("status", "ow", "--json").json
            let actions = try #require(answer["sessions"]?.array?.first?["actions"])
            let writing: JSONValue = forcesRegistration ? "signed_in" : "anybody"
            for name in ["comment", "reply", "edit", "delete", "own profile"] { #expect(actions[name] == writing, "\(name)") }
            #expect(actions["vote"] == (allowsGuestLikes ? "anybody" : "signed_in"))
            #expect(actions["view"] == "anybody" && actions["share"] == "anybody")
            #expect(actions["mute"] == "signed_in" && actions["appeal"] == "signed_in")
            #expect(server.requests.isEmpty)
        }
    }

    /// The status warns if the user is signed in at only one of the two.
    @Test func publisherOutOfSyncIsReported() async throws {
        try await SandboxServer.running(.lasting) { publisher in
            try await OpenWeb.running(
                keys: "publisher = \"work\"\ncodeb_url = \"http://127.0.0.1:9/api/spotim-sso\"",
                more: "[providers.work]\nkind = \"oidc\"\nissuer = \"\(publisher.issuer)\"\nclient_id = \"yett\""
            ) { server, world in
                await world.run("request", "ow", "-X", "POST", server.origin + "/conversation/read", exits: 0)
                #expect(!(await world.run("status").output.contains("out of sync")))
                try await world.signIn("work")
                let told = await world.run("status").output
                #expect(told.contains("ow/guest: out of sync: signed in at the publisher work"))
                #expect(await world.run("logout", "work").status == 0)
                #expect(!(await world.run("status").output.contains("out of sync")))
            }
        }
    }

    @Test func waitEndsAtOnceIfNothingIsRenewed() async throws {
        try await OpenWeb.signedIn { (_, world) async throws in
            let result = await world.run("status", "ow", "--wait", "600", "--json")
            #expect(try result.json["sessions"]?.array?.first?["state"] == "signed_in")
            #expect(await world.run("status", "--wait", "-1").status == 64)
        }
    }
}
