@testable import Agent
import AuthModel
import TestSupport
import Testing

/// Renewal planning on clocks that only a test moves.
@Suite(.startsPrograms) struct RenewalScheduleTests {
    private let civil = Timestamp(milliseconds: 1_800_000_000_000)
    private let boot = Duration.seconds(1000)

    private func session(_ name: String = "work/ada", lifetime: Duration = .seconds(3600), age: Duration = .zero) -> SessionSummary {
        var session = Sample.session
        session.name = Sample.named(name)
        session.receivedAt = civil - age
        session.accessExpiresAt = civil - age + lifetime
        return session
    }

    private func schedule(_ sessions: [SessionSummary], seed: UInt64 = 1) -> RenewalSchedule {
        var schedule = RenewalSchedule(seed: seed)
        schedule.update(sessions, now: civil, bootTime: boot)
        return schedule
    }

    /// Runs all renewals that are due until `end`, and returns the times at which they began.
    private func run(_ schedule: inout RenewalSchedule, until end: Duration, outcome: AuthFailure?) -> [Duration] {
        var begins: [Duration] = []
        var now = boot
        while let wake = schedule.nextWake(), wake <= end, begins.count < 10_000 {
            now = max(now, wake)
            guard let next = schedule.begin(bootTime: now) else { break }
            begins.append(now)
            schedule.finish(next.name, next.basis, outcome, bootTime: now)
        }
        return begins
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func hourlyTokenIsRenewedTenToFifteenMinutesAhead(seed: UInt64) throws {
        let wake = try #require(schedule([session()], seed: seed).nextWake())
        #expect((Duration.seconds(2700)...Duration.seconds(3000)).contains(wake - boot))
    }

    @Test(arguments: [(300, 120, 210), (120, 30, 60), (60, 30, 30), (10, 30, 30), (0, 30, 30), (-5, 30, 30)])
    func shortLivedTokenIsRenewedInItsLaterHalf(lifetime: Int, earliest: Int, latest: Int) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let wake = try #require(schedule([session(lifetime: .seconds(lifetime))], seed: seed).nextWake())
            #expect((Duration.seconds(earliest)...Duration.seconds(latest)).contains(wake - boot))
        }
    }

    /// Such as an access token that renews itself. A machine that is off in its last minutes would lose the session.
    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func sessionThatEndsWithItsTokenIsRenewedAfterHalfOfIt(seed: UInt64) throws {
        let day = Duration.seconds(86_400)
        var last = session(lifetime: day * 60)
        last.refreshExpiresAt = last.accessExpiresAt
        let wake = try #require(schedule([last], seed: seed).nextWake())
        #expect((day * 15...day * 30).contains(wake - boot))
        last.refreshExpiresAt = civil + day * 10
        let sooner = try #require(schedule([last], seed: seed).nextWake())
        #expect((day * 2...day * 5).contains(sooner - boot))
    }

    /// Its refusal would end a session whose access token is valid for longer.
    @Test func endedRefreshTokenIsNotSent() throws {
        var short = session(lifetime: .seconds(36_000))
        short.refreshExpiresAt = civil + .seconds(1800)
        var suspended = schedule([short])
        #expect(try #require(suspended.nextWake()) <= boot + .seconds(900))
        let late = suspended.begin(bootTime: boot + .seconds(1800))
        #expect(late == nil)
        #expect(suspended.nextWake() == nil)
        var failing = schedule([short])
        let begins = run(&failing, until: boot + .seconds(36_000), outcome: AuthFailure(.unavailable(retryAfter: nil), text: "down"))
        #expect(begins.count > 1 && begins.allSatisfy { $0 < boot + .seconds(1800) })
        short.receivedAt = civil - .seconds(3600)
        short.refreshExpiresAt = civil - .seconds(1800)
        #expect(schedule([short]).nextWake() == nil)
    }

    @Test func sessionWithoutAnEndInSightIsNotRenewedAtOnce() throws {
        var far = session(lifetime: .seconds(3_155_760_000))
        far.refreshExpiresAt = far.accessExpiresAt
        #expect(try #require(schedule([far]).nextWake()) > boot + .seconds(86_400))
    }

    @Test func expiredSessionIsDueAtOnce() {
        #expect(schedule([session(age: .seconds(7200))]).nextWake() == boot)
    }

    @Test func ignoresSessionsThatCannotBeRenewed() {
        var fixed = session("a/1")
        fixed.isRenewable = false
        var dead = session("a/2")
        dead.recordedState = .needsSignIn
        var endless = session("a/3")
        endless.accessExpiresAt = nil
        #expect(schedule([fixed, dead, endless]).nextWake() == nil)
    }

    @Test func extremeTimesDoNotTrap() throws {
        var far = session()
        far.accessExpiresAt = .distantFuture
        far.receivedAt = Timestamp(milliseconds: .min / 2)
        #expect(try #require(schedule([far]).nextWake()) >= boot)
        far.receivedAt = .distantFuture
        #expect(try #require(schedule([far]).nextWake()) >= boot)
    }

    @Test(arguments: [-86_400, 86_400])
    func clockJumpDoesNotMoveTheRenewal(seconds: Int) throws {
        var schedule = schedule([session()])
        let wake = schedule.nextWake()
        schedule.update([session()], now: civil + .seconds(seconds), bootTime: boot + .seconds(1))
        #expect(schedule.nextWake() == wake)
    }

    @Test func clockSetBackCountsTheTokensAsNew() throws {
        var schedule = RenewalSchedule(seed: 1)
        schedule.update([session()], now: civil - .seconds(86_400), bootTime: boot)
        #expect(try #require(schedule.nextWake()) <= boot + .seconds(3000))
    }

    @Test func newTokensAreRescheduled() throws {
        var schedule = schedule([session()])
        let wake = try #require(schedule.nextWake())
        var renewed = session()
        renewed.receivedAt = civil + .seconds(1000)
        renewed.accessExpiresAt = civil + .seconds(4600)
        schedule.update([renewed], now: civil + .seconds(1000), bootTime: boot + .seconds(1000))
        #expect(try #require(schedule.nextWake()) > wake + .seconds(600))
        schedule.update([], now: civil, bootTime: boot)
        #expect(schedule.nextWake() == nil)
    }

    @Test func dueRenewalsAreSpacedOut() {
        let sessions = (0..<1000).map { session("work/\($0)", age: .seconds(7200)) }
        var schedule = schedule(sessions)
        let begins = run(&schedule, until: boot + .seconds(86_400), outcome: AuthFailure(.signInAgain, text: "ended"))
        #expect(begins.count == 1000)
        #expect(zip(begins, begins.dropFirst()).allSatisfy { $1 - $0 >= RenewalSchedule.pace })
    }

    @Test func limitsConcurrentRenewals() throws {
        var schedule = schedule((0..<10).map { session("work/\($0)", age: .seconds(7200)) })
        var running: [(name: SessionName, basis: RenewalSchedule.Basis)] = []
        var now = boot
        while let wake = schedule.nextWake() {
            now = max(now, wake)
            let begun = schedule.begin(bootTime: now)
            running.append(try #require(begun))
        }
        #expect(running.count == RenewalSchedule.concurrency)
        #expect(Set(running.map(\.name)).count == running.count)
        schedule.finish(running[0].name, running[0].basis, nil, bootTime: now)
        #expect(schedule.nextWake() != nil)
    }

    /// A session that such a failure ended is no longer scheduled.
    @Test(arguments: [AuthFailure.Kind.unavailable(retryAfter: nil), .security, .configuration, .denied(code: nil), .timedOut])
    func failedRenewalBacksOff(_ kind: AuthFailure.Kind) {
        var schedule = schedule([session(age: .seconds(7200))])
        let begins = run(&schedule, until: boot + .seconds(86_400), outcome: AuthFailure(kind, text: "down"))
        let pauses = zip(begins, begins.dropFirst()).map { $1 - $0 }
        #expect(pauses.count > 70)
        #expect(pauses.count < 110)
        #expect((Duration.seconds(30)..<Duration.seconds(38)).contains(pauses[0]))
        #expect(pauses.allSatisfy { $0 <= RenewalSchedule.maximumBackOff * 5 / 4 })
        #expect(pauses.dropFirst(6).allSatisfy { $0 >= RenewalSchedule.maximumBackOff })
    }

    @Test func finalFailureIsNotRetried() {
        var schedule = schedule([session(age: .seconds(7200))])
        #expect(run(&schedule, until: boot + .seconds(864_000), outcome: AuthFailure(.signInAgain, text: "ended")).count == 1)
    }

    /// The engine reports the new tokens before the renewal that brought them has returned.
    @Test func planForNewTokensSurvivesTheEndOfTheRenewal() throws {
        var schedule = schedule([session(age: .seconds(7200))])
        let begun = schedule.begin(bootTime: boot)
        let started = try #require(begun)
        schedule.update([session(age: .zero)], now: civil, bootTime: boot)
        #expect(schedule.nextWake() == nil)
        schedule.finish(started.name, started.basis, nil, bootTime: boot)
        #expect(schedule.nextWake() != nil)
    }

    @Test func endedSessionIsNotScheduled() throws {
        var schedule = schedule([session(age: .seconds(7200))])
        let begun = schedule.begin(bootTime: boot)
        let started = try #require(begun)
        schedule.finish(started.name, started.basis, AuthFailure(.security, text: "spoilt"), bootTime: boot)
        var ended = session(age: .seconds(7200))
        ended.isRenewable = false
        ended.recordedState = .error
        schedule.update([ended], now: civil, bootTime: boot)
        #expect(schedule.nextWake() == nil)
    }

    @Test func retryAfterAppliesToAllSessionsOfTheProvider() throws {
        var schedule = schedule([session("work/a", age: .seconds(7200)), session("work/b", age: .seconds(7200))])
        let begun = schedule.begin(bootTime: boot)
        let first = try #require(begun)
        schedule.finish(first.name, first.basis, AuthFailure(.unavailable(retryAfter: .seconds(600)), text: "slow down"), bootTime: boot)
        #expect(schedule.nextWake() == boot + .seconds(600))
        let early = schedule.begin(bootTime: boot + .seconds(599))
        #expect(early == nil)
        let onTime = schedule.begin(bootTime: boot + .seconds(600))
        #expect(onTime != nil)
    }

    /// Another process received Retry-After from the provider and stored it.
    @Test(arguments: [(300, 300), (-300, 0), (1_000_000, 0)])
    func storedRetryAfterIsRespected(seconds: Int, delay: Int) throws {
        var expired = session(lifetime: .seconds(60), age: .seconds(600))
        var plan = schedule([expired])
        expired.nextRenewalAt = civil + .seconds(seconds)
        plan.update([expired], now: civil, bootTime: boot)
        #expect(plan.nextWake() == boot + .seconds(delay))
    }

    @Test func retryAfterIsLimited() throws {
        var schedule = schedule([session(age: .seconds(7200))])
        let begun = schedule.begin(bootTime: boot)
        let first = try #require(begun)
        schedule.finish(
            first.name, first.basis, AuthFailure(.unavailable(retryAfter: .seconds(1_000_000)), text: "slow down"), bootTime: boot)
        #expect(schedule.nextWake() == boot + RenewalSchedule.longestRetryAfter)
    }

    @Test func reportsTheRenewalTimeOnTheCivilClock() throws {
        let schedule = schedule([session()])
        let wake = try #require(schedule.nextWake())
        let later = Duration.seconds(10)
        #expect(schedule.plannedAt(Sample.named("work/ada"), now: civil + later, bootTime: boot + later) == civil + (wake - boot))
        #expect(schedule.plannedAt(Sample.named("work/bob"), now: civil, bootTime: boot) == nil)
    }
}
