import AuthModel
import Crypto
import Localization
import Testing
@testable import OAuth

/// DPoP proofs (RFC 9449 section 4), parsed as a server parses them.
@Suite struct ProofTests {
    private let key: ProofKeyPair
    private let plain: WebRequest

    init() throws {
        var random = Fixture.Counter(state: 7)
        key = ProofKeyPair(using: &random)
        plain = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: OAuthClient(id: "yett"))
    }

    private func prove(
        _ request: WebRequest? = nil, accessToken: Secret? = nil, nonce: String? = nil, seed: UInt64 = 1
    ) throws -> WebRequest {
        var random = Fixture.Counter(state: seed)
        return try (request ?? plain).proved(by: key, accessToken: accessToken, nonce: nonce, now: Fixture.now, using: &random)
    }

    /// Returns the only proof of a request, after verifying its signature with the key in its header.
    private func read(_ request: WebRequest) throws -> JSONWebSignature {
        let fields = request.headers.filter { $0.name.lowercased() == "dpop" }
        #expect(fields.count == 1)
        let jws = try JSONWebSignature(compact: Fixture.required(fields.first).value)
        let jwk = try Fixture.required(jws.header["jwk"])
        let keys = try KeySet(document: ["keys": [jwk]], host: nil)
        #expect(try Fixture.required(VerificationKey(jwk)).isValid(jws.signature, over: jws.signingInput, .es256))
        #expect(keys.keys.count == 1)
        return jws
    }

    @Test func proofDescribesTheRequest() throws {
        // DPOP-01, FAPI-27, N-36.
        let jws = try read(prove())
        #expect(jws.header.members?.map(\.name) == ["typ", "alg", "jwk"])
        #expect(jws.type == "dpop+jwt")
        #expect(jws.algorithm == "ES256")
        #expect(jws.header["jwk"] == key.publicKey)
        #expect(jws.header["jwk"]?["d"] == nil)
        let claims = jws.unverifiedClaims
        #expect(claims.members?.map(\.name) == ["jti", "htm", "htu", "iat"])
        #expect(claims["htm"] == "POST")
        #expect(claims["htu"] == "https://tokens.example.org/token")
        #expect(claims["iat"]?.integer == Fixture.now.seconds)
        #expect(claims["jti"]?.string?.utf8.count == 43)
    }

    @Test func proofHasTheAccessTokenHash() throws {
        // N-37. RFC 9449 section 7.1: the hash of the example's token.
        let token = Secret("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU")
        #expect(try read(prove(accessToken: token)).unverifiedClaims["ath"] == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }

    @Test func proofCarriesTheNonce() throws {
        #expect(try read(prove(nonce: "eyJ7S_zG.eyJH0-Z.HX4w-7v")).unverifiedClaims["nonce"] == "eyJ7S_zG.eyJH0-Z.HX4w-7v")
        #expect(try read(prove()).unverifiedClaims["nonce"] == nil)
    }

    @Test func everyProofIsFresh() throws {
        // DPOP-02: a retry replaces the proof and has its own identifier.
        let first = try prove(seed: 1)
        let second = try prove(first, nonce: "n", seed: 2)
        #expect(try read(first).unverifiedClaims["jti"] != read(second).unverifiedClaims["jti"])
        #expect(second.body == plain.body)
        #expect(second.headers.count == first.headers.count)
    }

    @Test(arguments: [
        ("https://api.example.org/a/b?x=1&y=2#frag", "https://api.example.org/a/b"),
        ("https://api.example.org", "https://api.example.org/"),
        ("https://API.example.org:443/A", "https://api.example.org/A"), ("https://api.example.org:8443/", "https://api.example.org:8443/"),
        ("http://127.0.0.1:80?x", "http://127.0.0.1/"), ("http://[::1]:9000/%2F", "http://[::1]:9000/%2F"),
    ])
    func targetHasNoQueryOrFragment(_ url: String, _ target: String) throws {
        let jws = try read(prove(WebRequest(method: .get, url: Fixture.url(url))))
        #expect(jws.unverifiedClaims["htu"]?.string == target)
        #expect(jws.unverifiedClaims["htm"] == "GET")
    }

    @Test func authorizationRequestNamesTheSameKey() throws {
        // DPOP-10, N-41.
        var request = Fixture.request()
        request.dpopKeyThumbprint = key.thumbprint
        let prepared = try Fixture.prepared(request)
        #expect(prepared.url.query?.contains("dpop_jkt=\(key.thumbprint)") == true)
        let jwk = try Fixture.required(read(prove()).header["jwk"])
        #expect(Base64URL.encode(SHA256.hash(data: Array(jwk.text.utf8))) == key.thumbprint)
    }

    @Test func boundTokenUsesTheDPoPScheme() throws {
        // N-37, DPOP-08.
        let request = try UserInfo.request(Fixture.tokens("dpop"), at: Fixture.metadata())
        #expect(request.headers.contains { $0 == ("Authorization", "DPoP at") })
    }

    @Test func refusesADowngradeToBearer() throws {
        // N-40.
        let answer = Fixture.json(#"{"access_token":"at","token_type":"Bearer"}"#)
        let error = Fixture.error {
            try TokenResponse.tokens(answer, .codeExchange, host: nil, requested: [], requiresProof: true, now: Fixture.now)
        }
        #expect(error?.kind == .tokenTypeNotUnderstood)
        #expect(error?.failure.exitCode == 8)
        // A bound session stays bound.
        let bound = Fixture.json(#"{"access_token":"at","token_type":"DPoP","refresh_token":"rt"}"#)
        let old = try TokenResponse.tokens(bound, .codeExchange, host: nil, requested: [], requiresProof: true, now: Fixture.now)
        #expect(Fixture.error { try TokenResponse.renewed(answer, host: nil, old: old, now: Fixture.now) }?.kind == .tokenTypeNotUnderstood)
    }

    @Test func isUsedOnlyIfRequired() throws {
        let ours = try Fixture.metadata()
        let none = try Fixture.metadata([.init("dpop_signing_alg_values_supported", .null)])
        let others = try Fixture.metadata([.init("dpop_signing_alg_values_supported", ["RS256", "EdDSA"])])
        // A provider's support alone binds nothing.
        #expect(try !ProofOfPossession.isUsed(.off, at: ours))
        #expect(try ProofOfPossession.isUsed(.required, at: ours))
        #expect(try ProofOfPossession.isUsed(.required, at: none))
        #expect(Fixture.error { try ProofOfPossession.isUsed(.required, at: others) }?.failure.exitCode == 2)
    }

    @Test func refusedProofHintsAtTheClock() {
        // DPOP-13.
        for operation in [OAuthError.Operation.codeExchange, .renewal] {
            let error = OAuthError(operation, .refused(ServerError(code: "invalid_dpop_proof"), status: 400), host: "id.example.org")
            #expect(error.failure.hintText == "check this machine's clock")
            // The error is about the proof: the code or refresh token stays valid.
            #expect(error.grantOutcome == .kept)
        }
    }
}
