import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import TestCertificates
import Testing

/// Tokens that are good for less than their session is.
@Suite("Terms", .serialized)
struct TermsTests {
    private static let api = "https://api.example.org/"

    private func request(
        _ session: SessionSummary, scopes: ScopeSet = [], audience: String? = nil, mayRenew: Bool = true
    ) -> TokenRequest {
        TokenRequest(session: session.name, mayRenew: mayRenew, terms: TokenRestrictions(scopes: scopes, audience: audience))
    }

    private func renewals(_ world: EngineWorld) -> [LoggedRequest] {
        world.sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }
    }

    @Test func aTokenWithFewerScopesIsMadeAndTheSessionKeepsItsOwn() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let whole = try await world.engine.token(request(session))
            let narrow = try await world.engine.token(request(session, scopes: ["openid", "email"]))
            #expect(Set(narrow.scopes.values) == ["openid", "email"])
            #expect(narrow.token != whole.token)
            #expect(renewals(world).map { $0.field("scope") } == ["email openid"])
            // Neither the session's token nor its scopes nor what it is renewed with was lost.
            #expect(try await world.engine.token(request(session)).token == whole.token)
            #expect(try await world.engine.session(session.name).summary.scopes == session.scopes)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
            #expect(try await world.engine.token(request(session)).scopes == session.scopes)
        }
    }

    @Test func theAudienceIsAskedForAsAResource() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let grant = try await world.engine.token(request(session, audience: Self.api))
            #expect(grant.scopes == session.scopes)
            #expect(renewals(world).map { $0.field("resource") } == [Self.api])
        }
    }

    @Test func aTokenThatWasRefusedIsReplacedAndAnotherOneInItsPlaceIsKept() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            var wish = request(session, scopes: ["openid"])
            let first = try await world.engine.token(wish).token
            wish.refused = first
            let second = try await world.engine.token(wish).token
            #expect(second != first)
            // Whoever else was refused the first one gets the second.
            #expect(try await world.engine.token(wish).token == second)
            #expect(renewals(world).count == 2)
        }
    }

    @Test func neverAnotherTermsToken() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let terms: [TokenRestrictions] = [
                .session, TokenRestrictions(scopes: ["openid"]), TokenRestrictions(scopes: ["openid", "email"]),
                TokenRestrictions(audience: Self.api),
                TokenRestrictions(scopes: ["openid"], audience: Self.api),
                TokenRestrictions(scopes: ["openid"], audience: "https://other.example.org/"),
            ]
            var tokens: [String] = []
            for terms in terms {
                let wish = TokenRequest(session: session.name, terms: terms)
                let token = try await world.engine.token(wish).token
                tokens.append(token.reveal())
                // The same question has the same answer.
                #expect(try await world.engine.token(wish).token == token)
            }
            #expect(Set(tokens).count == terms.count)
            #expect(renewals(world).count == terms.count - 1)
        }
    }

    @Test func termsOfTheSessionItselfAreItsOwnToken() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let whole = try await world.engine.token(request(session))
            let same = ScopeSet(session.scopes.values.reversed())
            #expect(try await world.engine.token(request(session, scopes: same)).token == whole.token)
            #expect(renewals(world).isEmpty)
        }
    }

    @Test func aHundredCallersCauseOneRequest() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let wish = request(session, scopes: ["openid"])
            let engine = world.engine
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await engine.token(wish).token.reveal() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(renewals(world).count == 1)
        }
    }

    @Test func aScopeThatTheSessionHasNotIsNotAskedFor() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await #expect {
                try await world.engine.token(request(session, scopes: ["openid", "admin"]))
            } throws: {
                ($0 as? AuthFailure)?.kind == .denied(code: "invalid_scope")
                    && ($0 as? AuthFailure)?.summary == "the session \(session.name) has no scope admin"
            }
            #expect(renewals(world).isEmpty)
        }
    }

    @Test(arguments: ["api", "https://api.example.org/#part", "", "https://api.example.org/\u{1B}[2J"])
    func anAudienceThatIsNoAddressIsNotAskedFor(audience: String) async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await #expect { try await world.engine.token(request(session, audience: audience)) } throws: {
                ($0 as? AuthFailure)?.kind == .usage
            }
            #expect(renewals(world).isEmpty)
        }
    }

    /// It was granted for one resource, and another one is wanted: the provider refuses, and the session lives on.
    @Test func aRefusalOfTheTermsEndsNoSession() async throws {
        try await EngineWorld.run(change: { $0.resources = [Self.api] }) { world in
            let session = try await world.signedIn()
            await #expect { try await world.engine.token(request(session, audience: "https://other.example.org/")) } throws: {
                ($0 as? AuthFailure)?.kind == .denied(code: "invalid_target")
            }
            #expect(try await world.engine.session(session.name).summary.settledState == .signedIn)
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }

    @Test func aDeadGrantEndsTheSession() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await world.sandbox.set(Misbehaviour([.refresh(.invalidGrant)]))
            await #expect { try await world.engine.token(request(session, scopes: ["openid"])) } throws: {
                ($0 as? AuthFailure)?.kind == .signInAgain
            }
            #expect(try await world.engine.session(session.name).summary.settledState == .needsSignIn)
        }
    }

    @Test func aTokenWithOtherScopesThanAskedIsNotHandedOut() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await world.sandbox.set(Misbehaviour([.refresh(.scopeNarrower)]))
            await #expect { try await world.engine.token(request(session, scopes: ["profile"])) } throws: {
                ($0 as? AuthFailure)?.kind == .denied(code: "invalid_scope")
            }
            await world.sandbox.set(.none)
            // The refresh token that came with it was kept all the same.
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }

    @Test func whatIsAtHandIsHandedOutWithoutAsking() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            await #expect { try await world.engine.token(request(session, scopes: ["openid"], mayRenew: false)) } throws: {
                ($0 as? AuthFailure)?.kind == .signInAgain
            }
            let made = try await world.engine.token(request(session, scopes: ["openid"]))
            #expect(try await world.engine.token(request(session, scopes: ["openid"], mayRenew: false)).token == made.token)
            #expect(renewals(world).count == 1)
        }
    }

    @Test func aLockForgetsThem() async throws {
        let folder = try TestFolder()
        let store = try await SessionStore.open(
            directory: folder.path, source: .keyFile(folder.file("key")), time: SystemTimeSource())
        try await EngineWorld.run(store: store) { world in
            let session = try await world.signedIn()
            _ = try await world.engine.token(request(session, scopes: ["openid"]))
            try await world.engine.lock()
            try await world.engine.unlockIfNoPassphraseNeeded()
            await #expect { try await world.engine.token(request(session, scopes: ["openid"], mayRenew: false)) } throws: {
                ($0 as? AuthFailure)?.kind == .signInAgain
            }
        }
    }

    @Test func aSignInAnewMakesOthers() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            let old = try await world.engine.token(request(session, scopes: ["openid"]))
            world.time.advance(by: .seconds(2))
            let again = try await world.signedIn()
            #expect(try await world.engine.token(request(again, scopes: ["openid"])).token != old.token)
        }
    }

    @Test func aProofForItNeedsNoSecondConsent() async throws {
        let bound = SandboxConfiguration(autoApproves: "ada", proofs: .init(support: .required))
        try await EngineWorld.run(bound, change: { $0.policy = .ask }) { world in
            let session = try await world.signedIn()
            var wish = request(session, scopes: ["openid"])
            wish.consent = .given
            let grant = try await world.engine.token(wish)
            #expect(grant.tokenType == "DPoP")
            let url = try #require(WebURL(world.sandbox.issuer + "/api/hello"))
            let proof = ProofRequest(session: session.name, accessToken: grant.token, method: "GET", url: url)
            #expect(!(try await world.engine.proof(proof)).isEmpty)
        }
    }
}
