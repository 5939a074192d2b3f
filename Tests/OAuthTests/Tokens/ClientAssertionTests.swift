import AuthModel
import Crypto
import Testing
@testable import OAuth

/// `private_key_jwt` and the assertions of RFC 7523.
@Suite struct ClientAssertionTests {
    private func credential(_ metadata: ProviderMetadata? = nil, keyID: String? = nil, seed: UInt64 = 1) throws -> ClientCredential {
        var random = Fixture.Counter(state: seed)
        return try ClientAssertion.credential(
            of: "yett", key: SigningKey(pem: Secret(SampleKeys.p256), keyID: keyID),
            at: metadata ?? Fixture.metadata([.init("token_endpoint_auth_signing_alg_values_supported", ["ES256"])]), now: Fixture.now,
            using: &random)
    }

    private func read(_ credential: ClientCredential) throws -> JSONWebSignature {
        guard case .assertion(let secret) = credential else { throw Fixture.Missing() }
        let jws = try JSONWebSignature(compact: secret.reveal())
        let signer = Signer(key: .p256(try P256.Signing.PrivateKey(pemRepresentation: SampleKeys.p256)), keyID: nil)
        #expect(try Fixture.required(VerificationKey(signer.jwk())).isValid(jws.signature, over: jws.signingInput, .es256))
        return jws
    }

    @Test func assertionIdentifiesTheClient() throws {
        // FAPI-29.
        let jws = try read(credential())
        #expect(jws.header == ["alg": "ES256", "typ": "JWT"])
        let claims = jws.unverifiedClaims
        #expect(claims.members?.map(\.name) == ["iss", "sub", "aud", "jti", "iat", "exp"])
        #expect(claims["iss"] == "yett")
        #expect(claims["sub"] == "yett")
        #expect(claims["aud"] == "https://id.example.org")
        #expect(claims["iat"]?.integer == Fixture.now.seconds)
        #expect(claims["exp"]?.integer == Fixture.now.seconds + 60)
        #expect(claims["jti"]?.string?.utf8.count == 43)
    }

    @Test func everyAssertionIsFresh() throws {
        #expect(try read(credential(seed: 1)).unverifiedClaims["jti"] != read(credential(seed: 2)).unverifiedClaims["jti"])
    }

    @Test func headerHasTheKeyID() throws {
        #expect(try read(credential(keyID: "k1")).header == ["alg": "ES256", "typ": "JWT", "kid": "k1"])
    }

    /// Login.gov and SMART on FHIR take nothing else.
    @Test func audienceMayBeTheTokenEndpoint() throws {
        var random = Fixture.Counter(state: 1)
        var dialect = ProviderDialect()
        dialect.assertionAudience = .tokenEndpoint
        let metadata = try Fixture.metadata([.init("token_endpoint_auth_signing_alg_values_supported", ["ES256"])])
        let credential = try ClientAssertion.credential(
            of: "yett", key: SigningKey(pem: Secret(SampleKeys.p256), keyID: nil), at: metadata, dialect: dialect, now: Fixture.now,
            using: &random)
        #expect(try read(credential).unverifiedClaims["aud"]?.string == metadata.tokenEndpoint?.text)
    }

    /// Apple's client secret is a JWT from the developer's team.
    @Test func assertionMayBeTheClientSecret() throws {
        var random = Fixture.Counter(state: 1)
        let metadata = try Fixture.metadata([.init("token_endpoint_auth_signing_alg_values_supported", ["ES256"])])
        var dialect = ProviderDialect()
        (dialect.assertionIssuer, dialect.assertionParameter) = ("DEF123GHIJ", .clientSecret)
        let credential = try ClientAssertion.credential(
            of: "org.example.signin", key: SigningKey(pem: Secret(SampleKeys.p256), keyID: "ABC123DEFG"), at: metadata,
            dialect: dialect, now: Fixture.now, using: &random)
        guard case .post(let secret) = credential else { throw Fixture.Missing() }
        let jws = try read(.assertion(secret))
        #expect(jws.header == ["alg": "ES256", "typ": "JWT", "kid": "ABC123DEFG"])
        let claims = jws.unverifiedClaims
        #expect(claims["iss"] == "DEF123GHIJ" && claims["sub"] == "org.example.signin" && claims["aud"] == "https://id.example.org")
        #expect(claims["exp"]?.integer == Fixture.now.seconds + 60)
        let sent = try TokenEndpoint.renew(
            Secret("rt"), at: metadata, client: OAuthClient(id: "org.example.signin", credential: credential))
        let form = try #require(FormEncoding.decode(String(decoding: sent.body, as: UTF8.self)))
        #expect(form.first { $0.name == "client_secret" }?.value == secret.reveal())
        #expect(!form.contains { $0.name.hasPrefix("client_assertion") })
    }

    @Test func audienceIsTheTokenEndpointWithoutAnIssuer() throws {
        let metadata = ProviderMetadata(.init(token: try Fixture.url("https://tokens.example.org/token")))
        #expect(try read(credential(metadata)).unverifiedClaims["aud"] == "https://tokens.example.org/token")
        #expect(Fixture.error { try credential(ProviderMetadata()) }?.kind == .noEndpoint("phrase.token_endpoint"))
    }

    @Test func refusesAProviderWithoutACommonAlgorithm() throws {
        let error = try Fixture.required(Fixture.error { try credential(Fixture.metadata()) })
        #expect(error.kind == .misconfigured("client.no_matching_signature_algorithm"))
        #expect(error.host == "id.example.org")
    }

    @Test func assertionIsSentInTheBody() throws {
        let client = OAuthClient(id: "yett", credential: try credential())
        let request = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client)
        let pairs = try Fixture.required(FormEncoding.decode(String(decoding: request.body, as: UTF8.self)))
        #expect(pairs.map(\.name) == ["grant_type", "refresh_token", "client_id", "client_assertion_type", "client_assertion"])
        #expect(pairs[3].value == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(!request.headers.contains { $0.name == "Authorization" })
    }

    @Test func privateKeyJWTNeedsAKey() {
        #expect(Fixture.error { try ClientCredential.choose(.privateKeyJWT, secret: nil, methods: nil) }?.failure.exitCode == 2)
    }

    @Test func tlsNeedsNoCredentialInTheRequest() throws {
        #expect(try ClientCredential.choose(.tls, secret: Secret("s"), methods: nil) == .none)
    }
}
