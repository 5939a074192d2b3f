@testable import Agent
import AuthModel
import NIOCore
import Testing

/// An agent that was stopped, that works on a long request, or that ends while it is asked.
@Suite(.timeLimit(.minutes(3)))
struct SilenceTests {
    private static let question = JSONValue.members(("session", .string("work")))

    /// As one that was stopped, or hangs with half of its answer written.
    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{"])
    func leavesAnAgentThatFallsSilent(part: String) async throws {
        let silent = try SilentAgent(saying: part)
        let connection = AgentConnection(place: silent.place, home: AgentHome(store: "/s", configuration: "/c"))
        await #expect(throws: AgentConnection.Failure.unusable(AgentConnection.late(ownProcess))) {
            try await connection.ask(.token, body: Self.question, silence: .milliseconds(50))
        }
    }

    /// So that an agent at work and one that was stopped can be told apart.
    @Test func showsThatItIsAtWork() async throws {
        let service = ScriptedSessionService()
        var limits = AgentWorld.patient
        limits.interimResponseInterval = .milliseconds(10)
        try await AgentWorld.run(service, limits: limits) { world in
            await service.hold()
            let sign = "HTTP/1.1 102 Processing\r\n\r\n"
            let body = #"{"session":"work"}"#
            let connection = try RawConnection(world.place)
            connection.send(
                "POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nConnection: close\r\n"
                    + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
            #expect(await connection.read(upTo: sign + sign + sign).hasPrefix(sign))
            await service.letGo()
            #expect(await connection.readAll().contains("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// A program of somebody else's may take the first status line for the answer.
    @Test func showsNoSignOfLifeToClientsThatDoNotNameTheProtocol() async throws {
        let service = ScriptedSessionService()
        var limits = AgentWorld.patient
        limits.interimResponseInterval = .milliseconds(1)
        try await AgentWorld.run(service, limits: limits) { world in
            await service.hold()
            let connection = try RawConnection(world.place)
            connection.send(
                "POST /v1/token HTTP/1.1\r\nHost: yett\r\nConnection: close\r\nContent-Length: 18\r\n\r\n{\"session\":\"work\"}")
            await service.until { $0.isHolding }
            // Another request takes its time meanwhile, on the same thread.
            _ = try await world.client.sessions()
            await service.letGo()
            #expect(await connection.readAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    /// An agent that was killed in the middle of a request.
    @Test func asksANewAgentOnceAfterOneThatEnded() async throws {
        let mortal = try SilentAgent(saying: nil)
        let home = AgentHome(store: "/s", configuration: "/c")
        let started = Counter()
        let client = AgentClient(place: mortal.place, home: home) { () async throws(AuthFailure) in started.add() }
        await #expect(throws: AgentConnection.gone) { try await client.seal() }
        #expect(mortal.connections == 2)
        #expect(started.value == 1)
        // What belongs to an agent ends with it.
        await #expect(throws: AgentConnection.gone) { try await client.paste(Secret("x"), into: SignInAttempt.ID("a-1")) }
        #expect(mortal.connections == 3)
    }
}
