import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

/// Failures other than an ended grant; none of them may cost the user the session.
@Suite(.serialized)
struct RenewalFailuresTests {
    /// Advances all clocks, so that documents fetched at the sign-in are no longer current.
    private func refreshToken(_ session: SessionSummary, in world: EngineFixture) async throws -> Secret {
        try #require(try await world.store.record(session.name)?.tokens?.refreshToken)
    }

    @Test(arguments: [TransportFault.unavailable, .closed, .html, .redirect302])
    func refreshTokenIsNotUsedWhileKeysAreUnavailable(_ fault: TransportFault) async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.advance(by: .seconds(3601))
            await world.sandbox.set([.transport(.keys, fault)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(world.count(of: "refresh_token") == 0)
            #expect(try await world.engine.sessions().first?.isRenewable == true)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    /// In a long-running process, the renewal still finishes.
    @Test func slowProviderDoesNotDelayAValidToken() async throws {
        let short = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(3000)))
        let transport = HeldTransport()
        try await EngineFixture.runSignedIn(short, through: transport, renewalWait: .zero) { world, session in
            let request = TokenRequest(session: session.name, minimumValidity: .seconds(2400))
            let first = try await world.engine.token(request).token
            await world.advance(by: .seconds(1200))
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

    /// Whether a failure asks to wait for no longer than the provider's seven seconds.
    private func asksToWait(_ failure: AuthFailure?) -> Bool {
        guard case .unavailable(let wait?)? = failure?.kind else { return false }
        return wait > .zero && wait <= .seconds(7)
    }

    @Test func retryAfterIsRespected() async throws {
        let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))
        try await EngineFixture.runSignedIn(stale) { world, session in
            await world.advance(by: .seconds(60))
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            world.sandbox.clearRequests()
            // The pause lasts as long as the test wants.
            let clock = ManualTime(now: world.time.now)
            let engine = try EngineFixture(sandbox: world.sandbox, store: world.store, time: HastyTime(over: clock)).engine
            for _ in 0..<3 {
                #expect(await asksToWait(failure { try await engine.token(TokenRequest(session: session.name)) }))
            }
            // One caller tries three times, and the others know of the pause.
            #expect(world.count(of: "refresh_token") == 3)
            // An explicit renewal is attempted at once, and a renewed session has no pause.
            await world.sandbox.set(.none)
            #expect(try await engine.renew(session.name).recordedState == .signedIn)
            clock.advance(by: .seconds(60))
            await world.sandbox.advance(by: .seconds(60))
            #expect(try await !engine.token(TokenRequest(session: session.name)).token.isEmpty)
        }
    }

