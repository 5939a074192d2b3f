import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import TestClocks
import Testing

/// What goes wrong beside the grant: nothing of it may cost the person the session.
@Suite("Renewing in trouble", .serialized)
struct RenewalFailuresTests {
    /// Puts everybody's clock on, so that what was fetched at the sign-in is not current any more.
    private func pass(_ duration: Duration, in world: EngineWorld) async {
        world.time.advance(by: duration)
        await world.sandbox.advance(by: duration)
    }

    private func refreshToken(_ session: SessionSummary, in world: EngineWorld) async throws -> Secret {
        try #require(try await world.store.record(session.name)?.tokens?.refreshToken)
    }

    @Test(arguments: [TransportFault.unavailable, .closed, .html, .redirect302])
    func aRefreshTokenIsNotSpentWhileTheKeysCannotBeHad(_ fault: TransportFault) async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await pass(.seconds(3601), in: world)
            await world.sandbox.set([.transport(.keys, fault)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(world.count(of: "refresh_token") == 0)
            #expect(try await world.engine.sessions().first?.isRenewable == true)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }

    /// In a process that lives on: the renewal comes to its end all the same.
    @Test func aTokenThatStillWorksIsNotHeldUpByASlowProvider() async throws {
        let short = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(50)))
        let transport = HeldTransport()
        try await EngineWorld.run(short, through: transport, patience: .zero) { world in
            let session = try await world.signedIn()
            let request = TokenRequest(session: session.name, minimumValidity: .seconds(40))
            let first = try await world.engine.token(request).token
            await pass(.seconds(20), in: world)
            let (answers, answer) = AsyncStream.makeStream(of: Never.self)
            transport.hold(field: "grant_type=refresh_token") { for await _ in answers {} }
            for _ in 0..<3 { #expect(try await world.engine.token(request).token == first) }
            let events = await world.engine.events()
            answer.finish()
            for await event in events {
                if case .activity(let activity) = event, activity.kind == .renewed { break }
            }
            #expect(try await world.engine.token(request).token != first)
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func aProviderThatWantsToBeLeftAloneIs() async throws {
        let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))
        try await EngineWorld.run(stale, skipsWaits: true) { world in
            let session = try await world.signedIn()
            await pass(.seconds(60), in: world)
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            world.sandbox.clearRequests()
            for _ in 0..<3 {
                await #expect {
                    try await world.engine.token(TokenRequest(session: session.name))
                } throws: {
                    guard case .unavailable(let wait?) = ($0 as? AuthFailure)?.kind else { return false }
                    return wait > .zero && wait <= .seconds(7)
                }
            }
            // One caller tries three times, and the others know of it.
            #expect(world.sandbox.requests.map(\.path) == ["/token", "/token", "/token"])
            // What the person wants now is tried now, and a session that was renewed knows of no pause.
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
            await pass(.seconds(60), in: world)
            #expect(try await !world.engine.token(TokenRequest(session: session.name)).token.isEmpty)
        }
    }

