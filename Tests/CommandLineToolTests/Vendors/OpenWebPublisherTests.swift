import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// What a publisher's trouble, and its own sign-in, mean for a session at OpenWeb.
struct OpenWebPublisherTests {
    typealias OpenWeb = OpenWebCommandTests

    // MARK: Trouble

    private static let code = "/api/spotim-sso"

    @Test(arguments: [500, 429])
    func oneFailureOfThePublisherKeepsTheUser(status: Int) async throws {
        try await OpenWeb.signedIn { server, world in
            server.change { $0.refusals403 = 1 }
            server.changeCommon { $0.failNext = ["\(Self.code):\(status)"] }
            let comment = await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment"], time: ImpatientTime(world.time))
            #expect(comment.status == 0, "\(comment.errors)")
            let answer = try comment.json
            #expect(answer["by"] == "u_ada")
            #expect(server.calls(of: Self.code).count == 2)
        }
    }

    @Test func publisherThatStaysInTroubleIsAskedAgainLater() async throws {
        try await OpenWeb.signedIn { server, world in
            server.change { $0.refusals403 = 1 }
            server.changeCommon { $0.failNext = Array(repeating: "\(Self.code):500", count: 3) }
            let first = await world.run(
                ["request", "ow", "-X", "POST", server.origin + "/comment"], time: ImpatientTime(world.time))
            #expect(first.status == 7, "\(first.errors)")
            #expect(first.errors.contains("the silent renewal of ow/ada failed") && first.errors.contains("status 500"))
            #expect(server.calls(of: Self.code).count == 3 && server.calls(of: "/comment").count == 1)
            // The gateway took the token no longer: it is due for a renewal, and nobody gets it meanwhile.
            let kept = try await OpenWeb.states(world)
            #expect(kept == ["ow/ada expired"])
            // Not at once: a provider in trouble is left alone for a while.
            world.time.advance(by: .seconds(301))
            let later = await world.run("request", "ow", "-X", "POST", server.origin + "/comment")
            #expect(later.status == 0, "\(later.errors)")
            let answer = try later.json
            #expect(answer["by"] == "u_ada")
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada signed_in"])
        }
    }

    @Test func publisherThatTurnsNoCodesLeavesAGuest() async throws {
        try await OpenWeb.signedIn { server, world in
            server.change { $0.publisherMode = .notImplemented }
            let result = await world.run("renew", "ow")
            #expect(result.status == 6, "\(result.errors)")
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada guest"])
        }
    }

    // MARK: The publisher's own sign-in

    /// The site `ow`, vouched for by the provider `work`, where nobody is signed in.
    private static func atThePublisher(_ body: (SandboxServer, OpenWeb.Server, CommandWorld) async throws -> Void) async throws {
        try await OpenWeb.vouchedFor { publisher, server, world in
            #expect(await world.run("logout", "ow").status == 0)
            #expect(await world.run("logout", "work").status == 0)
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/guest guest"])
            server.clearRequests()
            try await body(publisher, server, world)
        }
    }

    @Test(arguments: ["ow", "ow/guest"])
    func signInLeadsThroughThePublishers(target: String) async throws {
        try await Self.atThePublisher { publisher, server, world in
            let opened = world.openedAddresses.count
            let result = await world.run("login", target)
            #expect(result.status == 0, "\(result.errors)")
            #expect(world.openedAddresses.dropFirst(opened).map(\.origin.description) == [publisher.issuer])
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/ada signed_in", "work/sandbox-ada signed_in"])
            let token = await world.run("token", "work").output.dropLast()
            #expect(server.calls(of: Self.code).map { $0.header("Authorization") } == ["Bearer \(token)"])
        }
    }

    @Test func publishersFailureEndsTheSignIn() async throws {
        try await Self.atThePublisher { _, server, world in
            let result = await world.run(["login", "ow", "--timeout", "1"], browser: .isClosed)
            #expect(result.status == 4, "\(result.errors)")
            #expect(server.requests.isEmpty)
            let states = try await OpenWeb.states(world)
            #expect(states == ["ow/guest guest"])
        }
    }

    /// A session that only a new sign-in helps is no reason to stop either.
    @Test func signInLeadsThroughWhereThePublishersSessionHasEnded() async throws {
        try await OpenWeb.vouchedFor { publisher, server, world in
            world.time.advance(by: .seconds(86_400))
            await publisher.advance(by: .seconds(86_400))
            server.advance(by: .seconds(86_400))
            #expect(await world.run("token", "work").status == 6)
            let result = await world.run("login", "ow", "--force")
            #expect(result.status == 0, "\(result.errors)")
            let states = try await OpenWeb.states(world)
            #expect(states.contains("work/sandbox-ada signed_in") && states.contains("ow/ada signed_in"), "\(states)")
        }
    }

    // MARK: The header

    @Test func headerIsTheOneThatTheGatewayTakes() async throws {
        try await OpenWeb.signedIn { server, world in
            let token = await world.run("token", "ow").output.dropLast()
            let header = await world.run("token", "ow", "--header")
            #expect(header.status == 0 && header.output == "Authorization: \(token)\n", "\(header.errors)")
            #expect(await world.run("request", "ow", "-X", "POST", server.origin + "/comment").status == 0)
            #expect(server.calls(of: "/comment").first?.header("Authorization") == String(token))
        }
    }
}

/// A clock on which the pause before the next try is over at once, and a deadline is still a deadline.
private struct ImpatientTime: TimeSource {
    private let time: any TimeSource

    init(_ time: any TimeSource) { self.time = time }

    var now: Timestamp { time.now }
    var bootTime: Duration { time.bootTime }

    func sleep(until deadline: Duration) async throws {
        guard deadline - bootTime > .seconds(10) else { return try Task.checkCancellation() }
        try await time.sleep(until: deadline)
    }
}
