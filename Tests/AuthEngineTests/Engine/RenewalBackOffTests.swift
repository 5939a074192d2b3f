import AuthEngine
import AuthModel
import Sandbox
import SessionStore
import TestClocks
import Testing

/// How often a provider in trouble is asked, however many programs want a token.
@Suite("Back-off after failed renewals", .serialized)
struct RenewalBackOffTests {
    private static let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))

    private func pass(_ duration: Duration, in world: EngineWorld) async {
        world.time.advance(by: duration)
        await world.sandbox.advance(by: duration)
    }

    /// Another process on the same store; it waits for nothing.
    private func other(_ world: EngineWorld) throws -> EngineWorld {
        try EngineWorld(sandbox: world.sandbox, store: world.store, time: HastyTime(over: world.time))
    }

    private func failure(_ body: () async throws -> Void) async -> AuthFailure? {
        do {
            try await body()
            return nil
        } catch {
            return error as? AuthFailure
        }
    }

    // MARK: Answers that are lost

    @Test(arguments: [TransportFault.notJSON, .duplicateMember, .oversize])
    func aRefreshTokenWhoseAnswersAreCutOffIsPresentedTwice(_ fault: TransportFault) async throws {
        try await EngineWorld.run(skipsWaits: true) { world in
            let session = try await world.signedIn()
            await world.sandbox.set([.transport(.refresh, fault)])
            let first = await failure { _ = try await world.engine.renew(session.name) }
            #expect(first?.isTransient == true)
            #expect(try await world.store.record(session.name)?.renewalFailures.lostAnswers == 1)
            // Each in a process of its own, as commands are.
            #expect(await failure { _ = try await other(world).engine.renew(session.name) }?.kind == .signInAgain)
            for _ in 0..<2 { #expect(await failure { _ = try await other(world).engine.renew(session.name) }?.kind == .signInAgain) }
            #expect(world.count(of: "refresh_token") == 2)
            #expect(try await world.engine.sessions().map(\.settledState) == [.needsSignIn])
        }
    }

    @Test func theSecondPresentationMaySucceed() async throws {
        let forgiving = SandboxConfiguration(autoApproves: "ada", rotation: .keeps)
        try await EngineWorld.run(forgiving, skipsWaits: true) { world in
            let session = try await world.signedIn()
            await world.sandbox.set([.transport(.refresh, .notJSON)])
            #expect(await failure { _ = try await world.engine.renew(session.name) }?.isTransient == true)
            await world.sandbox.set(.none)
            #expect(try await other(world).engine.renew(session.name).settledState == .signedIn)
            #expect(try await world.store.record(session.name)?.renewalFailures == RenewalFailures())
        }
    }

    @Test(arguments: [TransportFault.html, .unavailable, .serverError, .closed])
    func whatIsNoAnswerOfTheProviderCostsNoPresentation(_ fault: TransportFault) async throws {
        try await EngineWorld.run(skipsWaits: true) { world in
            let session = try await world.signedIn()
            await world.sandbox.set([.transport(.refresh, fault)])
            for _ in 0..<3 { #expect(await failure { _ = try await other(world).engine.renew(session.name) }?.isTransient == true) }
            await world.sandbox.set(.none)
            #expect(try await other(world).engine.renew(session.name).settledState == .signedIn)
        }
    }

    // MARK: Callers

    /// The provider is at 503 for a minute, and eighty programs ask every second.
    @Test func aMinuteOfEightyCallersIsAHandfulOfRequests() async throws {
        try await EngineWorld.run(Self.stale, skipsWaits: true) { world in
            let session = try await world.signedIn()
            await pass(.seconds(60), in: world)
            await world.sandbox.set([.transport(.refresh, .serverError)])
            world.sandbox.clearRequests()
            for _ in 0..<60 {
                await withTaskGroup(of: AuthFailure?.self) { group in
                    for _ in 0..<80 {
                        group.addTask { await failure { _ = try await world.engine.token(TokenRequest(session: session.name)) } }
                    }
                    for await failure in group { #expect(failure?.isTransient == true) }
                }
                await pass(.seconds(1), in: world)
            }
            #expect((3...20).contains(world.count(of: "refresh_token")), "\(world.count(of: "refresh_token"))")
            await world.sandbox.set(.none)
            await pass(.seconds(30), in: world)
            #expect(try await !world.engine.token(TokenRequest(session: session.name)).token.isEmpty)
        }
    }

    /// As programs do that work without an agent: what they know of each other stands in the store.
    @Test func programsWithoutAnAgentKnowOfAFailure() async throws {
        try await EngineWorld.run(Self.stale) { world in
            let session = try await world.signedIn()
            await pass(.seconds(60), in: world)
            await world.sandbox.set([.transport(.refresh, .serverError)])
            world.sandbox.clearRequests()
            for _ in 0..<10 {
                let process = try other(world)
                #expect(await failure { _ = try await process.engine.token(TokenRequest(session: session.name)) }?.isTransient == true)
            }
            #expect(world.count(of: "refresh_token") == 1)
            // A user who says "renew" is heard.
            #expect(await failure { _ = try await other(world).engine.renew(session.name) }?.isTransient == true)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    @Test func aRetryAfterHoldsForAllSessionsOfTheProvider() async throws {
        try await EngineWorld.run(Self.stale) { world in
            let first = try await world.signedIn()
            await world.sandbox.autoApprove(as: "grace")
            let second = try await world.signedIn()
            await pass(.seconds(60), in: world)
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            world.sandbox.clearRequests()
            let hasty = try other(world)
            #expect(await failure { _ = try await hasty.engine.token(TokenRequest(session: first.name)) }?.isTransient == true)
            let count = world.count(of: "refresh_token")
            for engine in [hasty.engine, try other(world).engine] {
                #expect(await failure { _ = try await engine.token(TokenRequest(session: second.name)) }?.isTransient == true)
            }
            #expect(world.count(of: "refresh_token") == count)
        }
    }

    // MARK: Clocks

    @Test func aTokenThatEndedWhenItCameIsHandedOutWithAWarning() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            _ = try await world.store.update(session.name) { record in
                record?.tokens?.accessExpiresAt = session.receivedAt - .seconds(3600)
                record?.summary.accessExpiresAt = session.receivedAt - .seconds(3600)
            }
            for _ in 0..<5 {
                let grant = try await world.engine.token(TokenRequest(session: session.name))
                #expect(grant.warning?.contains("clock") == true)
            }
            #expect(world.count(of: "refresh_token") == 0)
            await pass(.seconds(61), in: world)
            for _ in 0..<5 { #expect(try await world.engine.token(TokenRequest(session: session.name)).warning == nil) }
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func aClockThatIsAheadOfTheProvidersSpendsOneRefreshToken() async throws {
        try await EngineWorld.run(Self.stale) { world in
            let session = try await world.signedIn()
            world.time.advance(by: .seconds(3600))
            world.sandbox.clearRequests()
            for _ in 0..<5 {
                #expect(await failure { _ = try await other(world).engine.token(TokenRequest(session: session.name)) } != nil)
            }
            #expect(world.count(of: "refresh_token") <= 1)
        }
    }
}
