import AuthModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// Servers and clients that break the rules: each request gets exactly one answer all the same.
@Suite(.timeLimit(.minutes(10))) struct HostileServerTests {
    private static let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)

    /// Answers that answer nothing.
    @Test(arguments: [
        "<!DOCTYPE html><html></html>", "\u{FEFF}" + World.result(1), #"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#,
        #"{"jsonrpc":"2.0","id":1,"result":\#(deep)}"#,
        #"{"jsonrpc":"2.0","id":null,"result":{}}"#, #"{"jsonrpc":"2.0","id":2,"result":{}}"#, "null", "[]", #"{"id":1}"#,
    ])
    func invalidAnswerIsAnError(text: String) async throws {
        for isStream in [false, true] {
            let state = try await World([World.call(1)]) { _, _ in
                if isStream { return World.stream("data: \(text)\n\n") }
                return StreamedResponse(
                    status: 200, headers: [("Content-Type", text.hasPrefix("<") ? "text/html" : "application/json")],
                    body: ResponseBody(Array(text.utf8)))
            }.run()
            #expect(state.sent.count == 1)
            #expect(state.output.count == 1)
            let answer = try JSONValue(strict: try #require(state.output.first))
            #expect(answer["id"] == 1)
            #expect(answer["error"]?["code"] == -32000, "\(answer)")
        }
    }

    /// Identifiers of different types are different, as in JSON-RPC.
    @Test func identifiersOfEachTypeGetTheirOwnAnswers() async throws {
        let ids = ["1", "\"1\"", "1.0", "1e0"]
        func line(_ id: String) -> String { "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"ping\"}" }
        let state = try await World(ids.map(line)) { _, request in
            let id = try? JSONValue(strict: request.body)["id"]
            return World.json("{\"jsonrpc\":\"2.0\",\"id\":\(id?.text ?? "0"),\"result\":\(id?.text ?? "0")}")
        }.run()
        #expect(Set(state.output) == Set(ids.map { "{\"jsonrpc\":\"2.0\",\"id\":\($0),\"result\":\($0)}" }))
        #expect(state.output.count == ids.count)
    }

    /// A server that wants ever more scopes gets one sign-in for a request.
    @Test func refusalsAfterAStepUpAreFinal() async throws {
        let state = try await World([World.call(1)], stepsUp: true) { _, _ in World.status(403) }.run()
        #expect(state.stepUps == 1)
        #expect(state.sent.count == 2)
        #expect(state.output.count == 1)
    }

    /// Only a request of the client opens a browser or renews the session: not the stream of the server's own messages, which it can end
    /// and refuse as often as it likes, nor what the client sends because of the server.
    @Test(arguments: [401, 403]) func onlyRequestsOfTheClientOpenABrowser(status: Int) async throws {
        let answer = #"{"jsonrpc":"2.0","id":9,"result":{}}"#
        let state = try await World(
            [World.opening, World.ready, answer, World.call(1)], stepsUp: true,
            mayGoOn: { state, _ in state.input.count != 1 || state.sent.count { $0.method == .get } >= 3 && !state.sent(answer).isEmpty }
        ) { _, request in World.id(request) == 0 ? World.opened("s1") : World.status(status) }.run(stepping: .seconds(1))
        #expect(state.output.count == 2)
        // For the call: a step-up, and after it the second refusal of a new token.
        #expect(state.stepUps == 1)
        #expect(state.refused.count == (status == 401 ? 1 : 0))
        #expect((state.signIns, state.refusals) == (status == 401 ? (1, 1) : (0, 0)))
    }

    @Test func redirectsEnd() async throws {
        let state = try await World([World.call(1)]) { number, _ in
            StreamedResponse(status: 307, headers: [("Location", "/mcp/\(number)")], body: ResponseBody([]))
        }.run()
        #expect(state.sent.count == 6)
        #expect(state.output.count == 1)
    }

    /// A stream that ends at once each time, and wants no pause, is not followed without an end.
    @Test func brokenStreamsEnd() async throws {
        let state = try await World(
            [World.call(1)], mayGoOn: { state, _ in !state.input.isEmpty || !state.output.isEmpty }
        ) { number, _ in World.stream(number == 1 ? "id: 1\nretry: 0\ndata:\n\n" : "") }.run(stepping: .seconds(1))
        #expect(state.sent.count == 9)
        #expect(state.output.count == 1)
    }

    @Test func pausesAreBounded() {
        var position = StreamPosition()
        position.retry = .milliseconds(999_999_999)
        #expect(position.nextPause() == .seconds(30))
        var quick = StreamPosition()
        quick.retry = .zero
        #expect(quick.nextPause() == .zero)
        #expect(quick.nextPause() == .milliseconds(100))
        for _ in 0..<8 {
            quick.failures = 0
            #expect(quick.nextPause() == .milliseconds(100))
        }
        quick.failures = 0
        #expect(quick.nextPause() == .seconds(1))
    }

    /// A server that ends each stream at once, and then has lost the session, while the client says nothing.
    @Test func sessionsThatAreLostAtOnceAreOpenedLaterEachTime() async throws {
        let clock = Mutex<ManualTime?>(nil)
        let moments = Mutex<[Duration]>([])
        let known = Mutex<Set<String>>([])
        let world = World(
            [World.opening, World.ready], mayGoOn: { state, _ in !state.input.isEmpty || state.sent("\"initialize\"").count >= 7 }
        ) { _, request in
            if request.method == .get {
                let session = request.headers.first { $0.name == "Mcp-Session-Id" }?.value ?? ""
                return known.withLock { $0.insert(session).inserted } ? World.stream("retry: 0\n\n") : World.status(404)
            }
            guard World.id(request) == 0 else { return World.status(202) }
            let number = moments.withLock { moments in
                moments.append(clock.withLock { $0?.bootTime } ?? .zero)
                return moments.count
            }
            return World.opened("s\(number)")
        }
        clock.withLock { $0 = world.time }
        _ = try await world.run(stepping: .milliseconds(500))
        let times = moments.withLock { $0 }
        let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
        for (pause, least) in zip(pauses, [1, 2, 4, 8, 16, 30]) { #expect(pause >= .seconds(least), "\(pauses)") }
    }

    @Test(arguments: ["a\u{1}b", "a\r\nX: y", "ä", "", String(repeating: "a", count: 1025)])
    func sessionIdentifierIsVisibleText(id: String) {
        guard let address = WebURL("https://mcp.example.org/mcp") else { return }
        var session = BridgeSession(address: address)
        session.begin(id: id)
        #expect(session.id == nil)
    }

    @Test func endlessEventEndsTheStream() {
        var reader = ServerSentEvents(limit: 1000)
        let piece = Array(repeating: UInt8(ascii: "a"), count: 600)
        #expect(reader.read(piece) == [])
        #expect(reader.read(piece) == nil)
        var lines = ServerSentEvents(limit: 1000)
        #expect(lines.read(Array("data: ".utf8) + piece + Array("\n".utf8)) == [])
        #expect(lines.read(Array("data: ".utf8) + piece + Array("\n".utf8)) == nil)
    }

    // MARK: A clumsy client

    @Test func clumsyLinesAreAnswered() async throws {
        let input = [
            "", " \r", World.call(1) + "\r", #"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            #"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#,
        ]
        let state = try await World(input) { _, _ in World.json(World.result(1)) }.run()
        #expect(state.sent.count == 1)
        #expect(state.output.contains(World.result(1)))
        #expect(state.output.count == 3)
        #expect(try state.output.count { try JSONValue(strict: $0)["error"]?["code"] == -32600 } == 2)
    }

    @Test func identifierInUseIsRefused() async throws {
        let body = ResponseBody(resume: {}, cancel: {})
        let state = try await World(
            [World.call(1), World.call(1)],
            mayGoOn: { state, _ in
                guard state.input.isEmpty else { return true }
                if state.output.count == 1 { body.send("data: \(World.result(1))\n\n") }
                return state.output.count == 2
            }
        ) { _, _ in World.stream(body) }.run()
        #expect(state.sent.count == 1)
        #expect(state.output.first?.contains("-32600") == true)
        #expect(state.output.last == World.result(1))
    }
}
