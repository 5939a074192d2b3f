import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import Testing

/// An ID token has an end of its own, which is seldom that of the access token beside it.
@Suite("Handing out ID tokens", .serialized)
struct IDTokenIssuanceTests {
    private static let short = SandboxConfiguration(
        autoApproves: "ada", lifetimes: .init(accessToken: .seconds(86_400), idToken: .seconds(300)))

    /// A world where everybody's clock has been put on by `duration` since the sign-in.
    private func later(
        _ duration: Duration, skipsWaits: Bool = false, _ body: (EngineWorld, SessionName) async throws -> Void
    ) async throws {
        try await EngineWorld.run(Self.short, skipsWaits: skipsWaits) { world in
            let session = try await world.signedIn()
            world.time.advance(by: duration)
            await world.sandbox.advance(by: duration)
            try await body(world, session.name)
        }
    }

    @Test func anExpiredOneIsRenewed() async throws {
        try await later(.seconds(400)) { world, name in
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            #expect(try #require(grant.expiresAt) - world.time.now > .seconds(60))
            #expect(world.count(of: "refresh_token") == 1)
            // The access token is good for a day.
            _ = try await world.engine.token(TokenRequest(session: name))
            #expect(world.count(of: "refresh_token") == 1)
        }
    }

    @Test func isGoodForAsLongAsWasAsked() async throws {
        try await later(.seconds(100)) { world, name in
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id, minimumValidity: .seconds(150)))
            #expect(world.count(of: "refresh_token") == 0)
            let longer = try await world.engine.token(TokenRequest(session: name, wanted: .id, minimumValidity: .seconds(250)))
            #expect(world.count(of: "refresh_token") == 1)
            #expect(longer.token != grant.token)
        }
    }

    @Test func anExpiredOneIsNotHandedOutWithoutARenewal() async throws {
        try await later(.seconds(400)) { world, name in
            await #expect {
                try await world.engine.token(TokenRequest(session: name, wanted: .id, mayRenew: false))
            } throws: {
                ($0 as? AuthFailure)?.kind == .signInAgain
            }
            #expect(world.count(of: "refresh_token") == 0)
        }
    }

    @Test func whereRenewalsBringNoneOnlyANewSignInHelps() async throws {
        try await later(.seconds(280)) { world, name in
            await world.sandbox.set([.refresh(.idTokenMissing)])
            // What is left of it is all there is.
            let last = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            #expect(try #require(last.expiresAt) > world.time.now)
            world.time.advance(by: .seconds(60))
            for _ in 0..<3 {
                await #expect { try await world.engine.token(TokenRequest(session: name, wanted: .id)) } throws: {
                    ($0 as? AuthFailure)?.kind == .signInAgain
                }
            }
            // Asked once, and not with every request for it.
            #expect(world.count(of: "refresh_token") == 1)
            // The session itself is as good as before.
            #expect(try await world.engine.token(TokenRequest(session: name)).expiresAt != nil)
        }
    }

    @Test func aTokenOfFewerScopesSaysNothingOfWhatRenewalsBring() async throws {
        try await later(.seconds(400)) { world, name in
            let narrow = try await world.engine.token(TokenRequest(session: name, terms: TokenRestrictions(scopes: ["profile"])))
            #expect(narrow.scopes == ["profile"])
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            #expect(try #require(grant.expiresAt) > world.time.now)
        }
    }

    @Test func aLiveOneIsServedWhileTheProviderIsDown() async throws {
        try await later(.seconds(270), skipsWaits: true) { world, name in
            await world.sandbox.set([.transport(.refresh, .unavailable)])
            let grant = try await world.engine.token(TokenRequest(session: name, wanted: .id))
            #expect(try #require(grant.expiresAt) > world.time.now)
            world.time.advance(by: .seconds(30))
            await #expect { try await world.engine.token(TokenRequest(session: name, wanted: .id)) } throws: {
                ($0 as? AuthFailure)?.isTransient == true
            }
        }
    }

    @Test func needsNoAccessTokenThatIsFresh() async throws {
        let configuration = SandboxConfiguration(
            autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30), idToken: .seconds(3600)))
        try await EngineWorld.run(configuration) { world in
            let session = try await world.signedIn()
            _ = try await world.engine.token(TokenRequest(session: session.name, wanted: .id))
            #expect(world.count(of: "refresh_token") == 0)
        }
    }
}
