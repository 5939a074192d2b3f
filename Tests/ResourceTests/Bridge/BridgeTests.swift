import AuthModel
import OAuth
import Synchronization
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// What the bridge sends, and what it answers, at a server that misbehaves.
@Suite struct BridgeTests {
    private static func code(_ line: String?) throws -> JSONValue? { try line.map { try JSONValue(strict: $0) }?["error"]?["code"] }

    /// A call that may have been carried out is not sent again, no matter what went wrong.
    @Test(arguments: ["connection", "stream", "empty", "status", "accepted"])
    func callIsNeverSentTwice(fault: String) async throws {
        let state = try await World([World.call(1)]) { (_, _) throws(AuthFailure) in
            switch fault {
            case "connection": throw AuthFailure(.unavailable(retryAfter: nil), "http.no_memory")
            case "stream": World.stream("data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n")
            case "status": World.json("{}", status: 502)
            case "accepted": StreamedResponse(status: 202, headers: [], body: ResponseBody([]))
            default: World.json("")
            }
        }.run()
        #expect(state.sent.count == 1)
        let answers = state.output.filter { $0.contains("\"id\":1") }
        #expect(answers.count == 1)
        #expect(try Self.code(answers.first) == -32000)
    }

    @Test func refusedTokenIsReplacedOnce() async throws {
        let state = try await World([World.call(1)]) { _, _ in World.json("", status: 401) }.run()
        #expect(state.sent.count == 2)
        #expect(state.refused == [Secret("token 0")])
        #expect(state.signIns == 1)
        #expect(state.output.count == 1)
        #expect(state.output.first?.contains("yett login") == true)
    }

    @Test func answerComesOnceAndOnlyForItsRequest() async throws {
        let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#
        let state = try await World([World.call(1)]) { _, _ in
            World.stream("data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{}}\n\ndata: \(answer)\n\ndata: \(answer)\n\n")
        }.run()
        #expect(state.output == [answer])
    }

    /// A stream with identifiers is resumed where it ended; the call itself is not repeated.
    @Test func streamIsResumed() async throws {
        let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#
        let state = try await World([World.call(1)]) { number, request in
            number == 1 ? World.stream("id: 4\nretry: 0\ndata:\n\n") : World.stream("id: 5\ndata: \(answer)\n\n")
        }.run()
        #expect(state.sent.map(\.method) == [.post, .get])
        #expect(state.sent.last?.headers.first { $0.name == "Last-Event-ID" }?.value == "4")
        #expect(state.output == [answer])
    }

    @Test(arguments: ["https://evil.example/mcp", "http://mcp.example.org/mcp", "https://mcp.example.org:444/mcp", "//evil.example/"])
    func redirectElsewhereIsRefused(target: String) async throws {
        let state = try await World([World.call(1)]) { _, _ in
            StreamedResponse(status: 307, headers: [("Location", target)], body: ResponseBody([]))
        }.run()
        #expect(state.sent.count == 1)
        #expect(try Self.code(state.output.first) == -32000)
    }

