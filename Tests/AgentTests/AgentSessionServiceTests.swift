@testable import Agent
import AuthModel
import Localization
import ProcessHarness
import Synchronization
import TestSupport
import Testing

/// What the agent's session service adds to the engine's.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct AgentSessionServiceTests {
    private let time = ManualTime()
    private let home: TemporaryHome
    private let inner = ScriptedSessionService()

    init() throws { home = try TemporaryHome() }

    /// A session whose token is valid for an hour from now.
    private var fresh: SessionSummary {
        var session = Sample.session
        session.receivedAt = time.now
        session.accessExpiresAt = time.now + .seconds(3600)
        session.nextRenewalAt = nil
        return session
    }

    private func makeService(
        _ session: SessionSummary? = nil, idleLimit: Duration? = nil, exitLimit: Duration? = nil, announcer: NotificationRunner? = nil,
        suspension: SuspensionClock = .none
    ) async throws -> AgentSessionService {
        let session = session ?? fresh
        await inner.change { $0.summary = session }
        let inner = inner
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { [1] }, make: { inner }), log: ActivityLog(folder: home.path), time: time,
            idleLimit: idleLimit,
            exitLimit: exitLimit, announcer: announcer, suspension: suspension, seed: 1)
        try await service.start()
        return service
    }

    @Test(arguments: [true, false])
    func processBoundSessionsEndWithTheProcess(ends: Bool) async throws {
        await inner.change { $0.provider.endsWithProcess = ends }
        let service = try await makeService()
        // Sessions that an earlier process left behind because it did not exit cleanly.
        #expect(await inner.modes == (ends ? [.revoke] : []))
        await service.end()
        #expect(await inner.modes == (ends ? [.revoke, .revoke] : []))
    }

    @Test func renewsAheadOfTime() async throws {
        let service = try await makeService()
        let planned = try #require(try await service.sessions().first?.nextRenewalAt)
        #expect(planned > time.now)
        #expect(await inner.renewed == [])
        await time.until(sleepers: 1)
        time.advance(by: .seconds(3000))
        await inner.until { $0.renewed == [Sample.name] }
        await service.end()
    }

    /// Queued revocations are sent when they are due, not only at the next sign-in.
    @Test func sendsQueuedRevocationsWhenDue() async throws {
        var fixed = fresh
        fixed.isRenewable = false
        let due = [time.now, time.now + .seconds(300)]
        await inner.change { $0.revocationsDue = due }
        let service = try await makeService(fixed)
        await inner.until { $0.deliveries == 1 }
        // A due revocation is not retried in a tight loop.
        await time.until(sleepers: 1)
        time.advance(by: .seconds(59))
        #expect(await inner.deliveries == 1)
        time.advance(by: .seconds(1))
        await inner.until { $0.deliveries == 2 }
        await time.until(sleepers: 1)
        time.advance(by: .seconds(239))
        #expect(await inner.deliveries == 2)
        time.advance(by: .seconds(1))
        await inner.until { $0.deliveries == 3 }
        // No revocation is left, so no timer runs.
        await service.end()
        #expect(time.sleeperCount == 0)
    }

    @Test func setsNoOtherTimer() async throws {
        let service = try await makeService()
        await time.until(sleepers: 1)
        #expect(time.sleeperCount == 1)
        await service.end()
        var fixed = fresh
        fixed.isRenewable = false
        let idle = try await makeService(fixed)
        #expect(time.sleeperCount == 0)
        await idle.end()
    }

    /// The runtime keeps a cancelled sleep until its deadline, so a timer for every use would be a leak.
    @Test func useOfASessionSetsNoTimer() async throws {
        let service = try await makeService()
        await time.until(sleepers: 1)
        var events = await service.events().makeAsyncIterator()
        for use in 1...3 {
            var used = await inner.summary
            used.lastUsedAt = time.now + .seconds(use)
            await inner.announce(.sessionsChanged([used]))
            _ = await events.next()
        }
        // A session that renews earlier sets a new timer.
        var other = fresh
        other.accessExpiresAt = time.now + .seconds(1800)
        await inner.announce(.sessionsChanged([other]))
        _ = await events.next()
        await time.until(sleepers: 1)
        #expect(time.sleepCount == 2)
        await service.end()
    }

    @Test func locksAfterTheMachineSlept() async throws {
        let slept = Mutex(Duration.seconds(100))
        let service = try await makeService(suspension: SuspensionClock { slept.withLock { $0 } })
        #expect(try await service.storeState() == .unlocked)
        slept.withLock { $0 += .seconds(60) }
        #expect(try await service.storeState() == .locked(isNew: false))
        try await service.unlock(passphrase: Secret("open sesame"))
        // One sleep locks once.
        #expect(try await service.storeState() == .unlocked)
        await service.end()
    }

    @Test func locksInsteadOfRenewingAfterASleep() async throws {
        let slept = Mutex(Duration.zero)
        let service = try await makeService(suspension: SuspensionClock { slept.withLock { $0 } })
        await time.until(sleepers: 1)
        slept.withLock { $0 += .seconds(7200) }
        time.advance(by: .seconds(7200))
        await inner.until { $0.sealAnswer == .locked(isNew: false) }
        #expect(await inner.renewed == [])
        await service.end()
    }

    @Test func everyUseRestartsTheIdleTime() async throws {
        var fixed = fresh
        fixed.isRenewable = false
        let service = try await makeService(fixed, exitLimit: .seconds(600))
        let waitUntilIdle = Task { await service.waitUntilIdle() }
        await time.until(sleepers: 1)
        time.advance(by: .seconds(500))
        _ = try await service.token(TokenRequest(session: Sample.name))
        time.advance(by: .seconds(100))
        // The timer runs on, until ten minutes after the use.
        await time.until(sleepers: 1)
        time.advance(by: .seconds(500))
        await waitUntilIdle.value
        await service.end()
    }

    @Test func isNotIdleWhileAClientWatches() async throws {
        var fixed = fresh
        fixed.isRenewable = false
        let service = try await makeService(fixed, exitLimit: .seconds(600))
        let events = await service.events()
        let waitUntilIdle = Task { await service.waitUntilIdle() }
        await time.until(sleepers: 1)
        time.advance(by: .seconds(600))
        await time.until(sleepers: 1)
        withExtendedLifetime(events) {}
        waitUntilIdle.cancel()
        await waitUntilIdle.value
        await service.end()
    }

    @Test func retriesATransientFailure() async throws {
        await inner.change { $0.renewalFailure = AuthFailure(.unavailable(retryAfter: nil), text: "down") }
        let service = try await makeService()
        await time.until(sleepers: 1)
        time.advance(by: .seconds(3000))
        await inner.until { $0.renewed.count == 1 }
        await time.until(sleepers: 1)
        time.advance(by: .seconds(60))
        await inner.until { $0.renewed.count == 2 }
        await service.end()
    }

    @Test func watchersSeeTheNextRenewalAfterAFailure() async throws {
        await inner.change { $0.renewalFailure = AuthFailure(.unavailable(retryAfter: nil), text: "the provider cannot be reached") }
        let service = try await makeService()
        await time.until(sleepers: 1)
        let events = await service.events()
        time.advance(by: .seconds(3000))
        var planned: Timestamp?
        for await event in events {
            guard case .sessionsChanged(let sessions) = event else { continue }
            planned = sessions.first?.nextRenewalAt
            break
        }
        #expect(try #require(planned) >= time.now + .seconds(30))
        await service.end()
    }

    @Test func skipsASessionThatAnotherProcessRenewed() async throws {
        let service = try await makeService()
        await time.until(sleepers: 1)
        // Another process renewed the session, and this one was not notified yet.
        var renewed = fresh
        renewed.receivedAt = time.now + .seconds(1)
        await inner.change { [renewed] in $0.summary = renewed }
        time.advance(by: .seconds(3000))
        await time.until(sleepers: 1)
        #expect(await inner.renewed == [])
        await service.end()
    }

    @Test func issuesFromMemoryUntilAChange() async throws {
        let service = try await makeService()
        for _ in 0..<10 { #expect(try await service.token(TokenRequest(session: Sample.name)) == Sample.grant) }
        #expect(await inner.asked.count == 1)
        _ = try await service.signOut(Sample.name, mode: .localOnly)
        _ = try await service.token(TokenRequest(session: Sample.name))
        #expect(await inner.asked.count == 2)
        await service.end()
    }

    @Test func locksAfterTheIdleTime() async throws {
        let service = try await makeService(idleLimit: .seconds(600))
        await time.until(sleepers: 2)
        time.advance(by: .seconds(500))
        _ = try await service.token(TokenRequest(session: Sample.name))
        time.advance(by: .seconds(100))
        // The timer fired, saw the use, and was set again.
        await time.until(sleepers: 2)
        #expect(await inner.sealAnswer == .unlocked)
        time.advance(by: .seconds(500))
        await inner.until { $0.sealAnswer == .locked(isNew: false) }
        await service.end()
    }

    @Test func reloadsAChangedConfiguration() async throws {
        let revision = Mutex([1])
        let made = Counter()
        let inner = inner
        let service = AgentSessionService(
            source: SessionServiceSource(
                revision: { revision.withLock { $0 } },
                make: { () throws(AuthFailure) in
                    made.add()
                    if revision.withLock({ $0 == [3] }) { throw AuthFailure(.configuration, text: "line 3 is wrong") }
                    return inner
                }), log: ActivityLog(folder: nil), time: time)
        try await service.start()
        _ = try await service.sessions()
        #expect(made.value == 1)
        revision.withLock { $0 = [2] }
        await withTaskGroup { group in
            for _ in 0..<20 { group.addTask { _ = try? await service.sessions() } }
        }
        #expect(made.value == 2)
        revision.withLock { $0 = [3] }
        await #expect(throws: AuthFailure(.configuration, text: "line 3 is wrong")) { try await service.sessions() }
        // Status and lock still work.
        #expect(try await service.storeState() == .unlocked)
        await service.end()
    }

    @Test func reportsAnEndedSessionOnce() async throws {
        let script = try home.write("#!/bin/sh\necho \"$YETT_MESSAGE\" >> \"$HOME/said\"\n", to: "hook", permissions: 0o700)
        let announcer = NotificationRunner(hook: [script], environment: home.environment, time: time)
        let service = try await makeService(announcer: announcer)
        let events = await service.events()
        var dead = fresh
        dead.recordedState = .needsSignIn
        dead.warnings = [.verbatim("the provider had already rotated it")]
        for _ in 0..<2 { await inner.announce(.sessionsChanged([dead])) }
        var seen = 0
        for await _ in events {
            seen += 1
            if seen == 2 { break }
        }
        await service.waitForNotifications()
        #expect(home.read("said") == Array("the provider had already rotated it\n".utf8))
        await service.end()
    }

    @Test func recordsActivity() async throws {
        let service = try await makeService()
        let events = await service.events()
        let activity = Activity(at: time.now, kind: .renewed, session: Sample.name, message: .verbatim("renewed"))
        await inner.announce(.activity(activity))
        for await event in events where event == .activity(activity) { break }
        #expect(try ActivityLog(folder: home.path).recent() == [ActivityRecord(activity)])
        await service.end()
    }
}
