import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// OpenID Connect Core section 12.2.
@Suite struct RenewedIDTokenTests {
    private static let old = IDTokenBench.claims.replacing([
        Member("auth_time", 1_799_990_000), Member("iat", 1_799_990_000), Member("exp", 1_799_990_300),
    ])

    private func renew(_ changes: [JSONValue.Member], old: JSONValue = old) throws -> IDToken {
        let token = try IDTokenBench.ec.token(IDTokenBench.claims.replacing(changes), algorithm: "ES256")
        return try IDTokenBench(nonce: nil).validator().validateRenewed(
            Secret(token), accessToken: World.accessToken, old: old, keys: IDTokenBench.honestKeys(), now: World.now)
    }

    @Test func acceptsWithAndWithoutTheNonce() throws {
        #expect(try renew([]).subject == "ada")
        #expect(try renew([Member("nonce", .null)]).subject == "ada")
        #expect(try renew([Member("auth_time", 1_799_990_000)]).subject == "ada")
    }

    @Test func refusesAnotherAccountIssuerAudienceNonceOrSignInTime() {
        // RP-41, RP-42, TOK-16, N-69.
        #expect(World.flaw { try renew([Member("iss", "https://id.example.org1")]) } == .foreignIssuer)
        #expect(World.flaw { try renew([Member("sub", "ada1")]) } == .otherSubject)
        #expect(World.flaw { try renew([Member("aud", "other")]) } == .foreignAudience)
        #expect(World.flaw { try renew([Member("nonce", "another")]) } == .wrongNonce)
        #expect(World.flaw { try renew([Member("azp", "other")]) } == .foreignParty)
        #expect(World.flaw { try renew([Member("auth_time", 1_799_990_001)]) } == .otherAuthenticationTime)
        #expect(World.flaw { try renew([Member("iat", 1_799_990_000)]) } == .stale)
    }

    @Test func knowsTheAccountOfASessionWithoutAnIDToken() throws {
        // The identity came from userinfo: issuer and subject are all there is to compare with.
        let known: JSONValue = ["iss": "https://id.example.org", "sub": "ada"]
        #expect(try renew([Member("nonce", .null), Member("auth_time", 1_799_990_000)], old: known).subject == "ada")
        #expect(World.flaw { try renew([Member("nonce", .null), Member("sub", "eve")], old: known) } == .otherSubject)
        #expect(World.flaw { try renew([Member("nonce", "from-nowhere")], old: known) } == .wrongNonce)
        #expect(World.flaw { try renew([Member("nonce", .null)], old: [:]) } == .foreignIssuer)
        #expect(World.flaw { try renew([Member("nonce", .null)], old: ["iss": "https://id.example.org"]) } == .otherSubject)
    }
}
