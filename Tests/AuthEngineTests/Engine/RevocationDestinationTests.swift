import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

/// A token is revoked at its issuer, and client credentials go only to the issuer that they are for.
@Suite(.serialized)
struct RevocationDestinationTests {
    private static let secret = ProviderConfiguration.SecretSource.command(["/usr/bin/printf", "confidential-secret-0123456789"])

    private static func confidential(_ configuration: inout ProviderConfiguration) {
        configuration.clientID = "yett-confidential"
        configuration.clientSecret = secret
    }

    /// Runs `body` with an engine whose configuration uses the same provider name for another server.
    private func moved(
        _ world: EngineFixture, change: (inout ProviderConfiguration) -> Void = { _ in },
        _ body: (EngineFixture) async throws -> Void
    ) async throws {
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { other in
            // A sign-in waits for queued revocations only for a while, which passes on no busy machine.
            let time = ManualTime(now: SystemTimeSource().now)
            try await body(try EngineFixture(sandbox: other, store: world.store, time: time, change: change))
        }
    }

    private func revocations(at sandbox: SandboxServer) -> [LoggedRequest] { sandbox.requests.filter { $0.path == "/revoke" } }

    @Test func sessionIsRevokedAtItsIssuer() async throws {
        try await EngineFixture.runSignedIn { world, session in
            try await moved(world) { (moved) async throws in
                #expect(try await moved.engine.signOut(session.name, mode: .revoke).isComplete)
                #expect(revocations(at: world.sandbox).count == 2)
                #expect(!moved.sandbox.requests.contains { $0.method == "POST" })
            }
        }
    }

    /// A sign-in that replaces sessions takes the name of one that is of no use any more, and revokes it where it was made.
    @Test(.timeLimit(.minutes(10)), arguments: [true, false])
    func sessionOfAFormerIssuerGivesUpItsName(isReplaced: Bool) async throws {
        try await EngineFixture.runSignedIn { world, session in
            world.sandbox.clearRequests()
            try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { other in
                let moved = try EngineFixture(sandbox: other, store: world.store)
                let new = try await moved.signedIn { $0.replacesSession = isReplaced }
                #expect((new.name == session.name) == isReplaced && new.issuer == other.issuer)
                #expect(try await world.store.summaries().count == (isReplaced ? 1 : 2))
                // The sign-in waits only for a while.
                while isReplaced, revocations(at: world.sandbox).count < 2 { await Task.yield() }
                #expect(revocations(at: world.sandbox).count == (isReplaced ? 2 : 0))
                #expect(revocations(at: other).isEmpty)
            }
        }
    }

    @Test func idTokenIsNotSentToAnotherIssuer() async throws {
        try await EngineFixture.runSignedIn { world, session in
            try await moved(world) { moved in
                let receipt = try await moved.engine.signOut(session.name, mode: .endBrowserSession)
                #expect(receipt.browserURL == nil)
                let step = try #require(receipt.entries.first { $0.step == .endBrowserSession })
                let reason = UserMessage("provider.configuration_changed", ["provider": "sandbox", "session": session.name])
                #expect(step.outcome == .failed(reason: reason, isQueued: false))
                #expect(try await world.store.summaries().isEmpty)
            }
        }
    }

    @Test func queuedRevocationSendsNoForeignCredential() async throws {
        try await EngineFixture.runSignedIn { world, session in
            await world.sandbox.set([.transport(.revocation, .serverError)])
            _ = try await world.engine.signOut(session.name, mode: .revoke)
            await world.sandbox.set(.none)
            world.sandbox.clearRequests()
            try await moved(world, change: Self.confidential) { moved in
                _ = try await moved.signedIn()
                let sent = revocations(at: world.sandbox)
                #expect(sent.count == 2)
                #expect(sent.allSatisfy { $0.header("authorization") == nil && $0.field("client_id") == "yett" })
                #expect(revocations(at: moved.sandbox).isEmpty)
                #expect(try await world.store.pendingRevocations().isEmpty)
            }
        }
    }

