@testable import Agent
import AuthModel
import Synchronization
import TestClocks
import Testing

/// An agent whose store opens without a passphrase: its key lies in a file or a keyring.
@Suite(.timeLimit(.minutes(3)))
struct OpeningTests {
    private let time = ManualTime()
    private let inner = ScriptedKeeper()
    private let locked = AuthFailure(.configuration, "the keyring is locked", hint: "unlock it")
    private let request = TokenRequest(session: Sample.name)

    /// A keeper in the agent; the key can be had unless `failure` says why not.
    private func resident(
        _ failure: AuthFailure? = nil, idleLimit: Duration? = nil, suspension: SuspensionClock = .none
    ) async throws -> ResidentKeeper {
        await inner.change {
            $0.takesPassphraseAnswer = false
            $0.sealAnswer = .locked(isNew: false)
            $0.keyFailure = failure
        }
        let inner = inner
        let keeper = ResidentKeeper(
            source: KeeperSource(revision: { "1" }, make: { inner }), log: ActivityLog(folder: nil), time: time, idleLimit: idleLimit,
            suspension: suspension, seed: 1)
        try await keeper.start()
        return keeper
    }

    @Test func opensTheStoreWhenItStarts() async throws {
        let keeper = try await resident()
        #expect(await keeper.seal() == .unlocked)
        await keeper.end()
    }

    @Test func saysThatTheKeyringIsLockedAndTakesItLater() async throws {
        let keeper = try await resident(locked)
        try await AgentWorld.run(keeper) { world in
            #expect(await world.client.seal() == .locked(isNew: false))
            #expect(await !world.client.takesPassphrase())
            let sessions = try await world.client.sessions()
            #expect(sessions.count == 1)
            await #expect(throws: locked) { try await world.client.token(request) }
            await inner.change { $0.keyFailure = nil }
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
        }
        await keeper.end()
    }

    @Test func staysShutOnceSomebodyLockedIt() async throws {
        let keeper = try await resident()
        try await AgentWorld.run(keeper) { world in
            try await world.client.lock()
            let refusal = AuthFailure(.configuration, "the store is locked", hint: "unlock it with: yett agent unlock")
            await #expect(throws: refusal) { try await world.client.token(request) }
            #expect(await inner.asked == [])
            // No passphrase is looked at; the keeper's own counts the call all the same.
            try await world.client.unlock(passphrase: Secret("open sesame"))
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
        }
        await keeper.end()
    }

    /// A lock on command is the last word, whatever was under way.
    @Test func aLockOnCommandOutlivesAnOpeningThatWasUnderWay() async throws {
        let keeper = try await resident(locked)
        await inner.change {
            $0.keyFailure = nil
            $0.holdsOpening = true
        }
        let opening = Task { try? await keeper.openUnasked() }
        await inner.until { $0.isHolding }
        try await keeper.lock()
        await inner.letGo()
        await opening.value
        #expect(await keeper.seal() == .locked(isNew: false))
        try await keeper.openUnasked()
        #expect(await keeper.seal() == .locked(isNew: false))
        await keeper.end()
    }

    @Test func goesOnRenewingAfterTheMachineSlept() async throws {
        let slept = Mutex(Duration.zero)
        var session = Sample.session
        session.receivedAt = time.now
        session.accessExpiresAt = time.now + .seconds(3600)
        session.nextRenewalAt = nil
        await inner.change { [session] in $0.summary = session }
        let keeper = try await resident(suspension: SuspensionClock { slept.withLock { $0 } })
        await time.until(sleepers: 1)
        slept.withLock { $0 += .seconds(7200) }
        time.advance(by: .seconds(7200))
        await inner.until { !$0.renewed.isEmpty }
        #expect(await inner.locks == 1)
        await keeper.end()
    }

    @Test func putsTheKeysAwayWhenIdleAndTakesThemAgain() async throws {
        let keeper = try await resident(idleLimit: .seconds(600))
        try await AgentWorld.run(keeper) { world in
            await time.until(sleepers: 1)
            time.advance(by: .seconds(601))
            await inner.until { $0.sealAnswer == .locked(isNew: false) }
            let grant = try await world.client.token(request)
            #expect(grant == Sample.grant)
            #expect(await world.client.seal() == .unlocked)
        }
        await keeper.end()
    }
}
