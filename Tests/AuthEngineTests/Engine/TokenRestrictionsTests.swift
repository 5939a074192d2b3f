import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

/// Tokens with fewer scopes or another audience than their session.
@Suite(.serialized)
struct TokenRestrictionsTests {
    private static let api = "https://api.example.org/"

    private func request(
        _ session: SessionSummary, scopes: ScopeSet = [], audience: String? = nil, mayRenew: Bool = true
    ) -> TokenRequest {
        TokenRequest(session: session.name, mayRenew: mayRenew, restrictions: TokenRestrictions(scopes: scopes, audience: audience))
    }

    private func renewals(_ world: EngineFixture) -> [LoggedRequest] {
        world.sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }
    }

    @Test func restrictedTokenLeavesTheSessionUnchanged() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let whole = try await world.engine.token(request(session))
            let narrow = try await world.engine.token(request(session, scopes: ["openid", "email"]))
            #expect(Set(narrow.scopes.values) == ["openid", "email"])
            #expect(narrow.token != whole.token)
            #expect(renewals(world).map { $0.field("scope") } == ["email openid"])
            // The session's token and scopes are unchanged, and it can still be renewed.
            #expect(try await world.engine.token(request(session)).token == whole.token)
            #expect(try await world.engine.session(session.name).summary.scopes == session.scopes)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(try await world.engine.token(request(session)).scopes == session.scopes)
        }
    }

    @Test func audienceIsSentAsResource() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            #expect(try await world.engine.token(request(session, audience: Self.api)).scopes == session.scopes)
            #expect(renewals(world).map { $0.field("resource") } == [Self.api])
        }
    }

    @Test func refusedTokenIsReplacedOnce() async throws {
        try await EngineFixture.runSignedIn { world, session in
            var tokenRequest = request(session, scopes: ["openid"])
            let first = try await world.engine.token(tokenRequest).token
            tokenRequest.refused = first
            let second = try await world.engine.token(tokenRequest).token
            #expect(second != first)
            // Another caller whose first token was refused gets the second.
            #expect(try await world.engine.token(tokenRequest).token == second)
            #expect(renewals(world).count == 2)
        }
    }

    @Test func everyRestrictionHasItsOwnToken() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let restrictions: [TokenRestrictions] = [
                .session, TokenRestrictions(scopes: ["openid"]), TokenRestrictions(scopes: ["openid", "email"]),
                TokenRestrictions(audience: Self.api),
                TokenRestrictions(scopes: ["openid"], audience: Self.api),
                TokenRestrictions(scopes: ["openid"], audience: "https://other.example.org/"),
            ]
            var tokens: [String] = []
            for restrictions in restrictions {
                let tokenRequest = TokenRequest(session: session.name, restrictions: restrictions)
                let token = try await world.engine.token(tokenRequest).token
                tokens.append(token.reveal())
                // The same request returns the same token.
                #expect(try await world.engine.token(tokenRequest).token == token)
            }
            #expect(Set(tokens).count == restrictions.count)
            #expect(renewals(world).count == restrictions.count - 1)
        }
    }

    @Test func scopesOfTheSessionReturnItsOwnToken() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let whole = try await world.engine.token(request(session))
            let same = ScopeSet(session.scopes.values.reversed())
            #expect(try await world.engine.token(request(session, scopes: same)).token == whole.token)
            #expect(renewals(world).isEmpty)
        }
    }

    @Test func hundredCallersCauseOneRequest() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let tokenRequest = request(session, scopes: ["openid"])
            let engine = world.engine
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await engine.token(tokenRequest).token.reveal() } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(tokens.count == 1)
            #expect(renewals(world).count == 1)
        }
    }

    @Test func scopeOutsideTheSessionIsRefused() async throws {
        try await EngineFixture.runSignedIn { world, session in
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
    func invalidAudienceIsRefused(audience: String) async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            #expect(await failure { try await world.engine.token(request(session, audience: audience)) }?.kind == .usage)
            #expect(renewals(world).isEmpty)
        }
    }

    /// The session was granted for one resource and another one is requested: the provider refuses, and the session stays valid.
    @Test func refusedRestrictionKeepsTheSession() async throws {
        try await EngineFixture.runSignedIn(change: { $0.resources = [Self.api] }) { (world, session) async throws in
            let refusal = await failure { try await world.engine.token(request(session, audience: "https://other.example.org/")) }
            #expect(refusal?.kind == .denied(code: "invalid_target"))
            #expect(try await world.engine.session(session.name).summary.recordedState == .signedIn)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    /// Microsoft Entra refuses a scope without the user's consent as an invalid grant with a second code.
    @Test(arguments: [
        (#"{"error":"invalid_grant","suberror":"consent_required"}"#, true), (#"{"error":"interaction_required"}"#, true),
        (#"{"error":"invalid_grant","suberror":"bad_token"}"#, false),
    ])
    func missingConsentKeepsTheSession(_ body: String, _ isKept: Bool) throws {
        let error = try #require(throws: OAuthError.self) {
            _ = try TokenResponse.tokens(
                WebResponse(status: 400, body: Array(body.utf8)), .renewal, host: nil, requested: [], now: Timestamp(seconds: 0))
        }
        guard case .refused(let refusal, _) = error.kind else {
            Issue.record("\(error)")
            return
        }
        #expect(refusal.asksForInteraction == isKept)
    }

    @Test func invalidGrantEndsTheSession() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            await world.sandbox.set(FaultSet([.refresh(.invalidGrant)]))
            #expect(await failure { try await world.engine.token(request(session, scopes: ["openid"])) }?.kind == .signInAgain)
            #expect(try await world.engine.session(session.name).summary.recordedState == .needsSignIn)
        }
    }

    @Test func tokenWithOtherScopesIsNotIssued() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            await world.sandbox.set(FaultSet([.refresh(.scopeNarrower)]))
            let refusal = await failure { try await world.engine.token(request(session, scopes: ["profile"])) }
            #expect(refusal?.kind == .denied(code: "invalid_scope"))
            await world.sandbox.set(.none)
            // The refresh token of that response was kept nevertheless.
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test func cachedTokenIsIssuedWithoutARequest() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let refusal = await failure { try await world.engine.token(request(session, scopes: ["openid"], mayRenew: false)) }
            #expect(refusal?.kind == .signInAgain)
            let made = try await world.engine.token(request(session, scopes: ["openid"]))
            #expect(try await world.engine.token(request(session, scopes: ["openid"], mayRenew: false)).token == made.token)
            #expect(renewals(world).count == 1)
        }
    }

    @Test func lockClearsCachedTokens() async throws {
        let folder = try TestFolder()
        let store = try await SessionStore.open(
            directory: folder.path, source: .keyFile(folder.file("key")), time: SystemTimeSource())
        try await EngineFixture.runSignedIn(store: store) { world, session in
            _ = try await world.engine.token(request(session, scopes: ["openid"]))
            try await world.engine.lock()
            try await world.engine.unlockIfNoPassphraseNeeded()
            let refusal = await failure { try await world.engine.token(request(session, scopes: ["openid"], mayRenew: false)) }
            #expect(refusal?.kind == .signInAgain)
        }
    }

    @Test func newSignInReplacesCachedTokens() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let old = try await world.engine.token(request(session, scopes: ["openid"]))
            world.time.advance(by: .seconds(2))
            let again = try await world.signedIn()
            #expect(try await world.engine.token(request(again, scopes: ["openid"])).token != old.token)
        }
    }

    @Test func proofForARestrictedTokenNeedsNoSecondConsent() async throws {
        let bound = SandboxConfiguration(autoApproves: "ada", proofs: .init(support: .required))
        try await EngineFixture.runSignedIn(bound, change: { $0.policy = .ask }) { world, session in
            var tokenRequest = request(session, scopes: ["openid"])
            tokenRequest.consent = .given
            let grant = try await world.engine.token(tokenRequest)
            #expect(grant.tokenType == "DPoP")
            let url = try #require(WebURL(world.sandbox.issuer + "/api/hello"))
            let proof = ProofRequest(session: session.name, accessToken: grant.token, method: "GET", url: url)
            #expect(!(try await world.engine.proof(proof)).isEmpty)
        }
    }
}
