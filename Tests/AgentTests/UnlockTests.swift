@testable import Agent
import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// When a passphrase attempt may be made. The numbers of processes and sessions are made up.
struct UnlockThrottleTests {
    private var throttle = UnlockThrottle()

    private func attempt(_ number: Int, process: Int32 = 10, session: Int32 = 1) -> UnlockThrottle.Attempt {
        UnlockThrottle.Attempt(number: number, process: process, session: session)
    }

    /// Makes a wrong attempt as early as allowed, and returns its time.
    private mutating func fail(_ own: UnlockThrottle.Attempt, at now: Duration) throws -> Duration {
        #expect(throttle.join(own) == [])
        let turn = max(now, try #require(throttle.nextTurn))
        #expect(turn == now || throttle.next(at: turn - .milliseconds(1)) == nil)
        #expect(throttle.next(at: turn) == own)
        throttle.fail(own, at: turn)
        return turn
    }

    @Test mutating func delayGrowsToTenSeconds() throws {
        var turns = [Duration.seconds(50)]
        for number in 1...7 { turns.append(try fail(attempt(number), at: turns[number - 1])) }
        #expect(zip(turns.dropFirst(2), turns.dropFirst()).map { $0 - $1 } == [1, 2, 4, 8, 10, 10].map(Duration.seconds))
    }

    @Test mutating func delayAppliesToNewProcesses() throws {
        var now = Duration.zero
        for number in 1...5 { now = try fail(attempt(number, process: Int32(number), session: Int32(number)), at: now) }
        #expect(now == .seconds(15))
        #expect(throttle.pause(at: now) == .seconds(10))
    }

    /// Many commands that start at once with the passphrase all get their turn; after a wrong attempt, only a few do.
    @Test mutating func wrongAttemptLimitsTheQueue() throws {
        for number in 1...20 {
            let gone = throttle.join(attempt(number, process: Int32(number)))
            #expect(gone.isEmpty)
        }
        let turn = throttle.next(at: .zero)
        let first = try #require(turn)
        let gone = throttle.fail(first, at: .zero)
        #expect(gone.map(\.number) == Array((2 + UnlockThrottle.capacity)...20))
        let late = throttle.join(attempt(21, process: 21))
        #expect(late == [attempt(21, process: 21)])
    }

    @Test mutating func attemptsRunOneAtATime() {
        _ = throttle.join(attempt(1))
        _ = throttle.join(attempt(2, process: 20))
        #expect(throttle.next(at: .zero) != nil)
        #expect(throttle.next(at: .seconds(100)) == nil)
        #expect(throttle.nextTurn == nil)
    }

    @Test mutating func newestAttemptOfAProcessReplacesTheOlder() {
        _ = throttle.join(attempt(1))
        #expect(throttle.join(attempt(2)) == [attempt(1)])
        #expect(throttle.next(at: .zero) == attempt(2))
        let waits = throttle.leave(1)
        #expect(!waits)
    }

    @Test mutating func attemptsRunInOrder() {
        _ = throttle.join(attempt(1, process: 10))
        _ = throttle.join(attempt(2, process: 20))
        // The process sent another attempt, so its turn comes later.
        _ = throttle.join(attempt(3, process: 10))
        #expect(throttle.next(at: .zero) == attempt(2, process: 20))
    }

    @Test(arguments: [(10, 2), (11, 1), (11, 2)] as [(process: Int32, session: Int32)])
    mutating func guessingProcessLetsOthersGoFirst(otherCaller: (process: Int32, session: Int32)) throws {
        var now = Duration.zero
        for number in 1...4 { now = try fail(attempt(number), at: now) }
        let own = attempt(5, process: otherCaller.process == 10 ? 12 : otherCaller.process, session: otherCaller.session)
        #expect(throttle.join(own) == [])
        // The guesses continue, and come later.
        for number in 6...40 { #expect(throttle.join(attempt(number)).count == (number == 6 ? 0 : 1)) }
        now = try #require(throttle.nextTurn)
        #expect(throttle.next(at: now) == own)
    }

    @Test mutating func manyProcessesOfOneSessionDoNotBlockOthers() throws {
        let now = try fail(attempt(1), at: .zero)
        var gone = 0
        for number in 2...100 { gone += throttle.join(attempt(number, process: Int32(100 + number))).count }
        #expect(gone == 99 - UnlockThrottle.capacity)
        let own = attempt(101, process: 500, session: 2)
        #expect(throttle.join(own).count == 1)
        #expect(throttle.next(at: now + .seconds(1)) == own)
    }

    @Test mutating func correctPassphraseResetsTheDelay() throws {
        var now = Duration.zero
        for number in 1...5 { now = try fail(attempt(number), at: now) }
        let right = attempt(6)
        _ = throttle.join(right)
        #expect(throttle.next(at: now + .seconds(10)) == right)
        throttle.succeed()
        #expect(try fail(attempt(7), at: now + .seconds(11)) == now + .seconds(11))
        #expect(throttle.pause(at: now + .seconds(11)) == .seconds(1))
    }

    @Test mutating func cancelledAttemptLeavesTheQueue() {
        _ = throttle.join(attempt(1))
        let waited = throttle.leave(1)
        #expect(waited)
        #expect(throttle.nextTurn == nil)
        #expect(throttle.next(at: .zero) == nil)
    }
}

/// Unlock requests of processes that the kernel knows: this process and process 1.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct UnlockTests {
    private let time = ManualTime()
    private let inner = ScriptedSessionService()
    private let service: AgentService
    private let guesser = Caller(process: ownProcess, user: 0)
    private let otherCaller = Caller(process: 1, user: 0)

    init() throws {
        let home = AgentHome(store: "/data", configuration: "/config")
        service = AgentService(
            service: inner, facts: AgentFacts(version: "test", home: home, startedAt: time.now, trustedFiles: []),
            log: ActivityLog(folder: nil),
            time: time,
            stop: {})
    }

    /// Returns the HTTP status of an unlock attempt.
    private func unlock(_ passphrase: String, by caller: Caller) async -> Int? {
        let body = JSONValue.members(("passphrase", .string(passphrase))).text
        let request = AgentRequest(method: "POST", target: "/v1/unlock", body: Array(body.utf8), caller: caller)
        guard case .document(let status, _) = await service.answer(request) else { return nil }
        return status
    }

    @Test func delaysWrongPassphrasesButNoOtherRequests() async throws {
        try await inner.lock()
        #expect(await unlock("wrong", by: guesser) == 409)
        async let second = unlock("wrong too", by: guesser)
        await time.until(sleepers: 1)
        #expect(await inner.unlocks == 1)
        let seal = AgentRequest(method: "GET", target: "/v1/seal", body: [], caller: guesser)
        guard case .document(200, _) = await service.answer(seal) else {
            Issue.record("the seal is not told of")
            return
        }
        time.advance(by: .seconds(1))
        #expect(await second == 409)
        async let third = unlock("open sesame", by: guesser)
        await time.until(sleepers: 1)
        time.advance(by: .seconds(2))
        #expect(await third == 200)
        #expect(try await inner.storeState() == .unlocked)
    }

    @Test func floodIsRefusedAndTheUserIsNext() async throws {
        try await inner.lock()
        for _ in 0..<4 {
            async let wrong = unlock("wrong", by: guesser)
            if await inner.unlocks > 0 { await time.until(sleepers: 1) }
            time.advance(by: .seconds(10))
            #expect(await wrong == 409)
        }
        try await withThrowingTaskGroup(of: Int?.self) { flood in
            for number in 0..<200 { flood.addTask { await unlock("guess \(number)", by: guesser) } }
            // All but the one that waits.
            for _ in 0..<199 { #expect(try await flood.next() == 429) }
            async let right = unlock("open sesame", by: otherCaller)
            try await eventually("the two do not wait") { await service.unlocking.waiting.count == 2 }
            time.advance(by: .seconds(10))
            #expect(await right == 200)
            #expect(await inner.unlocks == 5)
            // The store is open by now, so nothing is tried.
            #expect(try await flood.next() == 200)
        }
    }

    @Test func cancelledRequestLeavesTheQueue() async throws {
        try await inner.lock()
        #expect(await unlock("wrong", by: guesser) == 409)
        let gone = Task { await unlock("wrong", by: otherCaller) }
        await time.until(sleepers: 1)
        gone.cancel()
        #expect(await gone.value == 409)
        #expect(await inner.unlocks == 1)
        #expect(time.sleeperCount == 0)
    }
}