    /// As programs do that work without an agent.
    @Test func theWishToBeLeftAloneIsKnownToOtherProcesses() async throws {
        let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))
        try await EngineWorld.run(stale) { world in
            let session = try await world.signedIn()
            await pass(.seconds(60), in: world)
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            world.sandbox.clearRequests()
            let time = HastyTime(over: world.time)
            for request in [
                TokenRequest(session: session.name), TokenRequest(session: session.name, terms: TokenRestrictions(scopes: ["openid"])),
            ] {
                let other = try EngineWorld(sandbox: world.sandbox, store: world.store, time: time)
                await #expect {
                    try await other.engine.token(request)
                } throws: {
                    guard case .unavailable(let wait?) = ($0 as? AuthFailure)?.kind else { return false }
                    return wait > .zero && wait <= .seconds(7)
                }
            }
            #expect(world.count(of: "refresh_token") == 3)
            await world.sandbox.set(.none)
            await pass(.seconds(60), in: world)
            #expect(try await !world.engine.token(TokenRequest(session: session.name)).token.isEmpty)
            #expect(try await world.engine.sessions().map(\.nextRenewalAt) == [nil])
        }
    }

    /// The keys at hand are of before the change, and the new ones cannot be fetched.
    @Test func theNewRefreshTokenIsKeptWhereItsIDTokenCannotBeChecked() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let before = try #require(try await world.store.record(session.name)?.tokens)
            try await world.sandbox.rotateKeys()
            await world.sandbox.set([.transport(.keys, .unavailable)])
            await #expect { try await world.engine.renew(session.name) } throws: { ($0 as? AuthFailure)?.isTransient == true }
            let kept = try #require(try await world.store.record(session.name))
            #expect(kept.summary.settledState == .signedIn && kept.summary.isRenewable)
            #expect(kept.tokens?.refreshToken != before.refreshToken)
            // Nothing that nobody could check is handed out.
            #expect(kept.tokens?.accessToken == before.accessToken && kept.tokens?.idToken == before.idToken)
            await world.sandbox.set(.none)
            await pass(.seconds(10), in: world)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    /// The provider has given a new one, whatever else it says.
    @Test(arguments: [TokenFault.lifetimeWord, .typeMAC, .accessTokenNumber, .idTokenNumber, .scopeNumber])
    func theNewRefreshTokenIsKeptOfAnAnswerThatIsNoGood(_ fault: TokenFault) async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let before = try #require(try await world.store.record(session.name)?.tokens)
            await world.sandbox.set([.refresh(fault)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            let kept = try #require(try await world.store.record(session.name)?.tokens)
            #expect(kept.refreshToken != before.refreshToken && kept.accessToken == before.accessToken)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    @Test(arguments: [IDTokenFault.expired, .issuedInFuture, .issuedLongAgo, .notBeforeFuture])
    func aWrongClockCostsNoSession(_ fault: IDTokenFault) async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let before = try await refreshToken(session, in: world)
            await world.sandbox.set([.refreshedIDToken(fault)])
            await #expect {
                try await world.engine.renew(session.name)
            } throws: { error in
                guard let failure = error as? AuthFailure else { return false }
                return failure.isTransient && failure.hint == "check this machine's clock"
            }
            #expect(try await refreshToken(session, in: world) != before)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }

    @Test func aLiveTokenIsServedWhileTheClockIsInDoubt() async throws {
        let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))
        try await EngineWorld.run(stale) { world in
            let session = try await world.signedIn()
            let before = try await world.store.record(session.name)?.tokens?.accessToken
            await world.sandbox.set([.refreshedIDToken(.issuedInFuture)])
            #expect(try await world.engine.token(TokenRequest(session: session.name)).token == before)
            world.time.advance(by: .seconds(31))
            await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: session.name)) }
        }
    }

    @Test func aProviderThatWantsBoundTokensDoesNotEndTheGrant() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await world.sandbox.set([.refresh(.proofRefused)])
            await #expect {
                try await world.engine.renew(session.name)
            } throws: { error in
                guard let failure = error as? AuthFailure else { return false }
                return failure.kind == .configuration && failure.hint?.contains("dpop = \"required\"") == true
            }
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }

    @Test(arguments: [(TokenFault.gatewayRefusal, "try again in a moment")])
    func whatIsNotAboutTheGrantDoesNotEndIt(_ fault: TokenFault, _ hint: String) async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await world.sandbox.set([.refresh(fault)])
            await #expect {
                try await world.engine.renew(session.name)
            } throws: { error in
                guard let failure = error as? AuthFailure else { return false }
                return failure.isTransient && failure.hint == hint
            }
            #expect(world.count(of: "refresh_token") == 1)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }

    // MARK: A sign-in meanwhile

    /// Signs in, and again while a renewal of the first sign-in is under way; `between` is what the provider does then.
    private func renewing(
        _ check: (EngineWorld, Result<SessionSummary, any Error>, _ newer: TokenSet) async throws -> Void,
        between: @escaping @Sendable (SandboxServer) async -> Void
    ) async throws {
        let transport = HeldTransport()
        try await EngineWorld.run(through: transport) { world in
            let session = try await world.signedIn()
            transport.hold(field: "grant_type=refresh_token") {
                _ = try? await world.signedIn()
                await between(world.sandbox)
            }
            let result: Result<SessionSummary, any Error>
            do { result = .success(try await world.engine.renew(session.name)) } catch { result = .failure(error) }
            #expect(world.count(of: "authorization_code") == 2)
            let record = try #require(try await world.store.record(session.name))
            try await check(world, result, try #require(record.tokens))
        }
    }

    @Test func aRenewalThatIsRefusedLeavesANewerSignInAlone() async throws {
        try await renewing { world, result, newer in
            #expect(try result.get().settledState == .signedIn)
            await world.sandbox.set(.none)
            #expect(try await world.engine.sessions().map(\.settledState) == [.signedIn])
            let name = try #require(try await world.engine.sessions().first?.name)
            #expect(try await world.engine.renew(name).receivedAt >= newer.receivedAt)
        } between: {
            await $0.set([.refresh(.invalidGrant)])
        }
    }

    @Test(arguments: [IDTokenFault.audienceWrong, .issuedInFuture])
    func aRenewalThatIsSpoiltLeavesANewerSignInAlone(_ fault: IDTokenFault) async throws {
        try await renewing { world, result, newer in
            #expect(try result.get().isRenewable)
            let grants = world.sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }
            let spent = try #require(grants.last?.field("refresh_token"))
            #expect(newer.refreshToken.map { $0.reveal() != spent } == true)
            await world.sandbox.set(.none)
            let name = try #require(try await world.engine.sessions().first?.name)
            #expect(try await world.engine.renew(name).settledState == .signedIn)
        } between: {
            await $0.set([.refreshedIDToken(fault)])
        }
    }

    @Test func theTokensOfAnOlderGrantDoNotReplaceThoseOfANewerSignIn() async throws {
        let transport = HeldTransport()
        try await EngineWorld.run(through: transport) { world in
            let session = try await world.signedIn()
            transport.hold(field: "grant_type=refresh_token") {
                _ = try? await world.signedIn { $0.scopes = ["openid", "offline_access"] }
            }
            // The narrower scopes show whose tokens they are.
            #expect(try await world.engine.renew(session.name).scopes == ["openid", "offline_access"])
            #expect(try await world.store.record(session.name)?.tokens?.scopes == ["openid", "offline_access"])
        }
    }
}
