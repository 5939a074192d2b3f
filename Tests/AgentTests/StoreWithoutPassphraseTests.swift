@testable import Agent
import AuthModel
import Glibc
import Localization
import Synchronization
import TestSupport
import Testing

/// An agent whose store opens without a passphrase: its key is in a file or a keyring.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct StoreWithoutPassphraseTests {
    private let time = ManualTime()
    private let inner = ScriptedSessionService()
    private let locked = AuthFailure(.configuration, "keyring.locked", hint: .verbatim("unlock it"))
    private let request = TokenRequest(session: Sample.name)

    /// Returns an agent's session service; the key is available unless `failure` is set.
    private func makeService(
        _ failure: AuthFailure? = nil, idleLimit: Duration? = nil, suspension: SuspensionClock = .none
    ) async throws -> AgentSessionService {
        await inner.change {
            $0.takesPassphraseAnswer = false
            $0.sealAnswer = .locked(isNew: false)
            $0.keyFailure = failure
        }
        let inner = inner
        let service = AgentSessionService(
            source: SessionServiceSource(revision: { [1] }, make: { inner }), log: ActivityLog(folder: nil), time: time,
            idleLimit: idleLimit,
            suspension: suspension, seed: 1)
        try await service.start()
        return service
    }

    /// Returns the same service with a session whose token is valid for an hour from now.
    private func makeRenewingService(idleLimit: Duration? = nil, suspension: SuspensionClock = .none) async throws -> AgentSessionService {
        var session = Sample.session
        session.receivedAt = time.now
        session.accessExpiresAt = time.now + .seconds(3600)
        session.nextRenewalAt = nil
        await inner.change { [session] in $0.summary = session }
        return try await makeService(idleLimit: idleLimit, suspension: suspension)
    }

    @Test func unlocksTheStoreAtTheStart() async throws {
        let service = try await makeService()
        #expect(try await service.storeState() == .unlocked)
        await service.end()
    }

    @Test func reportsALockedKeyringAndUnlocksLater() async throws {
        let service = try await makeService(locked)
        try await AgentFixture.run(service) { world in
            let report = try await world.client.perform(ReadSeal())
            #expect(report.state == .locked(isNew: false) && !report.needsPassphrase)
            let sessions = try await world.client.sessions()
            #expect(sessions.count == 1)
            await #expect(throws: locked) { try await world.client.token(request) }
            await inner.change { $0.keyFailure = nil }
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
        }
        await service.end()
    }

    @Test func sealIsChangedOnlyWhileTheStoreIsOpen() async throws {
        let service = try await makeService()
        try await AgentFixture.run(service) { world in
            let report = try await world.client.perform(ChangeSeal(.system))
            #expect(report == SealReport(state: .unlocked, needsPassphrase: false, seal: .system, systemKey: .hostAndTPM))
            let wrong = await #expect(throws: AuthFailure.self) {
                _ = try await world.client.perform(ChangeSeal(.keyFile, passphrase: Secret("guess")))
            }
            #expect(wrong?.message.code == "store.wrong_passphrase")
            try await world.client.lock()
            let refusal = AuthFailure(.configuration, "store.locked", hint: "hint.unlock_store_with_agent")
            await #expect(throws: refusal) { _ = try await world.client.perform(ChangeSeal(.keyFile)) }
            #expect(await inner.sealChanges == [.system])
            // The activity log says who wanted it, by the kernel.
            #expect(await inner.sealRequesters.map { $0?.process } == [getpid()])
        }
        await service.end()
    }

    @Test func explicitLockHoldsUntilAnExplicitUnlock() async throws {
        let service = try await makeService()
        try await AgentFixture.run(service) { world in
            try await world.client.lock()
            let refusal = AuthFailure(.configuration, "store.locked", hint: "hint.unlock_store_with_agent")
            await #expect(throws: refusal) { try await world.client.token(request) }
            #expect(await inner.asked == [])
            // No passphrase is checked, but the inner session service counts the call.
            try await world.client.unlock(passphrase: Secret("open sesame"))
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
        }
        await service.end()
    }

    /// An explicit lock wins over an unlock in progress.
    @Test func explicitLockWinsOverAnUnlockInProgress() async throws {
        let service = try await makeService(locked)
        await inner.change {
            $0.keyFailure = nil
            $0.holdsOpening = true
        }
        let opening = Task { try? await service.unlockIfNoPassphraseNeeded() }
        await inner.until { $0.isHolding }
        try await service.lock()
        await inner.releaseHeld()
        await opening.value
        #expect(try await service.storeState() == .locked(isNew: false))
        try await service.unlockIfNoPassphraseNeeded()
        #expect(try await service.storeState() == .locked(isNew: false))
        await service.end()
    }

    @Test func renewsAfterTheMachineSlept() async throws {
        let slept = Mutex(Duration.zero)
        let service = try await makeRenewingService(suspension: SuspensionClock { slept.withLock { $0 } })
        await time.until(sleepers: 1)
        slept.withLock { $0 += .seconds(7200) }
        time.advance(by: .seconds(7200))
        await inner.until { !$0.renewed.isEmpty }
        #expect(await inner.locks == 1)
        await service.end()
    }

    /// An event about the seal may be outdated when it arrives.
    @Test func plansByTheCurrentSeal() async throws {
        let service = try await makeRenewingService()
        let events = await service.events()
        try await service.lock()
        #expect(try await service.sessions().first?.nextRenewalAt == nil)
        try await service.unlock(passphrase: Secret("open sesame"))
        await inner.announce(.storeStateChanged(.locked(isNew: false)))
        await inner.announce(.storeStateChanged(.unlocked))
        var sealEvents = 0
        for await event in events {
            if case .storeStateChanged = event { sealEvents += 1 }
            if sealEvents == 2 { break }
        }
        #expect(try await service.sessions().first?.nextRenewalAt != nil)
        await service.end()
    }

    @Test func staysUnlockedDuringASignIn() async throws {
        let service = try await makeRenewingService(idleLimit: .seconds(600))
        let attempt = try await service.signIn(SignInRequest(provider: Sample.name.provider))
        await time.until(sleepers: 2)
        time.advance(by: .seconds(700))
        // The timer fired, saw the sign-in, and was set again.
        await time.until(sleepers: 2)
        #expect(await inner.sealAnswer == .unlocked)
        await inner.report(.finished(.failure(AuthFailure(.cancelled, "sign_in.cancelled"))))
        for await _ in attempt.events {}
        await service.end()
    }

    @Test func refusedTokenIsNotIssuedAgain() async throws {
        let service = try await makeRenewingService()
        _ = try await service.token(TokenRequest(session: Sample.name))
        var refused = TokenRequest(session: Sample.name)
        refused.refused = Sample.grant.token
        _ = try await service.token(refused)
        _ = try await service.token(TokenRequest(session: Sample.name))
        #expect(await inner.asked.count == 3)
        await service.end()
    }

    @Test func locksWhenIdleAndUnlocksOnRequest() async throws {
        let service = try await makeService(idleLimit: .seconds(600))
        try await AgentFixture.run(service) { world in
            await time.until(sleepers: 1)
            time.advance(by: .seconds(601))
            await inner.until { $0.sealAnswer == .locked(isNew: false) }
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
            #expect(try await world.client.storeState() == .unlocked)
        }
        await service.end()
    }
}
