import AuthEngine
import AuthModel
import Localization
import Sandbox
import SessionStore
import TestSupport
import Testing

/// How often a failing provider is asked, no matter how many programs request a token.
@Suite(.serialized)
struct RenewalBackOffTests {
    private static let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))

    /// Returns the engine of another process on the same store, which skips waits.
    ///
    /// - Parameter clock: stands still, so that no pause passes until the test says so; `nil` for one that runs.
    private func other(_ world: EngineFixture, at clock: ManualTime? = nil) throws -> EngineFixture {
        try EngineFixture(sandbox: world.sandbox, store: world.store, time: HastyTime(over: clock ?? world.time))
    }

    // MARK: Lost responses

    @Test(arguments: [TransportFault.notJSON, .duplicateMember, .oversize])
    func refreshTokenWithLostResponsesIsSentTwice(_ fault: TransportFault) async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set([.transport(.refresh, fault)])
            let first = await failure { try await world.engine.renew(session.name) }
            #expect(first?.isTransient == true)
            #expect(try await world.store.record(session.name)?.renewalFailures.lostResponses == 1)
            // Each call runs in its own process, as commands do.
            #expect(await failure { try await other(world).engine.renew(session.name) }?.kind == .signInAgain)
            for _ in 0..<2 { #expect(await failure { try await other(world).engine.renew(session.name) }?.kind == .signInAgain) }
            #expect(world.count(of: "refresh_token") == 2)
            #expect(try await world.engine.sessions().map(\.recordedState) == [.needsSignIn])
        }
    }

    @Test func secondAttemptMaySucceed() async throws {
        let forgiving = SandboxConfiguration(autoApproves: "ada").with { $0.rotation = .keeps }
        try await EngineFixture.runSignedIn(forgiving, skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set([.transport(.refresh, .notJSON)])
            #expect(await failure { try await world.engine.renew(session.name) }?.isTransient == true)
            await world.sandbox.set(.none)
            #expect(try await other(world).engine.renew(session.name).recordedState == .signedIn)
            #expect(try await world.store.record(session.name)?.renewalFailures == RenewalFailures())
        }
    }

    @Test(arguments: [TransportFault.html, .unavailable, .serverError, .closed])
    func otherFailuresDoNotCountAsAttempts(_ fault: TransportFault) async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set([.transport(.refresh, fault)])
            for _ in 0..<3 { #expect(await failure { try await other(world).engine.renew(session.name) }?.isTransient == true) }
            await world.sandbox.set(.none)
            #expect(try await other(world).engine.renew(session.name).recordedState == .signedIn)
        }
    }

    // MARK: Callers

    /// The provider fails for a minute, and eighty programs ask every second.
    @Test func eightyCallersCauseFewRequests() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, session in
            await world.advance(by: .seconds(60))
            await world.sandbox.set([.transport(.refresh, .serverError)])
            world.sandbox.clearRequests()
            let clock = ManualTime(now: world.time.now)
            let engine = try other(world, at: clock).engine
            for _ in 0..<60 {
                await withTaskGroup(of: AuthFailure?.self) { group in
                    for _ in 0..<80 {
                        group.addTask { await failure { try await engine.token(TokenRequest(session: session.name)) } }
                    }
                    for await failure in group { #expect(failure?.isTransient == true) }
                }
                clock.advance(by: .seconds(1))
                await world.sandbox.advance(by: .seconds(1))
            }
            #expect((3...20).contains(world.count(of: "refresh_token")), "\(world.count(of: "refresh_token"))")
            await world.sandbox.set(.none)
            clock.advance(by: .seconds(30))
            await world.sandbox.advance(by: .seconds(30))
            #expect(try await !engine.token(TokenRequest(session: session.name)).token.isEmpty)
        }
    }

    /// Programs without an agent learn of each other's failures through the store.
    @Test func processesShareTheBackOff() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, session in
            await world.advance(by: .seconds(60))
            await world.sandbox.set([.transport(.refresh, .serverError)])
            world.sandbox.clearRequests()
            let clock = ManualTime(now: world.time.now)
            for _ in 0..<10 {
                let process = try other(world, at: clock)
                #expect(await failure { try await process.engine.token(TokenRequest(session: session.name)) }?.isTransient == true)
            }
            #expect(world.count(of: "refresh_token") == 1)
            // An explicit renewal by the user is attempted.
            #expect(await failure { try await other(world, at: clock).engine.renew(session.name) }?.isTransient == true)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    /// Each request with a refused secret is a guess to the provider, which may lock the client out.
    @Test func resourceThatRefusesATokenCausesNoFurtherGuess() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, session in
            let token = try await world.engine.token(TokenRequest(session: session.name)).token
            await world.sandbox.set([.refresh(.invalidClient)])
            world.sandbox.clearRequests()
            let clock = ManualTime(now: world.time.now)
            for engine in [try other(world, at: clock).engine, try other(world, at: clock).engine] {
                for _ in 1...2 {
                    let refusal = await failure { try await engine.token(TokenRequest(session: session.name, refused: token)) }
                    #expect(refusal?.kind == .configuration, "\(String(describing: refusal))")
                }
            }
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func refusedClientIsNotAskedAgainAtOnce() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, session in
            await world.advance(by: .seconds(60))
            await world.sandbox.set([.refresh(.invalidClient)])
            world.sandbox.clearRequests()
            let clock = ManualTime(now: world.time.now)
            let engine = try other(world, at: clock).engine
            let first = await failure { try await engine.token(TokenRequest(session: session.name)) }
            #expect(first?.kind == .configuration)
            // The same program, and others.
            for engine in [engine, try other(world, at: clock).engine, try other(world, at: clock).engine] {
                let refusal = await failure { try await engine.token(TokenRequest(session: session.name)) }
                #expect(refusal == first, "\(String(describing: refusal))")
            }
            #expect(world.count(of: "refresh_token") == 1)
            // The user has corrected the secret.
            await world.sandbox.set(.none)
            #expect(try await engine.renew(session.name).recordedState == .signedIn)
            #expect(try await !engine.token(TokenRequest(session: session.name)).token.isEmpty)
        }
    }

    @Test func retryAfterAppliesToAllSessionsOfTheProvider() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, first in
            await world.sandbox.autoApprove(as: "grace")
            let second = try await world.signedIn()
            await world.advance(by: .seconds(60))
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            world.sandbox.clearRequests()
            let clock = ManualTime(now: world.time.now)
            let hasty = try other(world, at: clock)
            #expect(await failure { try await hasty.engine.token(TokenRequest(session: first.name)) }?.isTransient == true)
            let count = world.count(of: "refresh_token")
            for engine in [hasty.engine, try other(world, at: clock).engine] {
                #expect(await failure { try await engine.token(TokenRequest(session: second.name)) }?.isTransient == true)
            }
            #expect(world.count(of: "refresh_token") == count)
        }
    }

    // MARK: Clocks

    @Test func tokenThatArrivesExpiredIsIssuedWithAWarning() async throws {
        try await EngineFixture.runSignedIn { world, session in
            _ = try await world.store.update(session.name) { record in
                record?.tokens?.accessExpiresAt = session.receivedAt - .seconds(3600)
                record?.summary.accessExpiresAt = session.receivedAt - .seconds(3600)
            }
            let clock = ManualTime(now: session.receivedAt)
            let engine = try EngineFixture(sandbox: world.sandbox, store: world.store, time: clock).engine
            for _ in 0..<5 {
                let grant = try await engine.token(TokenRequest(session: session.name))
                #expect(grant.warning?.english.contains("clock") == true)
            }
            #expect(world.count(of: "refresh_token") == 0)
            clock.advance(by: .seconds(61))
            await world.sandbox.advance(by: .seconds(61))
            for _ in 0..<5 { #expect(try await engine.token(TokenRequest(session: session.name)).warning == nil) }
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func fastClockUsesAtMostOneRefreshToken() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { (world, session) async throws in
            world.time.advance(by: .seconds(3600))
            world.sandbox.clearRequests()
            for _ in 0..<5 {
                #expect(await failure { try await other(world).engine.token(TokenRequest(session: session.name)) } != nil)
            }
            #expect(world.count(of: "refresh_token") <= 1)
        }
    }
}
