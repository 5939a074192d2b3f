import AuthModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// Many requests at once, cancelled requests, and the end of the bridge.
@Suite(.timeLimit(.minutes(10))) struct BridgeLoadTests {
    /// Streams of requests that wait until the test answers them.
    private final class Pending: Sendable {
        let bodies = Mutex<[Int: ResponseBody]>([:])

        func stream(_ id: Int) -> StreamedResponse {
            let body = ResponseBody(resume: {}, cancel: {})
            bodies.withLock { $0[id] = body }
            return World.stream(body)
        }

        func answerAll() {
            for (id, body) in bodies.withLock({ $0 }) {
                body.send("data: \(World.result(id))\n\n")
            }
        }
    }

    private static let calls = 1...70

    /// The tools at the server wait for the client's answer to a question, and more requests are made than may be at the server at once.
    @Test func responseOvertakesRequestsThatAreHeld() async throws {
        let pending = Pending()
        let isAnswered = Mutex(false)
        let response = #"{"jsonrpc":"2.0","id":"question","result":{}}"#
        let state = try await World(
            Self.calls.map(World.call) + [response],
            mayGoOn: { state, _ in !state.input.isEmpty || state.output.count == Self.calls.count }
        ) { _, request in
            guard let id = World.id(request) else {
                isAnswered.withLock { $0 = true }
                pending.answerAll()
                return World.status(202)
            }
            return isAnswered.withLock { $0 } ? World.stream("data: \(World.result(id))\n\n") : pending.stream(id)
        }.run()
        #expect(Set(state.output) == Set(Self.calls.map(World.result)))
        #expect(state.output.count == Self.calls.count)
        // No more than 64 were at the server before the response.
        #expect(state.sent.prefix { World.id($0) != nil }.count == 64)
    }

    /// Most servers do not answer a cancelled request, and keep its stream open.
    @Test func cancelledRequestsDoNotUseUpTheLimit() async throws {
        let pending = Pending()
        let last = 1000
        let waited = Mutex(Duration.zero)
        let input = [World.opening, World.ready] + (1...64).map(World.call) + (1...64).map(World.cancel) + [World.call(last)]
        let state = try await World(
            input,
            mayGoOn: { state, time in
                if !state.input.isEmpty || state.output.contains(World.result(last)) { return true }
                // Less than any limit for a silent server.
                if state.sent("notifications/cancelled").count == 64, waited.withLock({ $0 }) < .seconds(10) {
                    time.advance(by: .seconds(1))
                    waited.withLock { $0 += .seconds(1) }
                }
                return false
            }
        ) { _, request in
            switch (request.method, World.id(request)) {
            case (.post, 0): World.opened("s1")
            case (.post, last): World.json(World.result(last))
            case (.post, let id?): pending.stream(id)
            case (.post, nil): World.status(202)
            default: World.status(405)
            }
        }.run()
        #expect(state.output.count == 2, "\(state.output)")
    }

    /// The server never gets a request that the client cancelled while it was held, and nothing about it.
    @Test func heldRequestIsCancelledHere() async throws {
        let pending = Pending()
        let input = Self.calls.map(World.call) + [World.cancel(70)]
        let state = try await World(
            input,
            mayGoOn: { state, _ in
                if state.input.isEmpty { pending.answerAll() }
                return !state.input.isEmpty || state.output.count == 69
            }
        ) { _, request in pending.stream(World.id(request) ?? 0) }.run()
        #expect(state.sent.count == 69)
        #expect(!state.output.contains { $0.contains("\"id\":70") })
    }

    /// In the stateless protocol, a server could take the identifier of an answered request for another client's.
    @Test func cancellationAfterTheAnswerStaysHere() async throws {
        let call =
            #"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}"#
        let state = try await World([call, World.cancel(1)], mayGoOn: { state, _ in state.input.count != 1 || state.output.count == 1 }) {
            _, _ in World.json(World.result(1))
        }.run()
        #expect(state.output == [World.result(1)])
        #expect(state.sent.count == 1)
    }

    /// A cancelled request whose stream ends without an answer is over.
    @Test func cancelledRequestIsNotResumed() async throws {
        let body = ResponseBody(resume: {}, cancel: {})
        let state = try await World([World.opening, World.ready, World.call(1), World.cancel(1)]) { _, request in
            switch (request.method, World.id(request)) {
            case (.post, 0): return World.opened("s1")
            case (.post, 1):
                body.send("id: 4\nretry: 0\ndata:\n\n")
                return World.stream(body)
            case (.post, _):
                if String(decoding: request.body, as: UTF8.self).contains("cancelled") { body.finish(.success(())) }
                return World.status(202)
            default: return World.status(405)
            }
        }.run(stepping: .milliseconds(20))
        #expect(!state.sent.contains { $0.headers.contains { $0.name == "Last-Event-ID" } })
        #expect(state.output.count == 1)
    }

    // MARK: The end

    /// Waits until the task is told to go on, and ignores that it is cancelled.
    private final class Gate: Sendable {
        private let isOpen = Mutex(false)
        func open() { isOpen.withLock { $0 = true } }
        func wait() async { while !isOpen.withLock({ $0 }) { await Task.yield() } }
    }

    /// A browser may be open for minutes.
    @Test func endDoesNotWaitForTheSignIn() async throws {
        let gate = Gate()
        defer { gate.open() }
        let world = World([World.call(1)], signingIn: gate.wait, mayGoOn: { state, _ in !state.input.isEmpty || state.signIns == 1 }) {
            _, _ in
            World.json("", status: 401)
        }
        let start = world.time.bootTime
        let state = try await world.run(stepping: .milliseconds(20))
        #expect(state.output.count == 1)
        #expect(state.output.first?.contains("\"id\":1,\"error\":{\"code\":-32000") == true, "\(state.output)")
        #expect(world.time.bootTime - start < .seconds(30))
    }

    /// A server that never answers a notification keeps neither the reading nor the end.
    @Test func silentNotificationDoesNotKeepTheBridge() async throws {
        let gate = Gate()
        defer { gate.open() }
        let state = try await World(
            [World.ready, World.call(1)], delay: { number, _ in if number == 1 { await gate.wait() } },
            mayGoOn: { state, _ in state.input.count != 1 || state.sent.count == 1 }
        ) { _, _ in World.status(202) }.run(stepping: .milliseconds(20))
        #expect(state.sent.count == 1)
        #expect(state.output.count == 1 && state.output.first?.contains("-32000") == true)
    }

    /// A notification before the end of input is sent.
    @Test func lastNotificationIsSent() async throws {
        let state = try await World([World.ready, World.cancel(5)]) { _, _ in World.status(202) }.run()
        #expect(state.sent.count { $0.method == .post } == 2)
    }
}