    @Test func redirectWithinTheOriginIsFollowed() async throws {
        let state = try await World([World.call(1)]) { number, _ in
            number == 1
                ? StreamedResponse(status: 308, headers: [("Location", "/mcp/")], body: ResponseBody([]))
                : World.json(#"{"jsonrpc":"2.0","id":1,"result":1}"#)
        }.run()
        #expect(state.sent.map(\.url.path) == ["/mcp", "/mcp/"])
        #expect(state.sent.last?.body == Array(World.call(1).utf8))
        #expect(state.output == [#"{"jsonrpc":"2.0","id":1,"result":1}"#])
    }

    /// The identifier and the version of the session are in every later request; the end of input ends it.
    @Test func sessionIsNamedAndEnded() async throws {
        let input = [World.opening, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, World.call(1)]
        let state = try await World(input) { number, request in
            switch (request.method, number) {
            case (.post, 1):
                World.json(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#, ("mcp-session-id", "s1"))
            case (.post, 2): StreamedResponse(status: 202, headers: [], body: ResponseBody([]))
            case (.post, _): World.json(#"{"jsonrpc":"2.0","id":1,"result":{}}"#)
            default: World.json("", status: 405)
            }
        }.run()
        func field(_ name: String) -> [String?] { state.sent.map { $0.headers.first { $0.name == name }?.value } }
        #expect(field("Mcp-Session-Id") == [nil] + Array(repeating: "s1", count: state.sent.count - 1))
        #expect(field("MCP-Protocol-Version") == [nil] + Array(repeating: "2025-11-25", count: state.sent.count - 1))
        #expect(state.sent.last?.method == .delete)
        #expect(state.sent.contains { $0.method == .get })
    }

    /// A request that learns late that the session is lost waits until the new session is ready.
    @Test func requestsWaitForTheNewSession() async throws {
        let other = World.call(1).replacing("\"id\":1", with: "\"id\":2")
        let openings = Mutex(0)
        let isOpening = { @Sendable (request: WebRequest) in String(decoding: request.body, as: UTF8.self).contains("initialize\"") }
        let isReady = { @Sendable (request: WebRequest) in String(decoding: request.body, as: UTF8.self).contains("initialized") }
        let session = { @Sendable (request: WebRequest) in request.headers.first { $0.name == "Mcp-Session-Id" }?.value }
        let delay = { @Sendable (_: Int, request: WebRequest) async in
            let isLate = request.body == Array(other.utf8) && session(request) == "s1"
            for _ in 0..<100_000 where isLate && openings.withLock({ $0 }) < 2 { await Task.yield() }
            // The header of the new session arrives before the server is told that the client is ready.
            for _ in 0..<(isLate ? 100 : isReady(request) ? 1000 : 0) { await Task.yield() }
        }
        let state = try await World([World.opening, World.call(1), other], delay: delay) { _, request in
            if isOpening(request) {
                let number = openings.withLock { count in
                    count += 1
                    return count
                }
                return World.json(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#, ("Mcp-Session-Id", "s\(number)"))
            }
            guard request.method == .post, !isReady(request) else {
                return StreamedResponse(status: 202, headers: [], body: ResponseBody([]))
            }
            guard session(request) == "s2" else { return World.json("", status: 404) }
            return World.json(
                request.body == Array(other.utf8) ? #"{"jsonrpc":"2.0","id":2,"result":{}}"# : #"{"jsonrpc":"2.0","id":1,"result":{}}"#)
        }.run()
        let ready = try #require(state.answered.lastIndex(where: isReady))
        let calls = state.sent.indices.filter {
            state.sent[$0].method == .post && session(state.sent[$0]) == "s2" && !isReady(state.sent[$0])
        }
        #expect(calls.count == 2 && state.output.count == 3, "\(state.output)")
        let firstCall = try #require(state.answered.firstIndex { $0.method == .post && session($0) == "s2" && !isReady($0) })
        #expect(ready < firstCall)
    }

    /// Many servers answer 400 for a session that they have lost, and some 200 or 401. Other refusals are the request's own.
    @Test(arguments: [
        (400, "Bad Request: No valid session ID provided", true), (400, "Bad Request: Unknown Mcp-Session-Id header", true),
        (400, #"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}"#, true),
        (400, #"{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}"#, true),
        (400, #"{"jsonrpc":"2.0","error":{"code":-32602,"message":"unknown session"},"id":1}"#, false),
        (400, #"{"jsonrpc":"2.0","error":{"code":-32602,"message":"unknown session"},"id":"1"}"#, false),
        (400, "could not save session 7", false), (400, "Bad Request", false),
        (200, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"Server not initialized"}}"#, true),
        (200, #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"missing or invalid Mcp-Session-Id"}}"#, true),
        (200, #"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"session not found"}}"#, false),
        (401, "Unauthorized: Session not found", true), (401, "Unauthorized", false),
    ])
    func lostSessionMayBeAnotherRefusal(status: Int, refusal: String, reopens: Bool) async throws {
        let openings = Mutex(0)
        let state = try await World([World.opening, World.call(1)]) { _, request in
            let body = String(decoding: request.body, as: UTF8.self)
            guard request.method == .post, !body.contains("initialized") else {
                return StreamedResponse(status: 405, headers: [], body: ResponseBody([]))
            }
            if body.contains("initialize\"") {
                let number = openings.withLock { count in
                    count += 1
                    return count
                }
                return World.json(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#, ("Mcp-Session-Id", "s\(number)"))
            }
            let isNew = request.headers.contains { $0.name == "Mcp-Session-Id" && $0.value == "s2" }
            return isNew ? World.json(#"{"jsonrpc":"2.0","id":1,"result":{}}"#) : World.json(refusal, status: status)
        }.run()
        #expect(openings.withLock { $0 } == (reopens ? 2 : 1))
        #expect(state.output.last?.contains("\"result\":{}") == reopens, "\(state.output)")
    }

    /// Servers in languages with one type of number answer with another form of the identifier.
    @Test(arguments: ["\"1\"", "1.0"]) func answerMayHaveAnotherFormOfTheIdentifier(id: String) async throws {
        for isStream in [false, true] {
            let answer = #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"#
            let state = try await World([World.call(1)]) { _, _ in
                isStream ? World.stream("data: \(answer)\n\n") : World.json(answer)
            }.run()
            #expect(try state.output.map { try JSONValue(strict: $0) } == [["jsonrpc": "2.0", "result": [:], "id": 1]])
        }
        let state = try await World([World.call(1)]) { _, _ in World.json(#"{"jsonrpc":"2.0","id":"2","result":{}}"#) }.run()
        #expect(try Self.code(state.output.first) != nil)
    }

    /// An identifier that would break a header field is not used.
    @Test func invalidSessionIdentifierIsIgnored() async throws {
        let state = try await World([World.opening, World.call(1)]) { number, _ in
            World.json(#"{"jsonrpc":"2.0","id":\#(number - 1),"result":{}}"#, ("Mcp-Session-Id", "a b"))
        }.run()
        #expect(state.sent.count == 2)
        #expect(!state.sent.contains { $0.headers.contains { $0.name == "Mcp-Session-Id" } })
    }

    /// Some servers with two addresses answer a POST, too, with the stream in which they name the other one.
    @Test func streamOfAPostMayNameTheAddress() async throws {
        let answer = #"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05"}}"#
        let stream = ResponseBody(resume: {}, cancel: {})
        let state = try await World([World.opening]) { _, request in
            switch (request.method, request.url.path) {
            case (.post, "/mcp"): return World.stream("event: endpoint\ndata: /unused\n\n")
            case (.get, "/mcp"):
                stream.send("event: endpoint\ndata: /messages\n\n")
                return World.stream(stream)
            default:
                stream.send("data: \(answer)\n\n")
                return StreamedResponse(status: 202, headers: [], body: ResponseBody([]))
            }
        }.run()
        #expect(state.sent.map(\.method) == [.post, .get, .post] && state.sent.last?.url.path == "/messages")
        #expect(state.output == [answer])
    }

    @Test func endpointElsewhereIsRefused() async throws {
        let state = try await World([World.opening]) { _, request in
            request.method == .get
                ? World.stream("event: endpoint\ndata: https://evil.example/messages\n\n") : World.json("", status: 405)
        }.run()
        #expect(state.sent.map(\.method) == [.post, .get])
        #expect(try Self.code(state.output.first) == -32000)
    }

    /// In the protocol with two addresses, an answer comes on the one stream, here after the end of input.
    @Test func answerAfterTheEndOfInputIsWritten() async throws {
        let answer = #"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2024-11-05"}}"#
        let stream = ResponseBody(resume: {}, cancel: {})
        stream.send("event: endpoint\ndata: /messages\n\n")
        let state = try await World([World.opening]) { number, request in
            switch number {
            case 1: return World.json("", status: 405)
            case 2: return StreamedResponse(status: 200, headers: [("Content-Type", "text/event-stream")], body: stream)
            default:
                Task {
                    for _ in 0..<500 { await Task.yield() }
                    stream.send("data: \(answer)\n\n")
                }
                return StreamedResponse(status: 202, headers: [], body: ResponseBody([]))
            }
        }.run()
        #expect(state.output == [answer])
    }

    @Test func identifierInUseAndBatchesAreRefused() async throws {
        let batch = "[\(World.call(1))]"
        let state = try await World([batch]) { _, _ in World.json("") }.run()
        #expect(state.sent.isEmpty)
        #expect(try Self.code(state.output.first) == -32600)
    }

    /// Only the protocol of 2025-03-26 has batches, and `initialize` is in none.
    @Test(arguments: [("2025-03-26", true), ("2024-11-05", false), ("2025-06-18", false), ("2025-11-25", false)])
    func batchNeedsItsProtocol(version: String, isAllowed: Bool) async throws {
        let batch = "[\(World.call(1)),{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"method\":\"ping\"}]"
        let answer = "[{\"jsonrpc\":\"2.0\",\"id\":\"b\",\"result\":{}},{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]"
        let state = try await World([World.opening, batch, "[\(World.opening.replacing("0,", with: "5,"))]"]) { number, _ in
            number == 1 ? World.json("{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{\"protocolVersion\":\"\(version)\"}}") : World.json(answer)
        }.run()
        #expect(state.sent.count == (isAllowed ? 2 : 1))
        #expect(state.output.contains(answer) == isAllowed)
        let refusals = try state.output.filter { try Self.code($0) == -32600 }
        #expect(refusals.count == (isAllowed ? 1 : 2))
        #expect(state.output.count == 3)
    }

    /// An error without the request's identifier still answers it.
    @Test func errorWithoutIdentifierAnswersTheRequest() async throws {
        let state = try await World([World.call(1)]) { _, _ in
            World.json(#"{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"header mismatch"}}"#, status: 400)
        }.run()
        #expect(state.output == [#"{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"header mismatch"}}"#])
    }
}
