import AuthModel
import OAuth
import Synchronization
import TestSupport
import Testing

@testable import AuthEngine
@testable import MCPBridge

/// Streams that end, sessions that are lost, and servers that are silent.
@Suite(.timeLimit(.minutes(10))) struct BridgeStreamTests {
    private static let start = [World.opening, World.ready]

    private static func streams(_ state: World.State) -> Int { state.sent.count { $0.method == .get } }

    /// After a lock no stream stays open. What can be resumed is resumed with the next token, and the rest gets an error.
    @Test func withdrawalEndsStreams() async throws {
        let world = World(
            Self.start + [World.call(1), World.call(2)],
            mayGoOn: { state, _ in !state.input.isEmpty || (state.output.count == 3 && Self.streams(state) == 3) }
        ) { number, request in
            if request.method == .get {
                let resumed = request.headers.contains { $0.name == "Last-Event-ID" }
                return resumed ? World.stream("data: \(World.result(2))\n\n") : World.openStream(": quiet\n\n")
            }
            switch World.id(request) {
            case 0?: return World.opened("s1")
            case 1?: return World.openStream(": quiet\n\n")
            case 2?: return World.openStream("id: 7\ndata:\n\n")
            default: return World.status(202)
            }
        }
        let withdrawal = Task {
            while world.bridge.withLock({ $0 }) == nil { await Task.yield() }
            let bridge = world.bridge.withLock { $0 }
            while await bridge?.open.count != 3 { await Task.yield() }
            await bridge?.withdraw()
        }
        let state = try await world.run(stepping: .milliseconds(100))
        await withdrawal.value
        #expect(state.output.contains(World.result(2)))
        #expect(state.output.contains { $0.contains("\"id\":1") && $0.contains("\"error\"") })
        #expect(Self.streams(state) == 3, "the server's own messages, again, and the resumed answer")
    }

    /// A gateway that ends quiet streams does not end the server's messages.
    @Test func quietStreamIsOpenedAgainAndAgain() async throws {
        let clock = Mutex<ManualTime?>(nil)
        let world = World(
            Self.start, delay: { _, request in if request.method == .get { clock.withLock { $0?.advance(by: .seconds(11)) } } },
            mayGoOn: { state, _ in !state.input.isEmpty || Self.streams(state) == 20 }
        ) { _, request in
            switch request.method {
            case .get: World.stream(": nothing\n\n")
            default: World.id(request) == 0 ? World.opened("s1") : World.status(202)
            }
        }
        clock.withLock { $0 = world.time }
        let state = try await world.run(stepping: .milliseconds(200))
        #expect(Self.streams(state) >= 20)
    }

    /// A server that breaks every stream at once is left alone after some attempts, until a request succeeds again.
    @Test func streamIsOpenedAgainAfterARequest() async throws {
        let moment = Mutex<Duration?>(nil)
        let state = try await World(
            Self.start + [World.call(1)],
            mayGoOn: { state, time in
                guard state.input.count == 1 else { return !state.input.isEmpty || Self.streams(state) == 9 }
                // The last pause is over, too.
                let begin = moment.withLock { moment in
                    if moment == nil, Self.streams(state) == 8 { moment = time.bootTime }
                    return moment
                }
                return begin.map { time.bootTime > $0 + .seconds(120) } ?? false
            }
        ) { number, request in
            switch request.method {
            case .get: number < 12 ? World.status(503) : World.status(405)
            default: World.id(request).map { $0 == 0 ? World.opened("s1") : World.json(World.result($0)) } ?? World.status(202)
            }
        }.run(stepping: .seconds(1))
        #expect(Self.streams(state) == 9)
    }

    /// A server that restarts while the client is quiet must hear of the client again.
    @Test func streamNoticesThatTheSessionIsLost() async throws {
        let state = try await World(Self.start, mayGoOn: { state, _ in !state.input.isEmpty || Self.streams(state) == 3 }) {
            number, request in
            let session = request.headers.first { $0.name == "Mcp-Session-Id" }?.value
            switch (request.method, session) {
            case (.get, "s1"):
                return request.headers.contains { $0.name == "Last-Event-ID" } ? World.status(404) : World.stream("id: 1\ndata:\n\n")
            case (.get, _): return World.status(405)
            case (.post, nil): return World.opened(number == 1 ? "s1" : "s2")
            default: return World.status(202)
            }
        }.run(stepping: .seconds(1))
        #expect(state.sent("\"initialize\"").count == 2)
        #expect(state.sent("notifications/initialized").count == 2)
        #expect(state.output.count == 1)
    }

    /// While the server restarts, the session cannot be opened again; afterwards it can.
    @Test func sessionIsOpenedAgainAfterAFailure() async throws {
        let openings = Mutex(0)
        let state = try await World(
            Self.start + [World.call(1), World.call(2)], mayGoOn: { state, _ in state.input.count != 1 || state.output.count == 2 }
        ) { _, request in
            let session = request.headers.first { $0.name == "Mcp-Session-Id" }?.value
            guard request.method == .post else { return World.status(405) }
            switch World.id(request) {
            case 0?:
                let number = openings.withLock { count in
                    count += 1
                    return count
                }
                return number == 2 ? World.status(503) : World.opened("s\(number)")
            case let id?: return session == "s3" ? World.json(World.result(id)) : World.status(session == nil ? 400 : 404)
            case nil: return World.status(202)
            }
        }.run()
        #expect(state.output.last == World.result(2), "\(state.output)")
        #expect(state.output.count == 3)
    }

    /// A server that works for long may tell only that it still does.
    @Test func eventsWithoutDataKeepAStreamAlive() async throws {
        let state = try await World([World.call(1)], mayGoOn: { state, _ in !state.input.isEmpty || !state.output.isEmpty }) {
            number, request in
            guard request.method == .get else { return World.stream("id: 0\nretry: 1000\ndata:\n\n") }
            return World.stream(number < 20 ? "id: \(number)\ndata:\n\n" : "data: \(World.result(1))\n\n")
        }.run(stepping: .milliseconds(200))
        #expect(state.output == [World.result(1)])
    }

    @Test func silentServerIsNotAwaitedForever() async throws {
        let state = try await World(
            [World.call(1)], delay: { _, _ in while !Task.isCancelled { await Task.yield() } },
            mayGoOn: { state, _ in !state.input.isEmpty || !state.output.isEmpty }
        ) { _, _ in World.status(200) }.run(stepping: .seconds(1))
        #expect(state.output.count == 1)
        #expect(state.output.first?.contains("did not answer within 5 minutes") == true, "\(state.output)")
    }

    /// A stream with an answer is ended when the server is silent for too long; comments are enough to keep it.
    @Test func silentStreamIsNotAwaitedForever() async throws {
        let body = ResponseBody(resume: {}, cancel: {})
        let world = World([World.call(1)], mayGoOn: { state, _ in !state.input.isEmpty || !state.output.isEmpty }) { _, _ in
            World.stream(body)
        }
        let start = world.time.bootTime
        let state = try await world.run(stepping: .seconds(1))
        #expect(state.output.first?.contains("may have carried the request out") == true)
        #expect(world.time.bootTime - start >= .seconds(300))
    }

    /// Nor is one at which a lost session is opened again: all requests wait for it, also while it sends something else.
    @Test(arguments: [false, true]) func silentOpeningIsNotAwaitedForever(sendsEvents: Bool) async throws {
        let body = ResponseBody(resume: {}, cancel: {})
        let last = Mutex(Duration.zero)
        let state = try await Self.losingTheSession(
            mayGoOn: { state, time in
                let isDue = last.withLock { last in
                    guard time.bootTime - last >= .seconds(100) else { return false }
                    last = time.bootTime
                    return true
                }
                if sendsEvents, isDue { body.send("event: ping\ndata: 1\n\n") }
                return !state.input.isEmpty || state.output.count == 2
            }
        ) { World.stream(body) }.run(stepping: .seconds(1))
        #expect(state.output.last?.contains("\"id\":1,\"error\"") == true, "\(state.output)")
    }

    @Test func refusalInTheStreamOfAnOpeningIsAFailure() async throws {
        let refusal = #"{"jsonrpc":"2.0","id":0,"error":{"code":-32603,"message":"no"}}"#
        let state = try await Self.losingTheSession(mayGoOn: { state, _ in !state.input.isEmpty || state.output.count == 2 }) {
            World.stream("data: \(refusal)\n\n")
        }.run()
        #expect(state.output.last?.contains("\"id\":1,\"error\"") == true, "\(state.output)")
        #expect(state.sent("notifications/initialized").count == 1)
    }

    /// Returns a client whose call finds the session lost, and a server that answers with `reopening` when another one is opened.
    private static func losingTheSession(
        mayGoOn: @escaping @Sendable (World.State, ManualTime) -> Bool, _ reopening: @escaping @Sendable () -> StreamedResponse
    ) -> World {
        let isOpen = Mutex(false)
        return World(start + [World.call(1)], mayGoOn: mayGoOn) { _, request in
            guard request.method == .post else { return World.status(405) }
            switch World.id(request) {
            case 0?:
                let wasOpen = isOpen.withLock { isOpen in
                    defer { isOpen = true }
                    return isOpen
                }
                return wasOpen ? reopening() : World.opened("s1")
            case 1?: return World.status(404)
            default: return World.status(202)
            }
        }
    }

    /// Nothing need happen in a subscription for hours.
    @Test func subscriptionMayBeSilent() async throws {
        let body = ResponseBody(resume: {}, cancel: {})
        let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#
        let isSent = Mutex(false)
        let world = World(
            [#"{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{}}"#],
            mayGoOn: { state, time in
                if time.bootTime > .seconds(20_000),
                    isSent.withLock({ sent in
                        defer { sent = true }
                        return !sent
                    })
                {
                    body.send("data: \(answer)\n\n")
                }
                return !state.input.isEmpty || !state.output.isEmpty
            }
        ) { _, _ in World.stream(body) }
        #expect(try await world.run(stepping: .seconds(100)).output == [answer])
    }
}
