import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// ID tokens of a renewal (OpenID Connect Core section 12.2).
@Suite struct RenewedIDTokenTests {
    private static let old = IDTokenFixture.claims.replacing([
        Member("auth_time", 1_799_990_000), Member("iat", 1_799_990_000), Member("exp", 1_799_990_300),
    ])

    private func renew(_ changes: [JSONValue.Member], old: JSONValue = old) throws -> IDToken {
        let token = try IDTokenFixture.ec.token(IDTokenFixture.claims.replacing(changes), algorithm: "ES256")
        return try IDTokenFixture(nonce: nil).validator().validateRenewed(
            Secret(token), accessToken: Fixture.accessToken, old: old, keys: IDTokenFixture.validKeys(), now: Fixture.now)
    }

    @Test func nonceIsOptional() throws {
        #expect(try renew([]).subject == "ada")
        #expect(try renew([Member("nonce", .null)]).subject == "ada")
        #expect(try renew([Member("nonce", "")]).subject == "ada")
        #expect(try renew([Member("auth_time", 1_799_990_000)]).subject == "ada")
    }

    @Test func refusesChangedIdentityClaims() {
        // RP-41, RP-42, TOK-16, N-69.
        #expect(Fixture.tokenError { try renew([Member("iss", "https://id.example.org1")]) } == .wrongIssuer)
        #expect(Fixture.tokenError { try renew([Member("sub", "ada1")]) } == .wrongSubject)
        #expect(Fixture.tokenError { try renew([Member("aud", "other")]) } == .wrongAudience)
        #expect(Fixture.tokenError { try renew([Member("nonce", "another")]) } == .wrongNonce)
        #expect(Fixture.tokenError { try renew([Member("azp", "other")]) } == .wrongAuthorizedParty)
        #expect(Fixture.tokenError { try renew([Member("auth_time", 1_799_990_001)]) } == .changedAuthenticationTime)
        #expect(Fixture.tokenError { try renew([Member("iat", 1_799_990_000)]) } == .stale)
    }

    @Test func comparesIssuerAndSubjectWithoutAnOldIDToken() throws {
        // The identity came from userinfo: only issuer and subject can be compared.
        let known: JSONValue = ["iss": "https://id.example.org", "sub": "ada"]
        #expect(try renew([Member("nonce", .null), Member("auth_time", 1_799_990_000)], old: known).subject == "ada")
        #expect(Fixture.tokenError { try renew([Member("nonce", .null), Member("sub", "eve")], old: known) } == .wrongSubject)
        #expect(Fixture.tokenError { try renew([Member("nonce", "from-nowhere")], old: known) } == .wrongNonce)
        #expect(Fixture.tokenError { try renew([Member("nonce", .null)], old: [:]) } == .wrongIssuer)
        #expect(Fixture.tokenError { try renew([Member("nonce", .null)], old: ["iss": "https://id.example.org"]) } == .wrongSubject)
    }
}