    @Test func secretOfAnotherClientIsNotSent() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let other = try EngineFixture(sandbox: world.sandbox, store: world.store, change: Self.confidential)
            world.sandbox.clearRequests()
            #expect(try await other.engine.signOut(session.name, mode: .revoke).isComplete)
            #expect(revocations(at: world.sandbox).allSatisfy { $0.header("authorization") == nil && $0.field("client_id") == "yett" })
        }
    }

    @Test func confidentialClientRevokesWithItsSecret() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSignedIn(time: time, change: Self.confidential) { world, session in
            await world.sandbox.set([.transport(.revocation, .serverError)])
            _ = try await world.engine.signOut(session.name, mode: .revoke)
            await world.sandbox.set(.none)
            world.sandbox.clearRequests()
            // The server may have asked to wait.
            time.advance(by: .seconds(10))
            _ = try await world.signedIn()
            let sent = revocations(at: world.sandbox)
            #expect(sent.count == 2)
            #expect(sent.allSatisfy { $0.header("authorization")?.hasPrefix("Basic ") == true })
            #expect(try await world.store.pendingRevocations().isEmpty)
        }
    }

    // MARK: The queue

    @Test(arguments: [TransportFault.redirect302, .redirect307, .notFound, .empty400, .closed])
    func revocationStaysQueuedUnlessRefused(_ fault: TransportFault) async throws {
        try await EngineFixture.runSignedIn { world, session in
            await world.sandbox.set([.transport(.revocation, fault)])
            #expect(try await !world.engine.signOut(session.name, mode: .revoke).isComplete)
            #expect(try await world.store.pendingRevocations().count == 2)
            // The next attempt fails as well: nothing is dropped, and the revocations are tried again later, not at once.
            _ = try await world.signedIn()
            let waiting = try await world.store.pendingRevocations()
            #expect(waiting.count == 2)
            #expect(waiting.allSatisfy { $0.attempts == 1 && $0.nextAttemptAt > world.time.now })
        }
    }

    @Test func unreadableSecretKeepsTheRevocationQueued() async throws {
        try await EngineFixture.runSignedIn(change: Self.confidential) { world, session in
            let broken = try EngineFixture(sandbox: world.sandbox, store: world.store) {
                Self.confidential(&$0)
                $0.clientSecret = .command(["/bin/sh", "-c", "exit 3"])
            }
            let receipt = try await broken.engine.signOut(session.name, mode: .revoke)
            let outcomes = receipt.entries.filter { $0.step != .forget }.map(\.outcome)
            #expect(outcomes.count == 2)
            #expect(outcomes.allSatisfy { if case .failed(_, isQueued: true) = $0 { true } else { false } })
            #expect(try await world.store.pendingRevocations().count == 2)
        }
    }

    /// RFC 7009 section 2.2.1: the provider does not revoke tokens of this type, so there is nothing left to do.
    @Test func unsupportedTokenTypeCountsAsDone() async throws {
        try await EngineFixture.runSignedIn { world, session in
            await world.sandbox.set([.logout(.revocationUnsupported)])
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            #expect(receipt.entries.allSatisfy { $0.outcome == .done })
            #expect(receipt.isComplete)
            #expect(try await world.store.pendingRevocations().isEmpty)
        }
    }

    @Test func refusedRevocationIsNotRepeated() async throws {
        try await EngineFixture.runSignedIn { world, session in
            await world.sandbox.set([.logout(.revocationUnauthorized)])
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            let outcomes = receipt.entries.filter { $0.step != .forget }.map(\.outcome)
            #expect(outcomes.allSatisfy { if case .failed(_, isQueued: false) = $0 { true } else { false } })
            #expect(!receipt.isComplete)
            #expect(try await world.store.pendingRevocations().isEmpty)
        }
    }
}
