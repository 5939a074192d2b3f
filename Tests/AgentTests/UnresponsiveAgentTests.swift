@testable import Agent
import AuthModel
import NIOCore
import TestSupport
import Testing

/// An agent that is stopped, works on a long request, or exits during a request.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct UnresponsiveAgentTests {
    private let service = ScriptedSessionService()
    private static let question = JSONValue.members(("session", .string("work")))

    /// An agent that is stopped, or hangs with half of its response written.
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"])
    func timesOutOnASilentAgent(part: String) async throws {
        let silent = try SilentAgent(saying: part)
        let connection = AgentConnection(location: silent.place, home: AgentHome(store: "/s", configuration: "/c"))
        await #expect(throws: AgentConnection.Failure.unusable(AgentConnection.late(ownProcess))) {
            try await connection.ask(IssueToken.route, body: Self.question, silence: .milliseconds(50))
        }
    }

    /// Interim responses tell a working agent from a stopped one.
    @Test func sendsInterimResponsesWhileWorking() async throws {
        var limits = AgentFixture.generous
        limits.interimResponseInterval = .milliseconds(10)
        try await AgentFixture.run(service, limits: limits) { world in
            await service.hold()
            let sign = "HTTP/1.1 102 Processing\r\n\r\n"
            let body = #"{"session":"work"}"#
            let connection = try RawConnection(world.place)
            connection.send(
                "POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(await connection.read(upTo: sign + sign + sign).hasPrefix(sign))
            await service.releaseHeld()
            #expect(await connection.readAll().contains("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// Other clients may mistake the first status line for the final response.
    @Test func sendsNoInterimResponsesToOtherClients() async throws {
        var limits = AgentFixture.generous
        limits.interimResponseInterval = .milliseconds(1)
        try await AgentFixture.run(service, limits: limits) { world in
            await service.hold()
            let connection = try RawConnection(world.place)
            connection.send(
                "POST /v1/token HTTP/1.1\r\nHost: yett\r\nConnection: close\r\nContent-Length: 18\r\n\r\n{\"session\":\"work\"}")
            await service.until { $0.isHolding }
            // Meanwhile another request runs on the same thread.
            _ = try await world.client.sessions()
            await service.releaseHeld()
            #expect(await connection.readAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// Token requests share a connection. Other requests, such as those that change something, have their own.
    @Test func tokenRequestsShareAConnection() async throws {
        let agent = try SilentAgent(saying: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        let connection = AgentConnection(location: agent.place, home: AgentHome(store: "/s", configuration: "/c"))
        _ = try await connection.ask(ReadSeal.route)
        _ = try await connection.ask(IssueToken.route, body: Self.question)
        #expect(agent.connections == 2)
        // This agent answers only the first request of a connection.
        await #expect(throws: AgentConnection.Failure.unusable(AgentConnection.late(ownProcess))) {
            try await connection.ask(IssueToken.route, body: Self.question, silence: .milliseconds(50))
        }
        #expect(agent.connections == 2)
        _ = try await connection.ask(IssueToken.route, body: Self.question)
        _ = try await connection.ask(LockStore.route)
        #expect(agent.connections == 4)
    }

    /// The agent closes idle connections. What it has not read is sent on another one.
    @Test func closedConnectionIsReplaced() async throws {
        let agent = try SilentAgent(saying: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        let connection = AgentConnection(location: agent.place, home: AgentHome(store: "/s", configuration: "/c"))
        for _ in 0..<3 {
            _ = try await connection.ask(IssueToken.route, body: Self.question)
            await agent.hangUp()
        }
        #expect(agent.connections == 3)
    }

    /// An agent that is killed during a request.
    @Test func retriesOnceWithANewAgent() async throws {
        let mortal = try SilentAgent(saying: nil)
        let home = AgentHome(store: "/s", configuration: "/c")
        let started = Counter()
        let client = AgentClient(location: mortal.place, home: home) { () async throws(AuthFailure) in started.add() }
        await #expect(throws: AgentConnection.endedBeforeAnswer) { try await client.storeState() }
        #expect(mortal.connections == 2)
        #expect(started.value == 1)
        // Requests that belong to one agent end with it.
        await #expect(throws: AgentConnection.endedBeforeAnswer) { try await client.paste(Secret("x"), into: SignInAttempt.ID("a-1")) }
        #expect(mortal.connections == 3)
    }
}