    /// As programs without an agent do.
    @Test func retryAfterIsSharedBetweenProcesses() async throws {
        let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))
        try await EngineFixture.runSignedIn(stale) { (world, session) async throws in
            await world.advance(by: .seconds(60))
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            world.sandbox.clearRequests()
            let time = HastyTime(over: ManualTime(now: world.time.now))
            for request in [
                TokenRequest(session: session.name),
                TokenRequest(session: session.name, restrictions: TokenRestrictions(scopes: ["openid"])),
            ] {
                let other = try EngineFixture(sandbox: world.sandbox, store: world.store, time: time)
                #expect(await asksToWait(failure { try await other.engine.token(request) }))
            }
            #expect(world.count(of: "refresh_token") == 3)
            await world.sandbox.set(.none)
            await world.advance(by: .seconds(60))
            #expect(try await !world.engine.token(TokenRequest(session: session.name)).token.isEmpty)
            #expect(try await world.engine.sessions().map(\.nextRenewalAt) == [nil])
        }
    }

    /// The known keys are older than the rotation, and the new ones cannot be fetched.
    @Test func keepsTheNewRefreshTokenIfTheIDTokenCannotBeVerified() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let before = try #require(try await world.store.record(session.name)?.tokens)
            try await world.sandbox.rotateKeys()
            await world.sandbox.set([.transport(.keys, .unavailable)])
            #expect(await failure { try await world.engine.renew(session.name) }?.isTransient == true)
            let kept = try #require(try await world.store.record(session.name))
            #expect(kept.summary.recordedState == .signedIn && kept.summary.isRenewable)
            #expect(kept.tokens?.refreshToken != before.refreshToken)
            // No unverified token is issued.
            #expect(kept.tokens?.accessToken == before.accessToken && kept.tokens?.idToken == before.idToken)
            await world.sandbox.set(.none)
            await world.advance(by: .seconds(10))
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    /// The provider has issued a new refresh token, and the rest of the response is invalid.
    @Test(arguments: [TokenFault.lifetimeWord, .typeMAC, .accessTokenNumber, .idTokenNumber, .scopeNumber])
    func keepsTheNewRefreshTokenOfAnInvalidResponse(_ fault: TokenFault) async throws {
        try await EngineFixture.runSignedIn { world, session in
            let before = try #require(try await world.store.record(session.name)?.tokens)
            await world.sandbox.set([.refresh(fault)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            let kept = try #require(try await world.store.record(session.name)?.tokens)
            #expect(kept.refreshToken != before.refreshToken && kept.accessToken == before.accessToken)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    @Test(arguments: [IDTokenFault.expired, .issuedInFuture, .issuedLongAgo, .notBeforeFuture])
    func wrongClockKeepsTheSession(_ fault: IDTokenFault) async throws {
        try await EngineFixture.runSignedIn { world, session in
            let before = try await refreshToken(session, in: world)
            await world.sandbox.set([.refreshedIDToken(fault)])
            let refusal = await failure { try await world.engine.renew(session.name) }
            #expect(refusal?.isTransient == true && refusal?.hintText == "check this machine's clock")
            #expect(try await refreshToken(session, in: world) != before)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test func validTokenIsIssuedWhileTheClockIsInDoubt() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let before = try await world.store.record(session.name)?.tokens?.accessToken
            await world.sandbox.set([.refreshedIDToken(.issuedInFuture)])
            let longer = TokenRequest(session: session.name, minimumValidity: .seconds(400))
            #expect(try await world.engine.token(longer).token == before)
            world.time.advance(by: .seconds(301))
            await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: session.name)) }
        }
    }

    @Test func missingProofKeepsTheSession() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            await world.sandbox.set([.refresh(.proofRefused)])
            let refusal = await failure { try await world.engine.renew(session.name) }
            #expect(refusal?.kind == .configuration && refusal?.hintText?.contains("dpop = \"required\"") == true)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test func gatewayErrorKeepsTheSession() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            await world.sandbox.set([.refresh(.gatewayRefusal)])
            let refusal = await failure { try await world.engine.renew(session.name) }
            #expect(refusal?.isTransient == true && refusal?.hintText == "try again in a moment")
            #expect(world.count(of: "refresh_token") == 1)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    // MARK: A sign-in during a renewal

    /// Signs in, and again during a renewal of the first session; `between` then changes the provider.
    private func renewing(
        _ check: (EngineFixture, Result<SessionSummary, any Error>, _ newer: TokenSet) async throws -> Void,
        between: @escaping @Sendable (SandboxServer) async -> Void
    ) async throws {
        let transport = HeldTransport()
        try await EngineFixture.runSignedIn(through: transport) { world, session in
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

    @Test func refusedRenewalKeepsANewerSignIn() async throws {
        try await renewing { world, result, newer in
            #expect(try result.get().recordedState == .signedIn)
            await world.sandbox.set(.none)
            #expect(try await world.engine.sessions().map(\.recordedState) == [.signedIn])
            let name = try #require(try await world.engine.sessions().first?.name)
            #expect(try await world.engine.renew(name).receivedAt >= newer.receivedAt)
        } between: {
            await $0.set([.refresh(.invalidGrant)])
        }
    }

    @Test(arguments: [IDTokenFault.audienceWrong, .issuedInFuture])
    func invalidRenewalKeepsANewerSignIn(_ fault: IDTokenFault) async throws {
        try await renewing { world, result, newer in
            #expect(try result.get().isRenewable)
            let grants = world.sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }
            let spent = try #require(grants.last?.field("refresh_token"))
            #expect(newer.refreshToken.map { $0.reveal() != spent } == true)
            await world.sandbox.set(.none)
            let name = try #require(try await world.engine.sessions().first?.name)
            #expect(try await world.engine.renew(name).recordedState == .signedIn)
        } between: {
            await $0.set([.refreshedIDToken(fault)])
        }
    }

    @Test func olderRenewalDoesNotReplaceANewerSignIn() async throws {
        let transport = HeldTransport()
        try await EngineFixture.runSignedIn(through: transport) { (world, session) async throws in
            transport.hold(field: "grant_type=refresh_token") {
                _ = try? await world.signedIn { $0.scopes = ["openid", "offline_access"] }
            }
            // The narrower scopes identify the tokens of the newer sign-in.
            #expect(try await world.engine.renew(session.name).scopes == ["openid", "offline_access"])
            #expect(try await world.store.record(session.name)?.tokens?.scopes == ["openid", "offline_access"])
        }
    }
}
