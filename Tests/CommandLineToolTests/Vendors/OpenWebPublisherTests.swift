import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// How a publisher's failures, and its own sign-in, affect a session at OpenWeb.
struct OpenWebPublisherTests {
    typealias OpenWeb = OpenWebCommandTests

    // MARK: Failures

    private static let code = "/api/spotim-sso"

    @Test(arguments: [500, 429])
    func singlePublisherFailureKeepsTheUser(status: Int) async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            server.change { $0.refusals403 = 1 }
            server.changeCommon { $0.failNext = ["\(Self.code):\(status)"] }
            let comment = await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment"], time: PauseSkippingTime(world.time), exits: 0)
            #expect(try comment.json["by"] == "u_ada")
            #expect(server.calls(of: Self.code).count == 2)
        }
    }

    @Test func failingPublisherIsAskedAgainLater() async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            server.change { $0.refusals403 = 1 }
            server.changeCommon { $0.failNext = Array(repeating: "\(Self.code):500", count: 3) }
            let first = await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment"], time: PauseSkippingTime(world.time), exits: 7)
            #expect(first.errors.contains("the silent renewal of ow/ada failed") && first.errors.contains("status 500"))
            #expect(server.calls(of: Self.code).count == 3 && server.calls(of: "/comment").count == 1)
            // The gateway no longer accepted the token: it must be renewed, and is not issued until then.
            #expect(try await OpenWeb.states(world) == ["ow/ada expired"])
            // Not at once: after failures there is a pause.
            world.time.advance(by: .seconds(301))
            let later = await world.run("request", "ow", "-X", "POST", server.origin + "/comment", exits: 0)
            #expect(try later.json["by"] == "u_ada")
            #expect(try await OpenWeb.states(world) == ["ow/ada signed_in"])
        }
    }

    @Test func publisherWithoutCodesLeavesAGuest() async throws {
        try await OpenWeb.signedIn { (server, world) async throws in
            server.change { $0.publisherMode = .notImplemented }
            await world.run("renew", "ow", exits: 6)
            #expect(try await OpenWeb.states(world) == ["ow/ada guest"])
        }
    }

    // MARK: The publisher's own sign-in

    /// The site `ow` with the provider `work` as its publisher, where no account is signed in.
    private static func withoutPublisherSession(_ body: (SandboxServer, OpenWeb.Server, CommandWorld) async throws -> Void) async throws {
        try await OpenWeb.signedInThroughThePublisher { publisher, server, world in
            #expect(await world.run("logout", "ow").status == 0)
            #expect(await world.run("logout", "work").status == 0)
            #expect(try await OpenWeb.states(world) == ["ow/guest guest"])
            server.clearRequests()
            try await body(publisher, server, world)
        }
    }

    @Test(arguments: ["ow", "ow/guest"])
    func signInGoesThroughThePublisherFirst(target: String) async throws {
        try await Self.withoutPublisherSession { publisher, server, world in
            let opened = world.openedAddresses.count
            await world.run("login", target, exits: 0)
            #expect(world.openedAddresses.dropFirst(opened).map(\.origin.description) == [publisher.issuer])
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada signed_in", "work/sandbox-ada signed_in"])
            let token = await world.run("token", "work").output.dropLast()
            #expect(server.calls(of: Self.code).map { $0.header("Authorization") } == ["Bearer \(token)"])
        }
    }

    @Test func publisherFailureEndsTheSignIn() async throws {
        try await Self.withoutPublisherSession { (_, server, world) async throws in
            let result = await world.run(["login", "ow", "--timeout", "1"], untilDeadlineAfter: .seconds(1)) { _ in }
            #expect(result.status == 4, "\(result.errors)")
            #expect(server.requests.isEmpty)
            #expect(try await OpenWeb.states(world) == ["ow/guest guest"])
        }
    }

    /// An expired publisher session is signed in again, too.
    @Test func expiredPublisherSessionIsSignedInAgain() async throws {
        try await OpenWeb.signedInThroughThePublisher { publisher, server, world in
            world.time.advance(by: .seconds(86_400))
            await publisher.advance(by: .seconds(86_400))
            server.advance(by: .seconds(86_400))
            #expect(await world.run("token", "work").status == 6)
            await world.run("login", "ow", "--force", exits: 0)
            let states = try await OpenWeb.states(world)
            #expect(states.contains("work/sandbox-ada signed_in") && states.contains("ow/ada signed_in"), "\(states)")
        }
    }

    // MARK: The header

    @Test func headerIsTheOneThatTheGatewayAccepts() async throws {
        try await OpenWeb.signedIn { server, world in
            let token = await world.run("token", "ow").output.dropLast()
            let header = await world.run("token", "ow", "--header")
            #expect(header.status == 0 && header.output == "Authorization: \(token)\n", "\(header.errors)")
            #expect(await world.run("request", "ow", "-X", "POST", server.origin + "/comment").status == 0)
            #expect(server.calls(of: "/comment").first?.header("Authorization") == String(token))
        }
    }
}

/// A clock that skips short pauses before a retry, but keeps deadlines.
private struct PauseSkippingTime: TimeSource {
    private let time: any TimeSource

    init(_ time: any TimeSource) { self.time = time }

    var now: Timestamp { time.now }
    var bootTime: Duration { time.bootTime }

    func sleep(until deadline: Duration) async throws {
        guard deadline - bootTime > .seconds(10) else { return try Task.checkCancellation() }
        try await time.sleep(until: deadline)
    }
}
