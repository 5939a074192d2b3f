import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Synchronization
import TestSupport
import Testing

@Suite(.serialized)
struct RenewalTests {
    /// Access tokens so short-lived that none is ever fresh: every request for one needs a renewal.
    private static let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(55)))

    @Test func freshTokenIsIssuedWithoutTheNetwork() async throws {
        try await EngineFixture.runSignedIn { world, session in
            world.sandbox.clearRequests()
            #expect(try await !world.engine.token(TokenRequest(session: session.name, caller: "test")).token.isEmpty)
            #expect(world.sandbox.requests.isEmpty)
            let used = try #require(try await world.engine.sessions().first)
            #expect(used.lastUsedBy == "test")
        }
    }

    /// A caller whose turn comes after the renewal gets its token, which is fresh.
    @Test func hundredCallersCauseOneRenewal() async throws {
        try await EngineFixture.runSignedIn { world, session in
            world.time.advance(by: .seconds(295))
            let engine = world.engine
            let tokens = try await withThrowingTaskGroup(of: Secret.self) { group in
                for _ in 0..<100 {
                    group.addTask { try await engine.token(TokenRequest(session: session.name)).token }
                }
                var tokens: [String] = []
                for try await token in group { tokens.append(token.reveal()) }
                return tokens
            }
            #expect(tokens.count == 100)
            #expect(Set(tokens).count == 1)
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func twoEnginesNeverUseARefreshTokenTwice() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, session in
            let other = try EngineFixture(sandbox: world.sandbox, store: world.store)
            let engines = [world.engine, other.engine]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<20 {
                    group.addTask { _ = try await engines[index % 2].token(TokenRequest(session: session.name)) }
                }
                try await group.waitForAll()
            }
            // Reuse would have revoked the whole grant.
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    /// Its refusal would end the session, and with it an access token that is valid for longer.
    @Test func endedRefreshTokenIsNotSentForAValidAccessToken() async throws {
        let sandbox = SandboxConfiguration(
            autoApproves: "ada", lifetimes: .init(accessToken: .seconds(36_000), refreshToken: .seconds(1800)))
        let transport = DialectTests.ChangingTransport { request, response in
            guard request.url.path == "/token", let members = response.document?.members else { return response }
            let all = JSONValue.object(members + [.init("refresh_expires_in", 1800)])
            return WebResponse(status: response.status, headers: response.headers, body: Array(all.text.utf8))
        }
        try await EngineFixture.runSignedIn(sandbox, through: transport) { (world, session) async throws in
            let request = TokenRequest(session: session.name)
            // From half of the time that the refresh token has, a request renews both.
            for (seconds, renewals) in [(800, 0), (200, 1), (20_000, 1)] {
                await world.advance(by: .seconds(seconds))
                #expect(try await !world.engine.token(request).token.isEmpty)
                #expect(world.count(of: "refresh_token") == renewals, "after \(seconds) seconds")
            }
            let longer = TokenRequest(session: session.name, minimumValidity: .seconds(20_000))
            #expect(try await !world.engine.token(longer).token.isEmpty)
            #expect(world.count(of: "refresh_token") == 1)
            #expect(try await world.engine.sessions().map(\.recordedState) == [.signedIn])
        }
    }

    /// What a renewal changed can be seen later, by anyone who looks.
    @Test func claimsOfTheReplacedTokensAreKept() async throws {
        try await EngineFixture.run { world in
            let name = try await world.signedIn().name
            let before = try await world.engine.tokens(of: name)
            #expect(before.allSatisfy { $0.formerClaims == nil })
            _ = try await world.engine.renew(name)
            let after = try await world.engine.tokens(of: name)
            let old = try #require(before.first { $0.kind == .id })
            let new = try #require(after.first { $0.kind == .id })
            #expect(new.formerClaims == old.claims && old.claims != nil && new.claims != old.claims)
            #expect(after.first { $0.kind == .refresh }?.formerClaims == nil)
        }
    }

    @Test func newRefreshTokenIsStoredBeforeTheTokenIsIssued() async throws {
        try await EngineFixture.runSignedIn(Self.stale) { world, session in
            let before = try #require(try await world.store.record(session.name)?.tokens?.refreshToken)
            let grant = try await world.engine.token(TokenRequest(session: session.name))
            let after = try #require(try await world.store.record(session.name)?.tokens)
            #expect(after.accessToken == grant.token)
            #expect(after.refreshToken != before)
        }
    }

    @Test func responseWithoutARefreshTokenKeepsTheOldOne() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let before = try await world.store.record(session.name)?.tokens?.refreshToken
            await world.sandbox.set([.refresh(.refreshTokenMissing)])
            _ = try await world.engine.renew(session.name)
            #expect(try await world.store.record(session.name)?.tokens?.refreshToken == before)
        }
    }

    /// The server did not authenticate the client, so it did not look at the refresh token (RFC 6749 section 5.2).
    @Test func refusedClientKeepsTheSessionAndSaysWhy() async throws {
        try await EngineFixture.run { world in
            let name = try await world.signedIn().name
            await world.sandbox.set([.refresh(.invalidClient)])
            for _ in 0..<2 {
                #expect(await failure { try await world.engine.renew(name) }?.kind == .configuration)
            }
            let kept = try #require(try await world.engine.sessions().first)
            #expect(kept.recordedState == .signedIn && kept.isRenewable)
            #expect(kept.warnings.map(\.code) == ["renewal.refused_by_provider"])
            await world.sandbox.set([])
            #expect(try await world.engine.renew(name).warnings == [])
        }
    }

    /// A client that Yett registered is not configured: once the server has forgotten it, only another client helps, with another grant.
    @Test func forgottenRegistrationEndsTheSession() async throws {
        try await EngineFixture.run(change: { $0.registeredScopes = ["openid"] }) { world in
            let name = try await world.signedIn().name
            await world.sandbox.set([.refresh(.invalidClient)])
            let refusal = await failure { try await world.engine.renew(name) }
            #expect(refusal?.kind == .signInAgain && refusal?.hint?.code == "hint.register_again")
            #expect(try await world.engine.sessions().first?.recordedState == .needsSignIn)
        }
    }

    /// A server of several parts may not know the client everywhere at once.
    @Test func registrationIsForgottenTwiceBeforeTheSessionEnds() async throws {
        let count = Mutex(0)
        let transport = DialectTests.ChangingTransport { request, response in
            guard String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token") else { return response }
            guard
                count.withLock({
                    $0 += 1; return $0
                }) == 1
            else { return response }
            return WebResponse(
                status: 401, headers: [("Content-Type", "application/json")], body: Array(#"{"error":"invalid_client"}"#.utf8))
        }
        let keeping = SandboxConfiguration(autoApproves: "ada").with { $0.rotation = .keeps }
        try await EngineFixture.run(keeping, through: transport, skipsWaits: true, change: { $0.registeredScopes = ["openid"] }) { world in
            let name = try await world.signedIn().name
            #expect(try await world.engine.renew(name).recordedState == .signedIn)
            #expect(count.withLock { $0 } == 2)
        }
    }

    /// Supabase's words, without a code.
    @Test func registrationMayBeForgottenInOtherWords() async throws {
        let transport = DialectTests.ChangingTransport { request, response in
            guard String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token") else { return response }
            return WebResponse(
                status: 422, headers: [("Content-Type", "application/json")], body: Array(#"{"message":"Unrecognized client_id"}"#.utf8))
        }
        let keeping = SandboxConfiguration(autoApproves: "ada").with { $0.rotation = .keeps }
        try await EngineFixture.run(keeping, through: transport, skipsWaits: true, change: { $0.registeredScopes = ["openid"] }) { world in
            let name = try await world.signedIn().name
            #expect(await failure { try await world.engine.renew(name) }?.hint?.code == "hint.register_again")
            #expect(try await world.engine.sessions().first?.recordedState == .needsSignIn)
        }
    }

    /// A proxy asks for authentication too: only an error of the server's own says that it has forgotten the client.
    @Test func gatewayDoesNotForgetARegistration() async throws {
        let transport = DialectTests.ChangingTransport { request, response in
            guard String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token") else { return response }
            return WebResponse(
                status: 401, headers: [("WWW-Authenticate", "Basic realm=\"maintenance\""), ("Content-Type", "text/plain")],
                body: Array("Authorization Required".utf8))
        }
        try await EngineFixture.run(through: transport, change: { $0.registeredScopes = ["openid"] }) { world in
            let name = try await world.signedIn().name
            #expect(await failure { try await world.engine.renew(name) }?.kind == .configuration)
            #expect(try await world.engine.sessions().first?.recordedState == .signedIn)
        }
    }

    /// Microsoft Entra's words for a resource that it granted, and those for the parameter itself.
    @Test(arguments: [
        #"{"error":"invalid_target","error_description":"AADSTS9010010: The resource does not match the scopes."}"#,
        #"{"error":"invalid_request","error_description":"AADSTS901002: The 'resource' request parameter is not supported."}"#,
    ])
    func renewalIsRepeatedWithoutARefusedResource(_ refusal: String) async throws {
        let transport = DialectTests.ChangingTransport { request, response in
            let body = String(decoding: request.body, as: UTF8.self)
            guard body.contains("grant_type=refresh_token"), body.contains("resource=") else { return response }
            return WebResponse(status: 400, headers: [("Content-Type", "application/json")], body: Array(refusal.utf8))
        }
        let keeping = SandboxConfiguration(autoApproves: "ada").with { $0.rotation = .keeps }
        try await EngineFixture.run(keeping, through: transport, change: { $0.resources = ["https://api.example.org/"] }) { world in
            let name = try await world.signedIn().name
            #expect(try await world.engine.renew(name).recordedState == .signedIn)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    /// Microsoft Entra behind another server, which takes a renewal without scopes for one of the client itself.
    @Test(arguments: [
        #"{"error":"invalid_request","error_description":"AADSTS90009: Application is requesting a token for itself."}"#,
        #"{"error":"invalid_request","error_description":"AADSTS900144: The request body must contain the parameter 'scope'."}"#,
    ])
    func renewalIsRepeatedWithScopesThatAreWanted(_ refusal: String) async throws {
        let transport = DialectTests.ChangingTransport { request, response in
            let body = String(decoding: request.body, as: UTF8.self)
            guard body.contains("grant_type=refresh_token"), !body.contains("scope=") else { return response }
            return WebResponse(status: 400, headers: [("Content-Type", "application/json")], body: Array(refusal.utf8))
        }
        let keeping = SandboxConfiguration(autoApproves: "ada").with { $0.rotation = .keeps }
        try await EngineFixture.run(keeping, through: transport) { world in
            let session = try await world.signedIn()
            let renewed = try await world.engine.renew(session.name)
            #expect(renewed.recordedState == .signedIn && Set(renewed.scopes.values) == Set(session.scopes.values))
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    @Test func invalidGrantEndsOnlyItsSessionAtOnce() async throws {
        try await EngineFixture.runSignedIn { world, ada in
            await world.sandbox.autoApprove(as: "grace")
            let grace = try await world.signedIn()
            await world.sandbox.set([.refresh(.invalidGrant)])
            for _ in 0..<3 {
                #expect(await failure { try await world.engine.renew(ada.name) }?.kind == .signInAgain)
            }
            #expect(world.count(of: "refresh_token") == 1)
            let states = try await world.engine.sessions().map { ($0.name, $0.recordedState) }
            #expect(states.first { $0.0 == ada.name }?.1 == .needsSignIn)
            #expect(states.first { $0.0 == grace.name }?.1 == .signedIn)
        }
    }

    @Test func secondUnreadableRefusalEndsTheSession() async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set([.transport(.refresh, .empty400)])
            #expect(await failure { try await world.engine.renew(session.name) }?.kind == .signInAgain)
            #expect(world.count(of: "refresh_token") == 2)
        }
    }

    @Test func providerFailureKeepsTheSession() async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set(FaultSet(.transport(.refresh, .unavailable), times: 3))
            #expect(await failure { try await world.engine.renew(session.name) }?.kind == .unavailable(retryAfter: .seconds(7)))
            #expect(world.count(of: "refresh_token") == 3)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test(arguments: [(TransportFault.unavailable, 2), (.closed, 1)])
    func shortProviderFailureIsRetried(_ fault: TransportFault, times: Int) async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set(FaultSet(.transport(.refresh, fault), times: times))
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(world.count(of: "refresh_token") == times + 1)
        }
    }

    /// The response may have contained a new refresh token.
    @Test(arguments: [TransportFault.html, .serverError])
    func unreadableResponseIsNotRequestedAgain(_ fault: TransportFault) async throws {
        try await EngineFixture.runSignedIn(skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set([.transport(.refresh, fault)])
            #expect(await failure { try await world.engine.renew(session.name) }?.isTransient == true)
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func validTokenIsIssuedWhileTheProviderIsDown() async throws {
        try await EngineFixture.runSignedIn(Self.stale, skipsWaits: true) { (world, session) async throws in
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            #expect(try await !world.engine.token(TokenRequest(session: session.name)).token.isEmpty)
        }
    }

    @Test(arguments: [IDTokenFault.issuerWrong, .audienceWrong, .signatureWrong, .algorithmNone, .subjectOther])
    func renewalWithAnInvalidIDTokenFailsAndIsNotRepeated(_ fault: IDTokenFault) async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            await world.sandbox.set([.refreshedIDToken(fault)])
            for _ in 0..<2 {
                await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            }
            #expect(world.count(of: "refresh_token") == 1)
            #expect(try await world.engine.sessions().first?.recordedState == .error)
            await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: session.name)) }
        }
    }

    /// Azure AD B2C and others count a renewal as a new authentication. The ID token is refused, and the session is renewed.
    @Test func changedAuthenticationTimeKeepsTheSession() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let former = try await world.engine.session(session.name).identity.idTokenClaims["auth_time"]
            await world.sandbox.set([.refreshedIDToken(.authenticationTimeOld)])
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(try await world.engine.session(session.name).identity.idTokenClaims["auth_time"] == former)
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func expiredSessionWithoutARefreshTokenNeedsASignIn() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada").with { $0.refreshTokens = .never }
        try await EngineFixture.runSignedIn(configuration) { (world, session) async throws in
            #expect(session.warnings.contains { $0.english.contains("no refresh token") })
            world.time.advance(by: .seconds(301))
            #expect(await failure { try await world.engine.token(TokenRequest(session: session.name)) }?.kind == .signInAgain)
        }
    }

    @Test func refreshTokenIsNotSentToAnotherIssuer() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let other = try await SandboxServer.start()
            let moved = try EngineFixture(sandbox: other, store: world.store)
            #expect(await failure { try await moved.engine.renew(session.name) }?.kind == .configuration)
            #expect(!other.requests.contains { $0.method == "POST" })
            await other.stop()
        }
    }
}
