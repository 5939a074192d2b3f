import AuthModel
import Testing
@testable import OAuth

/// Requests to the token endpoint, and client authentication.
@Suite struct TokenEndpointTests {
    private func header(_ request: WebRequest, _ name: String) -> String? { request.headers.first { $0.name == name }?.value }

    @Test func sendsTheCodeWithItsVerifier() throws {
        let metadata = try Fixture.metadata()
        let prepared = try Fixture.prepared(metadata: metadata)
        let request = try TokenEndpoint.exchange(
            Fixture.callback(prepared.pending), at: metadata, client: OAuthClient(id: Fixture.clientID))
        #expect(request.method == .post)
        #expect(request.url.text == "https://tokens.example.org/token")
        #expect(header(request, "Content-Type") == "application/x-www-form-urlencoded")
        #expect(header(request, "Accept") == "application/json")
        #expect(header(request, "Authorization") == nil)
        #expect(
            try Fixture.fields(request) == [
                "grant_type": "authorization_code", "code": "the-code", "redirect_uri": "http://127.0.0.1:8400/callback",
                "code_verifier": prepared.pending.verifier.reveal(), "client_id": "yett",
            ])
        // RFC 7636: the verifier matches the challenge that was sent.
        #expect(prepared.url.text.contains(PKCE.challenge(for: Secret(try Fixture.required(Fixture.fields(request)["code_verifier"])))))
    }

    @Test func sendsNoCodeToAnotherProvider() throws {
        // LB-28, mix-up.
        let callback = try Fixture.callback(try Fixture.prepared().pending)
        var other = try Fixture.metadata()
        other.issuer = Issuer("https://evil.example")
        let client = OAuthClient(id: Fixture.clientID)
        #expect(Fixture.error { try TokenEndpoint.exchange(callback, at: other, client: client) }?.failure.exitCode == 8)
        #expect(Fixture.error { try TokenEndpoint.exchange(callback, at: Fixture.metadata(), client: OAuthClient(id: "other")) } != nil)
    }

    @Test func sendsTheRefreshToken() throws {
        let request = try TokenEndpoint.renew(Secret("r+t&"), at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        #expect(try Fixture.fields(request) == ["grant_type": "refresh_token", "refresh_token": "r+t&", "client_id": "yett"])
    }

    @Test func encodesSecretsBeforeBasic() throws {
        // RP-03, TOK-20, N-73: %, +, :, = and é.
        let client = OAuthClient(id: "a:b c", credential: .basic(Secret("%+:=é")))
        let request = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client)
        // base64("a%3Ab%20c:%25%2B%3A%3D%C3%A9")
        #expect(header(request, "Authorization") == "Basic YSUzQWIlMjBjOiUyNSUyQiUzQSUzRCVDMyVBOQ==")
        #expect(try Fixture.fields(request)["client_id"] == nil)
        #expect(try Fixture.fields(request)["client_secret"] == nil)
    }

    @Test func usesOneAuthenticationMethod() throws {
        let post = try TokenEndpoint.renew(
            Secret("rt"), at: Fixture.metadata(), client: OAuthClient(id: "yett", credential: .post(Secret("s&"))))
        #expect(header(post, "Authorization") == nil)
        #expect(try Fixture.fields(post)["client_secret"] == "s&")
        let signed = try TokenEndpoint.renew(
            Secret("rt"), at: Fixture.metadata(), client: OAuthClient(id: "yett", credential: .assertion(Secret("j"))))
        #expect(try Fixture.fields(signed)["client_assertion_type"] == "urn:ietf:params:oauth:client-assertion-type:jwt-bearer")
        #expect(try Fixture.fields(signed)["client_secret"] == nil)
    }

    @Test func choosesAnAuthenticationMethod() throws {
        let secret = Secret("s")
        #expect(try ClientCredential.choose(.auto, secret: nil, methods: ["client_secret_basic"]) == .none)
        #expect(try ClientCredential.choose(.auto, secret: secret, methods: nil) == .basic(secret))
        #expect(
            try ClientCredential.choose(.auto, secret: secret, methods: ["client_secret_post", "client_secret_basic"]) == .basic(secret))
        #expect(try ClientCredential.choose(.auto, secret: secret, methods: ["client_secret_post"]) == .post(secret))
        #expect(try ClientCredential.choose(.none, secret: secret, methods: nil) == .none)
        #expect(try ClientCredential.choose(.clientSecretPost, secret: secret, methods: nil) == .post(secret))
        #expect(Fixture.error { try ClientCredential.choose(.auto, secret: secret, methods: ["tls_client_auth"]) }?.failure.exitCode == 2)
        #expect(Fixture.error { try ClientCredential.choose(.clientSecretBasic, secret: nil, methods: nil) }?.failure.exitCode == 2)
    }
}
