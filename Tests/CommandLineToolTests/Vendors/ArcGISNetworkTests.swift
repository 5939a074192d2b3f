import AuthModel
import Sandbox
import OperatingSystem
import Testing

@testable import CommandLineTool

/// AG-12 and AG-4: a web server that authenticates before ArcGIS does, and continuing without a token.
struct ArcGISNetworkTests {
    typealias ArcGIS = ArcGISCommandTests

    private static func settings(_ webTier: ArcGISSettings.WebTier) -> ArcGISSettings {
        return ArcGISSettings.with { $0.webTier = webTier }
    }

    private static func scheme(_ request: LoggedRequest) -> String? {
        request.header("Authorization")?.split(separator: " ").first.map(String.init)
    }

    @Test(arguments: [(ArcGISSettings.WebTier.basic, "Basic"), (.digest, "Digest")])
    func webTierAsksOnceAndTheTokenIsSentBesideIt(webTier: ArcGISSettings.WebTier, scheme: String) async throws {
        try await ArcGIS.signedIn(Self.settings(webTier)) { server, world in
            let url = server.origin + ArcGIS.federated
            let result = await world.run(["request", "ag", url, url, "--challenge", "prompt"], user: ArcGIS.user, exits: 0)
            #expect(result.output.components(of: "\"user\":\"ada\"") == 2)
            #expect(result.errors.contains("User name for 127.0.0.1:"))
            #expect(!result.errors.contains("correct horse"))
            // Only the server got the password, and nothing of the portal did; the token went beside it to the server only.
            let shown = server.requests.filter { Self.scheme($0) == scheme }
            #expect(!shown.isEmpty && shown.allSatisfy { $0.path.hasPrefix("/server/") })
            let answered = ArcGIS.calls(server, ArcGIS.federated).filter { $0.header("X-Esri-Authorization") != nil }
            #expect(!answered.isEmpty && answered.contains { Self.scheme($0) == scheme })
            #expect(ArcGIS.calls(server, "/sharing/rest/generateToken").count == 1)
        }
    }

    /// Although the answer is public, the user's token is sent too: the server names its portal only to clients that it lets through.
    @Test func publicAnswerStillUsesTheToken() async throws {
        try await ArcGIS.signedIn(Self.settings(.basic)) { (server, world) async throws in
            let result = await world.run(
                ["request", "ag", server.origin + "/server/rest/services", "--challenge", "prompt"], user: ArcGIS.user, exits: 0)
            #expect(try result.json["services"]?.array?.count == 2)
            #expect(ArcGIS.calls(server, "/server/rest/services").count { $0.header("X-Esri-Authorization") != nil } == 1)
            #expect(!result.errors.contains("without a token"))
        }
    }

    @Test func answerWithoutTheSessionsTokenSaysSo() async throws {
        try await ArcGIS.signedIn(ArcGISSettings.with { $0.federation = .elsewhere }) { server, world in
            let result = await world.run("request", "ag", server.origin + "/server/rest/services", exits: 0)
            #expect(result.errors.contains("sent without a token: ") && result.errors.contains("belongs to a different portal"))
        }
    }

    @Test func webTierPasswordIsNotAskedForWithoutPrompt() async throws {
        try await ArcGIS.signedIn(Self.settings(.basic)) { server, world in
            for arguments in [["--challenge", "fail"], []] {
                let result = await world.run(["request", "ag", server.origin + ArcGIS.federated] + arguments, exits: 9)
                #expect(result.errors.contains("the web server in front of 127.0.0.1:") && result.errors.contains("(basic)"))
            }
            #expect(server.requests.allSatisfy { Self.scheme($0) != "Basic" })
        }
    }

    @Test func wrongPasswordIsAskedForThreeTimes() async throws {
        try await ArcGIS.signedIn(Self.settings(.basic)) { server, world in
            let user = CommandWorld.User(hasTerminal: true, lines: ["ada", "ada", "ada"], hiddenLines: ["a", "b", "c"])
            let result = await world.run(
                ["request", "ag", server.origin + ArcGIS.federated, "--challenge", "prompt"], user: user, exits: 5)
            #expect(result.errors.contains("refused the user name and password 3 times"))
            #expect(server.requests.filter { Self.scheme($0) == "Basic" }.count == 3)
        }
    }

    /// The `w` of that row: the request continues without a token and without a sign-in.
    @Test func userMayContinueWithoutSigningIn() async throws {
        try await ArcGIS.running { server, world in
            let result = await world.run(
                ["request", "ag", server.origin + ArcGIS.privateItem, "--challenge", "prompt"], browser: .isClosed,
                user: .init(hasTerminal: true, lines: ["w"]))
            #expect(result.errors.contains("enter w") && result.errors.contains("sent without a token"))
            // The item is not public, so the portal's refusal is the result.
            #expect(result.status == 5 && result.errors.contains("499"))
            #expect(ArcGIS.calls(server, ArcGIS.privateItem).count == 2)
            #expect(ArcGIS.calls(server, ArcGIS.token).isEmpty)
        }
    }

    /// The same for public content: a session with a refused token does not prevent an anonymous request.
    @Test func publicContentNeedsNoToken() async throws {
        try await ArcGIS.signedIn { (server, world) async throws in
            server.change { $0.refusals498 = -1 }
            let result = await world.run(
                ["request", "ag", server.origin + "/sharing/rest/search", "--challenge", "prompt"], browser: .isClosed,
                user: .init(hasTerminal: true, lines: ["w"]), exits: 0)
            #expect(result.errors.contains("sent without a token"))
            #expect(try result.json["total"] == 1)
            let asked = ArcGIS.calls(server, "/sharing/rest/search")
            #expect(asked.count == 3 && asked.last?.header("Authorization") == nil)
        }
    }

    @Test func cancelledChallengeSendsNoFurtherRequest() async throws {
        try await ArcGIS.running { server, world in
            let (interruptions, continuation) = AsyncStream.makeStream(of: Interruption.self)
            await world.run(
                ["request", "ag", server.origin + ArcGIS.privateItem, "--challenge", "prompt"], browser: .isClosed,
                user: .init(hasTerminal: true), interruptions: interruptions,
                told: { if $0.contains("this times out") { continuation.yield(.interrupt) } }, exits: 3)
            #expect(ArcGIS.calls(server, ArcGIS.privateItem).count == 1 && ArcGIS.calls(server, ArcGIS.token).isEmpty)
        }
    }
}

extension String {
    fileprivate func components(of part: String) -> Int {
        var rest = self[...]
        var count = 0
        while let found = rest.firstRange(of: part) {
            count += 1
            rest = rest[found.upperBound...]
        }
        return count
    }
}
