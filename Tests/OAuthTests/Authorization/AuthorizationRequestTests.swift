import AuthModel
import Testing
@testable import OAuth

/// Authorization requests and PKCE.
@Suite struct AuthorizationRequestTests {
    private func parameters(_ prepared: AuthorizationRequest.Prepared) throws -> [String: String] {
        let pairs = try Fixture.required(FormEncoding.decode(Fixture.required(prepared.url.query)))
        #expect(Set(pairs.map(\.name)).count == pairs.count)
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// RFC 7636 appendix B.
    @Test func computesTheS256ChallengeOfTheRFC() {
        #expect(
            PKCE.challenge(for: Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test func sendsAllRequiredParameters() throws {
        let prepared = try Fixture.prepared()
        let sent = try parameters(prepared)
        #expect(
            sent == [
                "response_type": "code", "client_id": "yett", "redirect_uri": "http://127.0.0.1:8400/callback", "scope": "openid profile",
                "state": prepared.pending.state.reveal(), "nonce": prepared.pending.nonce.reveal(),
                "code_challenge": PKCE.challenge(for: prepared.pending.verifier), "code_challenge_method": "S256",
            ])
        #expect(!prepared.url.text.contains(prepared.pending.verifier.reveal()))
        #expect(prepared.url.origin.host == "id.example.org")
    }

    @Test func stateNonceAndVerifierAreFresh() throws {
        // N-10, N-25, RP-18, FAPI-30: 256 bits each, never the same.
        let values = try [1, 2].flatMap { seed in
            let pending = try Fixture.prepared(seed: UInt64(seed)).pending
            return [pending.state, pending.nonce, pending.verifier].map { $0.reveal() }
        }
        #expect(Set(values).count == 6)
        for value in values {
            #expect(value.utf8.count == 43)
            #expect(Base64URL.decode(value)?.count == 32)
        }
    }

    @Test(arguments: [nil, [JSONValue](), ["S256"], ["plain", "S256"], ["S512"]] as [[JSONValue]?])
    func alwaysSendsS256(_ methods: [JSONValue]?) throws {
        // DSC-12.
        let metadata = try Fixture.metadata([.init("code_challenge_methods_supported", methods.map { .array($0) } ?? .null)])
        #expect(try parameters(Fixture.prepared(metadata: metadata))["code_challenge_method"] == "S256")
    }

    @Test func neverDowngradesToPlain() throws {
        // DSC-11, N-26.
        let metadata = try Fixture.metadata([.init("code_challenge_methods_supported", ["plain"])])
        let error = try Fixture.required(Fixture.error { try Fixture.prepared(metadata: metadata) })
        #expect(error.kind == .onlyPlainChallenge)
        #expect(error.failure.exitCode == 8)
    }

    @Test(arguments: AuthorizationRequest.ownParameters.sorted()) func extraParametersCannotReplaceOurs(_ name: String) throws {
        let error = try Fixture.required(Fixture.error { try Fixture.prepared(Fixture.request(extra: [name: "x"])) })
        #expect(error.kind == .misconfigured(UserMessage("authorization.extra_params_must_not_set", ["parameter": name])))
        #expect(error.failure.exitCode == 2)
    }

    @Test func sendsOptionalAndExtraParameters() throws {
        var request = Fixture.request(maxAge: 600, extra: ["audience": "api & more", "prompt": "consent"])
        request.loginHint = "ada@example.org"
        request.acrValues = "idp:x"
        request.uiLocales = "de"
        request.resources = ["https://api.example.org"]
        let sent = try parameters(Fixture.prepared(request))
        #expect(sent["audience"] == "api & more")
        #expect(sent["prompt"] == "consent")
        #expect(sent["max_age"] == "600")
        #expect(sent["login_hint"] == "ada@example.org")
        #expect(sent["acr_values"] == "idp:x")
        #expect(sent["ui_locales"] == "de")
        #expect(sent["resource"] == "https://api.example.org")
        request.prompt = "login"
        #expect(try parameters(Fixture.prepared(request))["prompt"] == "login")
        #expect(try Fixture.prepared(request).pending.maxAge == 600)
    }

    @Test func keepsTheQueryOfTheEndpoint() throws {
        let metadata = try Fixture.metadata([.init("authorization_endpoint", "https://id.example.org/a?tenant=7")])
        #expect(try parameters(Fixture.prepared(metadata: metadata))["tenant"] == "7")
        let duplicate = try Fixture.metadata([.init("authorization_endpoint", "https://id.example.org/a?state=7")])
        #expect(Fixture.error { try Fixture.prepared(metadata: duplicate) } != nil)
    }

    /// Entra's endpoint, as some MCP servers announce it.
    @Test func endpointMayHaveAPrompt() throws {
        let metadata = try Fixture.metadata([.init("authorization_endpoint", "https://id.example.org/a?prompt=select_account")])
        #expect(try Fixture.prepared(metadata: metadata).url.text.ranges(of: "prompt=").count == 1)
        var request = Fixture.request()
        request.prompt = "select_account"
        #expect(try Fixture.prepared(request, metadata: metadata).url.text.ranges(of: "prompt=").count == 1)
        request.prompt = "login"
        #expect(Fixture.error { try Fixture.prepared(request, metadata: metadata) } != nil)
    }

    /// Railway's endpoint has a resource, and a request may have several (RFC 8707 section 2).
    @Test(arguments: [("https://api.example.org", 2), ("https://x.example", 1)])
    func endpointMayHaveAResource(own: String, count: Int) throws {
        let metadata = try Fixture.metadata([.init("authorization_endpoint", "https://id.example.org/a?resource=https://x.example")])
        var request = Fixture.request()
        request.resources = [own]
        #expect(try Fixture.prepared(request, metadata: metadata).url.text.ranges(of: "resource=").count == count)
    }

    @Test func refusesInvalidRequests() throws {
        var request = Fixture.request()
        request.scopes = ["open\"id"]
        #expect(Fixture.error { try Fixture.prepared(request) }?.failure.exitCode == 2)
        request = Fixture.request()
        request.clientID = ""
        #expect(Fixture.error { try Fixture.prepared(request) }?.failure.exitCode == 2)
        #expect(Fixture.error { try Fixture.prepared(metadata: ProviderMetadata()) }?.kind == .noEndpoint("phrase.authorization_endpoint"))
    }
}
