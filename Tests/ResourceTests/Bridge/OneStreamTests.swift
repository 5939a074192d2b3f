import AuthModel
import OAuth
import Synchronization
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// The protocol of 2024-11-05, when its one stream ends.
@Suite(.timeLimit(.minutes(10))) struct OneStreamTests {
    /// A server with one stream for each session, and a client that waits until the bridge has noticed what a test does.
    private final class OneStreamServer: Sendable {
        /// The streams, in the order in which they were opened.
        let streams = Mutex<[ResponseBody]>([])
        let world = Mutex<World?>(nil)
        /// The statuses of the next requests for a stream, in place of a stream.
        let refusals = Mutex<[Int]>([])
        private let isOver = Mutex(false)

        private func openStream() -> StreamedResponse {
            if let status = refusals.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return World.status(status) }
            let body = ResponseBody(resume: {}, cancel: {})
            let number = streams.withLock { streams in
                streams.append(body)
                return streams.count
            }
            send("event: endpoint\ndata: /messages?session=\(number)\n\n", in: number)
            return World.stream(body)
        }

        /// Answers a request: a message in the stream of its session, if it is a request that the server answers.
        func reply(to request: WebRequest, answering isAnswered: (Int) -> Bool = { _ in true }) -> StreamedResponse {
            if request.method == .get { return openStream() }
            guard let session = session(of: request) else { return World.status(405) }
            if let id = World.id(request), isAnswered(id) { send("data: \(World.result(id))\n\n", in: session) }
            return World.status(202)
        }

        /// Sends text in the stream with a number, counted from 1.
        private func send(_ text: String, in number: Int) {
            let body = streams.withLock { $0[number - 1] }
            body.send(text)
        }

        /// Returns the session that a message was sent to; `nil` for another address.
        func session(of request: WebRequest) -> Int? { request.url.query.flatMap { Int($0.dropFirst("session=".count)) } }

        /// Ends the first stream, and returns whether the bridge has noticed.
        func hasEndedFirstStream() -> Bool {
            streams.withLock { $0.first }?.finish(.success(()))
            let bridge = world.withLock { $0 }?.bridge.withLock { $0 }
            Task { if await bridge?.isStreamOver == true { isOver.withLock { $0 = true } } }
            return isOver.withLock { $0 }
        }

        func run(_ client: World) async throws -> World.State {
            world.withLock { $0 = client }
            defer { world.withLock { $0 = nil } }
            return try await client.run()
        }
    }

    private let server = OneStreamServer()

    /// Without the stream with all answers, no request waits for one; the client may open another session.
    @Test func oneStreamThatEndedIsNoticed() async throws {
        let first = ResponseBody(resume: {}, cancel: {})
        let state = try await World(
            [World.opening, World.call(1), World.opening.replacing("\"id\":0", with: "\"id\":5")],
            mayGoOn: { state, _ in state.output.count == 3 - state.input.count }
        ) { _, request in
            switch (request.method, World.id(request)) {
            case (.get, _):
                first.send("event: endpoint\ndata: /messages\n\n")
                return World.stream(first)
            case (.post, 0) where request.url.path == "/messages":
                first.send("data: \(World.result(0))\n\n")
                first.finish(.success(()))
                return World.status(202)
            case (.post, 1): return World.status(202)
            case (.post, 5): return World.json(World.result(5))
            default: return World.status(405)
            }
        }.run()
        try #require(state.output.count == 3)
        #expect(state.output[1].contains("\"id\":1,\"error\":{\"code\":-32000"), "\(state.output)")
        #expect(state.output[2] == World.result(5))
    }

    /// A gateway ends a quiet stream: the next requests share one new session, and the client notices nothing.
    @Test func oneStreamThatEndedIsOpenedAgain() async throws {
        let client = World(
            [World.opening, World.call(1), World.call(2), World.call(3)],
            mayGoOn: { state, _ in
                guard state.input.count == 2 else { return !state.input.isEmpty || state.output.count == 4 }
                return state.output.count == 2 && server.hasEndedFirstStream()
            }
        ) { _, request in server.reply(to: request) }
        let state = try await server.run(client)
        #expect(Set(state.output) == Set((0...3).map(World.result)))
        #expect(server.streams.withLock { $0.count } == 2)
        // Each session was opened, and told that the client is ready.
        let messages = state.sent.filter { server.session(of: $0) == 2 }.map { String(decoding: $0.body, as: UTF8.self) }
        #expect(messages.count == 4 && messages.first == World.opening && messages.dropFirst().first?.contains("/initialized\"") == true)
    }

    /// The server had the call, and may have carried it out: the client gets one error, and the new session does not get the call.
    @Test func callOfAnEndedStreamIsNotRepeated() async throws {
        let client = World(
            [World.opening, World.call(1), World.call(2)],
            mayGoOn: { state, _ in
                guard state.input.count == 1 else { return !state.input.isEmpty || state.output.count == 3 }
                return !state.sent("\"id\":1").isEmpty && server.hasEndedFirstStream()
            }
        ) { _, request in server.reply(to: request) { $0 != 1 } }
        let state = try await server.run(client)
        #expect(state.sent("\"id\":1").count == 1)
        #expect(state.output.filter { $0.contains("\"id\":1,\"error\"") && $0.contains("may have carried the request out") }.count == 1)
        #expect(state.output.contains(World.result(2)) && state.output.count == 3, "\(state.output)")
    }

    /// A server that has restarted says with 404 that it has not taken the call.
    @Test func refusedCallIsSentToAnotherSession() async throws {
        let client = World(
            [World.opening, World.call(1), World.call(2)],
            mayGoOn: { state, _ in state.output.count == 3 - state.input.count }
        ) { _, request in
            let isLost = server.session(of: request) == 1 && World.id(request).map { $0 != 0 } ?? false
            return isLost ? World.status(404) : server.reply(to: request)
        }
        #expect(try await server.run(client).output == (0...2).map(World.result))
        #expect(server.streams.withLock { $0.count } == 2)
    }

    /// A gateway that has no server for a moment: the call says so, and the next one tries again.
    @Test func failedOpeningIsTriedAgain() async throws {
        let client = World(
            [World.opening, World.call(1), World.call(2)],
            mayGoOn: { state, _ in
                guard state.input.count == 2 else { return state.output.count == 3 - state.input.count }
                server.refusals.withLock { $0 = [503] }
                return state.output.count == 1 && server.hasEndedFirstStream()
            }
        ) { _, request in server.reply(to: request) }
        let state = try await server.run(client)
        try #require(state.output.count == 3)
        #expect(state.output[1].contains("\"id\":1,\"error\"") && state.output[1].contains("503"), "\(state.output)")
        #expect(state.output[2] == World.result(2))
    }

    /// The server of such a session hears of a cancellation, and the request does not use up the limit.
    @Test func cancellationReachesTheServer() async throws {
        let client = World(
            [World.opening, World.call(1), World.cancel(1)],
            mayGoOn: { state, _ in
                switch state.input.count {
                case 1: !state.sent("\"id\":1").isEmpty
                case 0: !state.sent("notifications/cancelled").isEmpty
                default: true
                }
            }
        ) { _, request in server.reply(to: request) { $0 == 0 } }
        let state = try await server.run(client)
        #expect(state.sent("notifications/cancelled").count == 1)
        #expect(state.output == [World.result(0)])
    }
}
