@testable import Agent
import AuthEngine
import AuthModel
import Glibc
import NIOCore
import ProcessHarness
import TestSupport
import Testing

/// No connection can prevent the service of others.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct ServerLimitTests {
    private let service = ScriptedSessionService()
    private let quick = ServerLimits(readTime: .seconds(4), writeTime: .seconds(4), connections: 2048, backlog: 65_536)

    private func request(_ path: String, _ body: String, method: String = "POST", more: String = "") -> String {
        "\(method) \(path) HTTP/1.1\r\nHost: yett\r\nConnection: close\r\n\(more)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    /// Runs `body` with an agent and a connection to it.
    private func connected(
        limits: ServerLimits = AgentFixture.generous, user: uid_t = geteuid(),
        _ body: (AgentFixture, RawConnection) async throws -> Void
    ) async throws {
        try await AgentFixture.run(service, limits: limits, user: user) { world in try await body(world, RawConnection(world.place)) }
    }

    private func isServed(_ world: AgentFixture) async -> Bool {
        (try? await world.client.token(TokenRequest(session: Sample.name))) == Sample.grant
    }

    @Test(arguments: [
        "", "{", "[1,2", "nul", #"{"session":"work","session":"play"}"#, #"{"session":"\#u{1}"}"#, #"{"session":"\ud800"}"#,
        #"{"a":1e999999}"#,
        #"{"session":"work"} "# + "\0", #"{"session":["#, String(repeating: "[", count: 10_000), #"{"session":7}"#,
        #"{"session":"a\r\nb"}"#,
        "\u{FEFF}{}",
    ])
    func invalidBodyGetsAnError(body: String) async throws {
        try await connected { world, raw in
            raw.send(request("/v1/token", body))
            let answer = await raw.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(answer.contains(#"{"error":{"kind":"usage""#))
            #expect(await service.asked == [])
            #expect(await isServed(world))
        }
    }

    @Test func refusesABodyThatIsNotUTF8() async throws {
        try await connected { _, raw in
            raw.send(Array(request("/v1/token", #"{"session":"xx"}"#).utf8.map { $0 == UInt8(ascii: "x") ? 0xFF : $0 }))
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test(arguments: ["GARBAGE\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0", "GET /v1/ HTTP/1.1\r\nContent-Length: x\r\n\r\n"])
    func invalidHTTPGetsAnErrorAndIsClosed(text: String) async throws {
        try await connected { world, raw in
            raw.send(text)
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 400 "))
            #expect(await isServed(world))
        }
    }

    @Test func refusesABodyThatIsAnnouncedTooLarge() async throws {
        try await connected { world, raw in
            raw.send("POST /v1/token HTTP/1.1\r\nHost: yett\r\nContent-Length: 99999999999\r\n\r\n")
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 413 "))
            #expect(await isServed(world))
        }
    }

    @Test func refusesABodyThatGrowsTooLarge() async throws {
        try await connected { world, raw in
            raw.send("POST /v1/token HTTP/1.1\r\nHost: yett\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "8000\r\n" + String(repeating: "x", count: 0x8000) + "\r\n"
            for _ in 0..<16 { raw.send(chunk) }
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 413 "))
            #expect(await isServed(world))
        }
    }

    @Test func refusesAnEndlessHead() async throws {
        try await connected { world, raw in
            raw.send("GET /v1/ HTTP/1.1\r\nHost: " + String(repeating: "x", count: 1 << 20))
            _ = await raw.readAll()
            #expect(await isServed(world))
        }
    }

    @Test(arguments: ["", "POST /v1/tok", "POST /v1/token HTTP/1.1\r\nHost: yett\r\nContent-Length: 100\r\n\r\n{\"session\""])
    func closesAnIncompleteRequest(text: String) async throws {
        try await connected(limits: quick) { world, raw in
            raw.send(text)
            try await eventually("other clients are not served") { await isServed(world) }
            // The server's deadline ends the connection, not the client.
            #expect(await raw.readAll() == "")
        }
    }

    @Test func closesASlowSender() async throws {
        try await connected(limits: quick) { world, raw in
            let drip = Task.detached {
                let time = SystemTimeSource()
                raw.send("POST /v1/token HTTP/1.1\r\nHost: yett\r\nX: ")
                while !Task.isCancelled {
                    raw.send([UInt8(ascii: "y")])
                    try? await time.sleep(until: time.bootTime + .milliseconds(20))
                }
            }
            try await eventually("other clients are not served") { await isServed(world) }
            #expect(await raw.readAll() == "")
            drip.cancel()
        }
    }

    @Test func dropsAWatcherThatDoesNotRead() async throws {
        var limits = AgentFixture.generous
        limits.backlog = 65_536
        try await connected(limits: limits) { world, raw in
            raw.send("GET /v1/events HTTP/1.1\r\nHost: yett\r\n\r\n")
            await service.until { $0.watcherCount == 1 }
            let long = Activity(
                at: Timestamp(milliseconds: 0), kind: .renewed, session: nil, message: .verbatim(String(repeating: "x", count: 10_000)))
            for _ in 0..<200 { await service.announce(.activity(long)) }
            await service.until { $0.watcherCount == 0 }
            #expect(await isServed(world))
        }
    }

    @Test func answersAHalfClosedConnection() async throws {
        try await connected { _, raw in
            raw.send("GET /v1/seal HTTP/1.1\r\nHost: yett\r\n\r\n")
            raw.closeSending()
            #expect(await raw.readAll().hasSuffix("{\"locked\":false,\"takes_passphrase\":true}"))
        }
    }

    @Test(arguments: ["", "POST /v1/tok", "POST /v1/token HTTP/1.1\r\nHost: yett\r\nContent-Length: 100\r\n\r\n{\"session\""])
    func closesAHalfClosedIncompleteRequestAtOnce(text: String) async throws {
        try await connected { _, raw in
            raw.send(text)
            raw.closeSending()
            let answer = await raw.readAll()
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
        }
    }

    @Test func dropsARequestOfADisconnectedCaller() async throws {
        try await AgentFixture.run(service) { world in
            await service.hold()
            do {
                let raw = try RawConnection(world.place)
                raw.send(request("/v1/token", #"{"session":"work"}"#))
                await service.until { $0.isHolding }
            }
            await service.releaseHeld()
            #expect(await isServed(world))
        }
    }

    @Test func closesTheLongestIdleConnectionWhenThereAreTooMany() async throws {
        var limits = AgentFixture.generous
        limits.connections = 50
        try await AgentFixture.run(service, limits: limits) { world in
            var raws: [RawConnection] = []
            for _ in 0..<400 { raws.append(try RawConnection(world.place)) }
            await withTaskGroup(of: Void.self) { group in
                for raw in raws { group.addTask { _ = await raw.readAll() } }
                for _ in 0..<350 { await group.next() }
                #expect(await isServed(world))
                for raw in raws { raw.end() }
            }
        }
    }

    @Test(arguments: [("GET", "/"), ("GET", "/v1"), ("GET", "/v1/token/x"), ("GET", "/v1/sign-ins/..%2f"), ("POST", "/v1/sign-ins//paste")])
    func otherPathsAreNotFound(method: String, path: String) async throws {
        try await connected { _, raw in
            raw.send(request(path, "", method: method))
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 404 "))
        }
    }

    @Test func wrongMethodNamesTheRightOne() async throws {
        try await connected { _, raw in
            raw.send(request("/v1/token", "", method: "GET"))
            let answer = await raw.readAll()
            #expect(answer.hasPrefix("HTTP/1.1 405 "))
            #expect(answer.contains("the agent accepts POST there, not GET"))
        }
    }

    @Test(arguments: [("0", "505"), ("2", "505"), ("1", "200"), ("x\u{1B}[31m", "400"), ("yes", "505")])
    func acceptsOneVersionOfTheProtocol(version: String, status: String) async throws {
        try await connected { _, raw in
            raw.send(request("/v1/", "", method: "GET", more: "Yett-Protocol: \(version)\r\n"))
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 \(status) "))
        }
    }

    /// Clients with another version are told to stop the agent.
    @Test func stopsForClientsWithAnotherVersion() async throws {
        try await connected { world, raw in
            raw.send(request("/v1/stop", "", more: "Yett-Protocol: 2\r\n"))
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 200 "))
            #expect(world.stops.value == 1)
        }
    }

    @Test func answersSeveralRequestsOnOneConnection() async throws {
        try await connected { _, raw in
            for _ in 0..<3 {
                raw.send("GET /v1/seal HTTP/1.1\r\nHost: yett\r\n\r\n")
                #expect(await raw.read(upTo: "{\"locked\":false,\"takes_passphrase\":true}").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            raw.send(request("/v1/seal", "", method: "GET"))
            #expect(await raw.readAll().hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func pipelinedRequestsCloseTheConnection() async throws {
        try await connected { _, raw in
            raw.send(String(repeating: "GET /v1/seal HTTP/1.1\r\nHost: yett\r\n\r\n", count: 3))
            let answer = await raw.readAll()
            #expect(answer.split(separator: "HTTP/1.1 200 OK").count == 1)
            #expect(answer.hasSuffix("{\"locked\":false,\"takes_passphrase\":true}"))
        }
    }

    @Test func refusesAnotherUser() async throws {
        // The server is told that it belongs to another user, so this process is the foreign one.
        try await connected(user: geteuid() + 1) { _, raw in
            raw.send(request("/v1/", "", method: "GET"))
            #expect(await raw.readAll() == "")
        }
    }
}
