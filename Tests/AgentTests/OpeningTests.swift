@testable import Agent
import AuthModel
import Synchronization
import TestClocks
import Testing

/// An agent whose store opens without a passphrase: its key lies in a file or a keyring.
@Suite(.timeLimit(.minutes(3)))
struct OpeningTests {
    private let time = ManualTime()
    private let inner = ScriptedSessionService()
    private let locked = AuthFailure(.configuration, "the keyring is locked", hint: "unlock it")
    private let request = TokenRequest(session: Sample.name)

    /// A session service in the agent; the key can be had unless `failure` says why not.
    private func resident(
        _ failure: AuthFailure? = nil, idleLimit: Duration? = nil, suspension: SuspensionClock = .none
    ) async throws -> AgentSessionService {
        await inner.change {
            $0.takesPassphraseAnswer = false
            $0.sealAnswer = .locked(isNew: false)
            $0.keyFailure = failure
        }
        let inner = inner
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { "1" }, make: { inner }), log: ActivityLog(folder: nil), time: time,
            idleLimit: idleLimit,
            suspension: suspension, seed: 1)
        try await service.start()
        return service
    }

    /// The same with a session whose token lives for an hour from now.
    private func renewing(idleLimit: Duration? = nil, suspension: SuspensionClock = .none) async throws -> AgentSessionService {
        var session = Sample.session
        session.receivedAt = time.now
        session.accessExpiresAt = time.now + .seconds(3600)
        session.nextRenewalAt = nil
        await inner.change { [session] in $0.summary = session }
        return try await resident(idleLimit: idleLimit, suspension: suspension)
    }

    @Test func opensTheStoreWhenItStarts() async throws {
        let service = try await resident()
        #expect(await service.seal() == .unlocked)
        await service.end()
    }

    @Test func saysThatTheKeyringIsLockedAndTakesItLater() async throws {
        let service = try await resident(locked)
        try await AgentWorld.run(service) { world in
            #expect(try await world.client.seal() == .locked(isNew: false))
            #expect(await !world.client.needsPassphrase())
            let sessions = try await world.client.sessions()
            #expect(sessions.count == 1)
            await #expect(throws: locked) { try await world.client.token(request) }
            await inner.change { $0.keyFailure = nil }
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
        }
        await service.end()
    }

    @Test func staysShutOnceSomebodyLockedIt() async throws {
        let service = try await resident()
        try await AgentWorld.run(service) { world in
            try await world.client.lock()
            let refusal = AuthFailure(.configuration, "the store is locked", hint: "unlock it with: yett agent unlock")
            await #expect(throws: refusal) { try await world.client.token(request) }
            #expect(await inner.asked == [])
            // No passphrase is looked at; the session service's own counts the call all the same.
            try await world.client.unlock(passphrase: Secret("open sesame"))
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
        }
        await service.end()
    }

    /// A lock on command is the last word, whatever was under way.
    @Test func aLockOnCommandOutlivesAnOpeningThatWasUnderWay() async throws {
        let service = try await resident(locked)
        await inner.change {
            $0.keyFailure = nil
            $0.holdsOpening = true
        }
        let opening = Task { try? await service.unlockIfNoPassphraseNeeded() }
        await inner.until { $0.isHolding }
        try await service.lock()
        await inner.letGo()
        await opening.value
        #expect(await service.seal() == .locked(isNew: false))
        try await service.unlockIfNoPassphraseNeeded()
        #expect(await service.seal() == .locked(isNew: false))
        await service.end()
    }

    @Test func goesOnRenewingAfterTheMachineSlept() async throws {
        let slept = Mutex(Duration.zero)
        let service = try await renewing(suspension: SuspensionClock { slept.withLock { $0 } })
        await time.until(sleepers: 1)
        slept.withLock { $0 += .seconds(7200) }
        time.advance(by: .seconds(7200))
        await inner.until { !$0.renewed.isEmpty }
        #expect(await inner.locks == 1)
        await service.end()
    }

    /// What is told of the seal comes when it may be over already.
    @Test func plansByTheSealAsItIsAndNotAsItWas() async throws {
        let service = try await renewing()
        let events = await service.events()
        try await service.lock()
        #expect(try await service.sessions().first?.nextRenewalAt == nil)
        try await service.unlock(passphrase: Secret("open sesame"))
        await inner.announce(.sealChanged(.locked(isNew: false)))
        await inner.announce(.sealChanged(.unlocked))
        var told = 0
        for await event in events {
            if case .sealChanged = event { told += 1 }
            if told == 2 { break }
        }
        #expect(try await service.sessions().first?.nextRenewalAt != nil)
        await service.end()
    }

    @Test func staysUnlockedWhileSomebodySignsIn() async throws {
        let service = try await renewing(idleLimit: .seconds(600))
        let attempt = try await service.signIn(SignInRequest(provider: Sample.name.provider))
        await time.until(sleepers: 2)
        time.advance(by: .seconds(700))
        // It looked, found somebody at work, and sleeps again.
        await time.until(sleepers: 2)
        #expect(await inner.sealAnswer == .unlocked)
        await inner.report(.finished(.failure(AuthFailure(.cancelled, "the sign-in was cancelled"))))
        for await _ in attempt.events {}
        await service.end()
    }

    @Test func aTokenThatAResourceRefusedIsHandedToNobody() async throws {
        let service = try await renewing()
        _ = try await service.token(TokenRequest(session: Sample.name))
        var refused = TokenRequest(session: Sample.name)
        refused.refused = Sample.grant.token
        _ = try await service.token(refused)
        _ = try await service.token(TokenRequest(session: Sample.name))
        #expect(await inner.asked.count == 3)
        await service.end()
    }

    @Test func putsTheKeysAwayWhenIdleAndTakesThemAgain() async throws {
        let service = try await resident(idleLimit: .seconds(600))
        try await AgentWorld.run(service) { world in
            await time.until(sleepers: 1)
            time.advance(by: .seconds(601))
            await inner.until { $0.sealAnswer == .locked(isNew: false) }
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
            #expect(try await world.client.seal() == .unlocked)
        }
        await service.end()
    }
}
