@testable import Agent
import AuthModel
import Glibc
import ProcessHarness
import Synchronization
import TestSupport
import Testing

/// Answers to token requests that the agent gives from memory: they must be the same as all others, and never outdated.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct CachedAnswerTests {
    private let time = ManualTime()
    private let home: TemporaryHome
    private let inner = ScriptedSessionService()
    private let machine = Machine()

    init() throws { home = try TemporaryHome() }

    /// What changes outside the agent.
    private final class Machine: Sendable {
        /// The revision of the configuration.
        let revision = Mutex([1])
        let slept = Mutex(Duration.zero)
    }

    private struct World {
        let time: ManualTime
        let inner: ScriptedSessionService
        let sessions: AgentSessionService
        let agent: AgentService

        /// Requests the token as any request is answered, which caches it.
        func fill(_ body: String = CachedAnswerTests.body) async -> [UInt8] {
            guard case .document(200, let bytes) = await agent.answer(CachedAnswerTests.request(body)) else { return [] }
            return bytes
        }

        func cached(_ body: String = CachedAnswerTests.body) -> [UInt8]? {
            guard case .document(200, let bytes)? = agent.cachedAnswer(CachedAnswerTests.request(body)) else { return nil }
            return bytes
        }
    }

    private static let body = "{\"session\":\"work/Ada Lovelace\"}"

    private static func request(_ body: String, target: String = "/v1/token", process: Int32 = getpid()) -> AgentRequest {
        AgentRequest(
            method: "POST", target: target, protocolVersion: "1", body: Array(body.utf8), caller: Caller(process: process, user: geteuid()))
    }

    private func world(idleLimit: Duration? = nil, exitLimit: Duration? = nil) async throws -> World {
        var session = Sample.session
        session.receivedAt = time.now
        session.isRenewable = false
        session.accessExpiresAt = time.now + .seconds(3600)
        await inner.change { [session] in $0.summary = session }
        let log = ActivityLog(folder: home.path)
        let (inner, machine) = (inner, machine)
        let sessions = AgentSessionService(
            source: SessionServiceSource(revision: { machine.revision.withLock { $0 } }, make: { inner }), log: log, time: time,
            idleLimit: idleLimit, exitLimit: exitLimit, suspension: SuspensionClock { machine.slept.withLock { $0 } }, seed: 1)
        try await sessions.start()
        let facts = AgentFacts(
            version: "test", home: AgentHome(store: home.path + "/store", configuration: home.path + "/config.toml"), startedAt: time.now,
            trustedFiles: [])
        let agent = AgentService(service: sessions, facts: facts, log: log, time: time, stop: {})
        return World(time: time, inner: inner, sessions: sessions, agent: agent)
    }

    private func filled() async throws -> World {
        let world = try await world()
        let first = await world.fill()
        try #require(!first.isEmpty)
        try #require(world.cached() == first)
        return world
    }

    @Test func isTheSameAnswer() async throws {
        let world = try await world()
        #expect(world.cached() == nil)
        let first = await world.fill()
        #expect(!first.isEmpty)
        for _ in 0..<3 { #expect(world.cached() == first) }
        #expect(await inner.asked.count == 1)
        await world.sessions.end()
    }

    /// A proxy asks for each of its requests, so its answers come from memory too, and end with a lock like all others.
    @Test func resourceOfANamedSessionIsAnswered() async throws {
        let world = try await world()
        let body = "{\"session\":\"work/Ada Lovelace\",\"resource\":\"https://api.example.org/\"}"
        let first = await world.fill(body)
        #expect(!first.isEmpty && world.cached(body) == first)
        for other in ["api.example.org/x\"", "api.example.org/\",\"refused\":\"at-1\""] {
            #expect(world.cached("{\"session\":\"work/Ada Lovelace\",\"resource\":\"https://\(other)}") == nil)
        }
        try await world.sessions.lock()
        #expect(world.cached(body) == nil)
        await world.sessions.end()
    }

    @Test func resourceWithoutAnAccountIsNotAnswered() async throws {
        let world = try await world()
        let body = "{\"session\":\"work\",\"resource\":\"https://api.example.org/\"}"
        #expect(await !world.fill(body).isEmpty)
        #expect(world.cached(body) == nil)
        await world.sessions.end()
    }

    /// The log counts each use of a program, with the time and the process of the last one.
    @Test func everyUseIsRecorded() async throws {
        let world = try await filled()
        time.advance(by: .seconds(1))
        let other = Self.request(Self.body, process: 1)
        guard case .document(200, _)? = world.agent.cachedAnswer(other) else { throw HarnessError("no answer") }
        let records = try world.agent.log.recent().filter { $0.activity.kind == .issued }
        #expect(records.map(\.process) == [1, getpid()])
        #expect(records.map(\.activity.count) == [1, 2])
        #expect(records.map(\.activity.at) == [time.now, time.now - .seconds(1)])
        #expect(records[1].program == Caller(process: getpid(), user: geteuid()).program)
        #expect(records.allSatisfy { $0.activity.session == Sample.name })
        await world.sessions.end()
    }

    @Test(arguments: [
        "{\"session\":\"work/bob\"}", "{\"session\":\"work\"}", "{\"session\":\"work/Ada Lovelace\",\"kind\":\"id\"}",
        "{\"session\":\"work/Ada Lovelace\",\"scopes\":[\"read\"]}", "{\"session\":\"work/Ada Lovelace\",\"audience\":\"https://a/\"}",
        "{\"session\":\"work/Ada Lovelace\",\"min_valid\":100000000}", "{\"session\":\"work/Ada Lovelace\",\"refused\":\"at-1\"}",
        "{\"session\":\"work/Ada Lovelace\",\"resource\":\"https://api.example.org/\"}",
        "{\"session\":\"work/Ada Lovelace\",\"session\":\"work/Ada Lovelace\"}", "{\"session\":\"work/Ada Lovelace\"", "",
    ])
    func anotherRequestIsNotAnswered(body: String) async throws {
        let world = try await filled()
        #expect(world.cached(body) == nil)
        await world.sessions.end()
    }

    @Test func anotherHomeProtocolAndPathAreNotAnswered() async throws {
        let world = try await filled()
        var requests = [Self.request(Self.body, target: "/v1/token?x=1"), Self.request(Self.body, target: "/v1/renew")]
        for index in 0..<4 {
            var request = Self.request(Self.body)
            switch index {
            case 0: request.protocolVersion = "2"
            case 1: request.store = "/elsewhere"
            case 2: request.configuration = "/elsewhere"
            default: request.method = "GET"
            }
            requests.append(request)
        }
        for request in requests { #expect(world.agent.cachedAnswer(request) == nil) }
        await world.sessions.end()
    }

    /// The changes of a session, of the configuration, of the lock and of the time after which an answer is outdated.
    enum Change: CaseIterable {
        case renewed, signedOut, activated, adopted, revoked, refused, locked, unlockedAgain, slept, reconfigured, aged, ended
    }

    @Test(arguments: Change.allCases)
    func aChangeMakesTheAnswerOutdated(change: Change) async throws {
        let world = try await filled()
        let service = world.sessions
        switch change {
        case .renewed: _ = try await service.renew(Sample.name)
        case .signedOut: _ = try await service.signOut(Sample.name, mode: .localOnly)
        case .activated: try await service.makeDefault("bob", at: Sample.name.provider)
        case .adopted:
            try await service.adopt(Secret("new"), inPlaceOf: Secret("old"), in: Sample.name, from: Sample.registration)
        case .revoked: _ = try await service.revokeRemoteToken("t-1", of: Sample.name)
        case .refused: _ = await world.fill("{\"session\":\"work/Ada Lovelace\",\"refused\":\"at-1\"}")
        case .locked: try await service.lock()
        case .unlockedAgain:
            try await service.lock()
            try await service.unlock(passphrase: Secret("open sesame"))
        case .slept: machine.slept.withLock { $0 += .seconds(60) }
        case .reconfigured: machine.revision.withLock { $0 = [2] }
        case .aged: time.advance(by: IssuedTokenCache.lifetime)
        case .ended: await service.end()
        }
        #expect(world.cached() == nil)
        if change != .ended { await service.end() }
    }

    /// Another process removed, renewed or ended the session, which the store reports.
    @Test(arguments: [0, 1, 2])
    func aChangeByAnotherProcessMakesTheAnswerOutdated(kind: Int) async throws {
        let world = try await filled()
        var events = await world.sessions.events().makeAsyncIterator()
        var session = await inner.summary
        session.receivedAt = session.receivedAt + .seconds(1)
        if kind == 1 { session.recordedState = .needsSignIn }
        await inner.announce(.sessionsChanged(kind == 2 ? [] : [session]))
        _ = await events.next()
        #expect(world.cached() == nil)
        await world.sessions.end()
    }

    @Test func aSealChangeMakesTheAnswerOutdated() async throws {
        let world = try await filled()
        var events = await world.sessions.events().makeAsyncIterator()
        await inner.announce(.storeStateChanged(.locked(isNew: false)))
        _ = await events.next()
        #expect(world.cached() == nil)
        await world.sessions.end()
    }

    /// A locked store is checked before each request; a token that was requested during the lock must not be kept.
    @Test func nothingIsKeptDuringALock() {
        let cache = IssuedTokenCache()
        let request = TokenRequest(session: Sample.name)
        let now = Timestamp(milliseconds: 1_799_999_000_000)
        func insert() { cache.insert(Sample.grant, for: request, generation: cache.generation, bootTime: .zero) }
        cache.beginLock()
        insert()
        #expect(cache.token(for: request, now: now, bootTime: .zero) == nil)
        let during = cache.generation
        cache.endLock()
        cache.insert(Sample.grant, for: request, generation: during, bootTime: .zero)
        #expect(cache.token(for: request, now: now, bootTime: .zero) == nil)
        insert()
        #expect(cache.token(for: request, now: now, bootTime: .zero)?.issued == Sample.grant)
    }

    /// The user's consent is for one use, and a policy applies to each request.
    @Test(arguments: [TokenPolicy.ask, .deny])
    func policyIsAskedForEachRequest(policy: TokenPolicy) async throws {
        let world = try await world()
        await inner.change { $0.policy = policy }
        for body in [Self.body, "{\"session\":\"work/Ada Lovelace\",\"consent\":\"given\"}"] {
            _ = await world.fill(body)
            #expect(world.cached(body) == nil)
            #expect(world.cached() == nil)
        }
        await world.sessions.end()
    }

    @Test func useRestartsTheIdleTime() async throws {
        let world = try await world(exitLimit: .seconds(600))
        let idle = Task { await world.sessions.waitUntilIdle() }
        await time.until(sleepers: 1)
        time.advance(by: .seconds(498))
        _ = await world.fill()
        time.advance(by: .seconds(2))
        #expect(world.cached() != nil)
        time.advance(by: .seconds(100))
        await time.until(sleepers: 1)
        time.advance(by: .seconds(500))
        await idle.value
        await world.sessions.end()
    }

    @Test func observersSeeEachUse() async throws {
        let world = try await filled()
        var events = await world.sessions.events().makeAsyncIterator()
        #expect(world.cached() != nil)
        guard case .activity(let activity)? = await events.next() else { throw HarnessError("no activity") }
        #expect(activity.kind == .issued)
        #expect(activity.session == Sample.name)
        await world.sessions.end()
    }

    @Test func memoKeepsNoSecretAndStaysSmall() {
        let memo = TokenRequestMemo()
        for number in 0...TokenRequestMemo.limit {
            let body = Array("{\"session\":\"work/person\(number)\"}".utf8)
            #expect(memo.request(in: body)?.session == Sample.named("work/person\(number)"))
            #expect(memo.requests.withLock { $0.count } <= TokenRequestMemo.limit)
        }
        let count = memo.requests.withLock { $0.count }
        #expect(memo.request(in: Array("{\"session\":\"work\",\"refused\":\"at-1\"}".utf8)) == nil)
        #expect(memo.requests.withLock { $0.count } == count)
    }

    /// Several connections' requests through the server.
    @Test func theServerAnswersOneRequestAtATime() async throws {
        let world = try await filled()
        try await AgentFixture.run(world.sessions) { fixture in
            let head = "POST /v1/token HTTP/1.1\r\nHost: yett\r\nYett-Protocol: 1\r\nContent-Length: \(Self.body.utf8.count)\r\n"
            let request = head + "\r\n" + Self.body
            let raw = try RawConnection(fixture.place)
            var answers: Set<String> = []
            for _ in 0..<3 {
                raw.send(request)
                answers.insert(await raw.read(upTo: "}"))
            }
            let answer = try #require(answers.first)
            #expect(answers.count == 1)
            #expect(answer.hasPrefix("HTTP/1.1 200 OK\r\n"))
            #expect(answer.contains("\r\nConnection: keep-alive\r\n"))
            // The input after the first request arrived before its answer.
            raw.send(request + request)
            let last = await raw.readAll()
            #expect(last == answer.replacing("keep-alive", with: "close"))
            #expect(await world.inner.asked.count == 1)
            #expect(try fixture.log.recent().reduce(0) { $0 + $1.activity.count } == 4)
        }
        await world.sessions.end()
    }
}
