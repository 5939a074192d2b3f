import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

/// An ID token has its own expiry, which usually differs from that of the access token.
@Suite("Issuing ID tokens", .serialized)
struct IDTokenIssuanceTests {
    private static let short = SandboxConfiguration(
        autoApproves: "ada", lifetimes: .init(accessToken: .seconds(86_400), idToken: .seconds(3000)))

    /// Runs `body` after a sign-in and an advance of the engine's and the sandbox's clocks by `duration`.
    private func afterSignIn(
        _ duration: Duration, skipsWaits: Bool = false, _ body: (EngineFixture, SessionName) async throws -> Void
    ) async throws {
        try await EngineFixture.runSignedIn(Self.short, skipsWaits: skipsWaits) { world, session in
            await world.advance(by: duration)
            try await body(world, session.name)
        }
    }

    @Test func expiredIDTokenIsRenewed() async throws {
        try await afterSignIn(.seconds(4000)) { world, name in
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            #expect(try #require(grant.expiresAt) - world.time.now > .seconds(60))
            #expect(world.count(of: "refresh_token") == 1)
            // The access token is valid for a day.
            _ = try await world.engine.token(TokenRequest(session: name))
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func idTokenHasTheRequestedMinimumValidity() async throws {
        try await afterSignIn(.seconds(1000)) { world, name in
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id, minimumValidity: .seconds(1500)))
            #expect(world.count(of: "refresh_token") == 0)
            let longer = try await world.engine.token(TokenRequest(session: name, wanted: .id, minimumValidity: .seconds(2500)))
            #expect(world.count(of: "refresh_token") == 1)
            #expect(longer.token != grant.token)
        }
    }

    @Test func expiredIDTokenIsNotIssuedWithoutARenewal() async throws {
        try await afterSignIn(.seconds(4000)) { world, name in
            let refusal = await failure { try await world.engine.token(TokenRequest(session: name, wanted: .id, mayRenew: false)) }
            #expect(refusal?.kind == .signInAgain)
            #expect(world.count(of: "refresh_token") == 0)
        }
    }

    @Test func refusedIDTokenIsReplacedOnce() async throws {
        try await afterSignIn(.seconds(1000)) { world, name in
            let first = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            let second = try await world.engine.token(TokenRequest(session: name, wanted: .id, refused: first.token))
            #expect(second.token != first.token)
            // Another caller had the old one too.
            #expect(try await world.engine.token(TokenRequest(session: name, wanted: .id, refused: first.token)).token == second.token)
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    /// The access token is a different one, and no one refused it.
    @Test func refusedIDTokenWithoutARenewalLeavesTheAccessToken() async throws {
        try await afterSignIn(.seconds(1000)) { world, name in
            let access = try await world.engine.token(TokenRequest(session: name))
            let first = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            let request = TokenRequest(session: name, wanted: .id, mayRenew: false, refused: first.token)
            #expect(await failure { try await world.engine.token(request) }?.kind == .signInAgain)
            #expect(try await world.engine.token(TokenRequest(session: name)) == access)
            #expect(world.count(of: "refresh_token") == 0)
        }
    }

    @Test func refusedIDTokenThatRenewalsDoNotReplaceIsReported() async throws {
        try await afterSignIn(.seconds(1000)) { world, name in
            await world.sandbox.set([.refresh(.idTokenMissing)])
            let first = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            for _ in 0..<2 {
                let refusal = await failure { try await world.engine.token(TokenRequest(session: name, wanted: .id, refused: first.token)) }
                #expect(refusal?.kind == .signInAgain)
            }
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func renewalsWithoutAnIDTokenNeedANewSignIn() async throws {
        try await afterSignIn(.seconds(2000)) { world, name in
            await world.sandbox.set([.refresh(.idTokenMissing)])
            // The rest of its lifetime can still be used.
            let last = try await world.engine.token(TokenRequest(session: name, wanted: .id, minimumValidity: .seconds(2500)))
            #expect(try #require(last.expiresAt) > world.time.now)
            world.time.advance(by: .seconds(1100))
            for _ in 0..<3 {
                #expect(await failure { try await world.engine.token(TokenRequest(session: name, wanted: .id)) }?.kind == .signInAgain)
            }
            // The provider was asked once, not for every request.
            #expect(world.count(of: "refresh_token") == 1)
            // The session itself stays valid.
            #expect(try await world.engine.token(TokenRequest(session: name)).expiresAt != nil)
        }
    }

    @Test func restrictedTokenDoesNotAffectTheIDToken() async throws {
        try await afterSignIn(.seconds(4000)) { world, name in
            let narrow = try await world.engine.token(TokenRequest(session: name, restrictions: TokenRestrictions(scopes: ["profile"])))
            #expect(narrow.scopes == ["profile"])
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            #expect(try #require(grant.expiresAt) > world.time.now)
        }
    }

    @Test func validIDTokenIsIssuedWhileTheProviderIsDown() async throws {
        try await afterSignIn(.seconds(2000), skipsWaits: true) { world, name in
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id, minimumValidity: .seconds(2500)))
            #expect(try #require(grant.expiresAt) > world.time.now)
            world.time.advance(by: .seconds(1100))
            #expect(await failure { try await world.engine.token(TokenRequest(session: name, wanted: .id)) }?.isTransient == true)
        }
    }

    @Test func idTokenNeedsNoFreshAccessToken() async throws {
        let configuration = SandboxConfiguration(
            autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30), idToken: .seconds(3600)))
        try await EngineFixture.runSignedIn(configuration) { world, session in
            _ = try await world.engine.token(TokenRequest(session: session.name, wanted: .id))
            #expect(world.count(of: "refresh_token") == 0)
        }
    }
}
