import AuthModel
import Localization
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Token exchange (RFC 8693) and the JWT bearer grant (RFC 7523).
@Suite struct TokenExchangeTests {
    private static let exchange = TokenExchange(subject: .init(Secret("subject-token"), .accessToken), scopes: ["read"])
    private static let answer: JSONValue = [
        "access_token": "at", "issued_token_type": "urn:ietf:params:oauth:token-type:access_token", "token_type": "Bearer",
        "expires_in": 60,
    ]

    private func fields(_ request: WebRequest) throws -> [[String]] {
        try Fixture.required(FormEncoding.decode(String(decoding: request.body, as: UTF8.self))).map { [$0.name, $0.value] }
    }

    private func read(_ changes: [JSONValue.Member] = [], requiresProof: Bool = false, status: Int = 200) throws -> TokenSet {
        try Self.exchange.tokens(
            Fixture.json(Self.answer.replacing(changes).text, status: status), host: "tokens.example.org", requiresProof: requiresProof,
            now: Fixture.now)
    }

    @Test func requestsAnAccessToken() throws {
        // RFC 8693 section 2.1.
        let request = try Self.exchange.request(at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        #expect(request.url.text == "https://tokens.example.org/token")
        #expect(
            try fields(request) == [
                ["grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"], ["subject_token", "subject-token"],
                ["subject_token_type", "urn:ietf:params:oauth:token-type:access_token"],
                ["requested_token_type", "urn:ietf:params:oauth:token-type:access_token"], ["scope", "read"], ["client_id", "yett"],
            ])
    }

    @Test func sendsActorResourcesAndAudiences() throws {
        var exchange = Self.exchange
        exchange.subject = .init(Secret("id"), .idToken)
        exchange.actor = .init(Secret("act"), .jwt)
        exchange.resources = ["https://a.example", "https://b.example"]
        exchange.audiences = ["one", "two"]
        let sent = try fields(exchange.request(at: Fixture.metadata(), client: OAuthClient(id: "yett")))
        #expect(sent.contains(["subject_token_type", "urn:ietf:params:oauth:token-type:id_token"]))
        #expect(sent.contains(["actor_token", "act"]))
        #expect(sent.contains(["actor_token_type", "urn:ietf:params:oauth:token-type:jwt"]))
        #expect(sent.filter { $0[0] == "resource" }.map { $0[1] } == ["https://a.example", "https://b.example"])
        #expect(sent.filter { $0[0] == "audience" }.map { $0[1] } == ["one", "two"])
    }

    @Test func readsAValidResponse() throws {
        let tokens = try read()
        #expect(tokens.accessToken == Secret("at"))
        #expect(tokens.scopes == ["read"])
        #expect(tokens.accessExpiresAt == Fixture.now + .seconds(60))
        #expect(try read([Member("token_type", "DPoP")], requiresProof: true).tokenType == "DPoP")
    }

    @Test func requiresTheRequestedTokenType() {
        // TOK-22, N-53.
        #expect(Fixture.error { try read([Member("issued_token_type", .null)]) }?.kind == .missingMember("issued_token_type"))
        for kind in ["id_token", "refresh_token", "jwt", "saml2", "Access_token", "access_token "] {
            let error = Fixture.error { try read([Member("issued_token_type", .string("urn:ietf:params:oauth:token-type:\(kind)"))]) }
            #expect(error?.kind == .mismatch(what: "phrase.issued_token_type"))
            #expect(error?.failure.exitCode == 8)
        }
        for value in [7, [], [:], true, ""] as [JSONValue] {
            guard case .wrongMember("issued_token_type", _)? = Fixture.error({ try read([Member("issued_token_type", value)]) })?.kind
            else {
                Issue.record("\(value.text) was taken")
                continue
            }
        }
    }

    /// INDIGO IAM calls its access tokens so (RFC 8693 section 3). Another token would not be a signed JWT.
    @Test func accessTokenMayBeCalledAJWT() throws {
        var random = Fixture.Counter(state: 1)
        let jwt = try ClientAssertion.make(
            issuer: "service", subject: "ada", key: SigningKey(pem: Secret(SampleKeys.ed25519)),
            at: Fixture.metadata([Member("token_endpoint_auth_signing_alg_values_supported", .null)]), now: Fixture.now, using: &random)
        let kind = Member("issued_token_type", "urn:ietf:params:oauth:token-type:jwt")
        #expect(try read([kind, Member("access_token", .string(jwt.reveal()))]).accessToken == jwt)
        #expect(Fixture.error { try read([kind]) } != nil)
        #expect(Fixture.error { try read([kind, Member("access_token", .string(jwt.reveal())), Member("token_type", "N_A")]) } != nil)
    }

    @Test(arguments: ["N_A", "n_a", "mac", "PoP", ""]) func refusesTokensThatCannotBeSent(_ type: String) {
        // TOK-22, N-53, N-71.
        #expect(Fixture.error { try read([Member("token_type", .string(type))]) } != nil)
        #expect(Fixture.error { try read([Member("token_type", .null)]) }?.kind == .missingMember("token_type"))
    }

    @Test func refusesADowngradeToBearer() {
        #expect(Fixture.error { try read(requiresProof: true) }?.kind == .tokenTypeNotUnderstood)
    }

    @Test func reportsErrorResponses() throws {
        let refused = Fixture.json(#"{"error":"invalid_target"}"#, status: 400)
        let error = Fixture.error { try Self.exchange.tokens(refused, host: "tokens.example.org", now: Fixture.now) }
        #expect(error?.failure.summary == "tokens.example.org refused the token exchange: invalid_target")
        #expect(
            Fixture.error { try Self.exchange.request(at: ProviderMetadata(), client: OAuthClient(id: "yett")) }?.kind
                == .noEndpoint("phrase.token_endpoint"))
    }

    @Test func exchangesAnAssertion() throws {
        // RFC 7523 section 2.1.
        var random = Fixture.Counter(state: 1)
        let metadata = try Fixture.metadata([Member("token_endpoint_auth_signing_alg_values_supported", .null)])
        let assertion = try ClientAssertion.make(
            issuer: "service", subject: "ada", key: SigningKey(pem: Secret(SampleKeys.ed25519)), at: metadata, now: Fixture.now,
            using: &random)
        let claims = try JSONWebSignature(compact: assertion.reveal()).unverifiedClaims
        #expect(claims["iss"] == "service")
        #expect(claims["sub"] == "ada")
        let grant = AssertionGrant(assertion: assertion, scopes: ["read"], resources: ["https://a.example"])
        #expect(
            try fields(grant.request(at: metadata, client: OAuthClient(id: "yett"))) == [
                ["grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"], ["assertion", assertion.reveal()], ["scope", "read"],
                ["resource", "https://a.example"], ["client_id", "yett"],
            ])
        #expect(try grant.tokens(Fixture.json(Self.answer.text), host: nil, now: Fixture.now).scopes == ["read"])
        #expect(Fixture.error { try grant.tokens(Fixture.json(Self.answer.text), host: nil, requiresProof: true, now: Fixture.now) } != nil)
        let typeless = Fixture.json(Self.answer.replacing([Member("token_type", "N_A")]).text)
        #expect(Fixture.error { try grant.tokens(typeless, host: nil, now: Fixture.now) }?.kind == .tokenTypeNotUnderstood)
    }

    @Test(arguments: ["", "opaque-token", "a.b.c", "a.b.c.d.e"]) func sendsOnlySignedJWTs(_ text: String) throws {
        let grant = AssertionGrant(assertion: Secret(text))
        let error = Fixture.error { try grant.request(at: Fixture.metadata(), client: OAuthClient(id: "yett")) }
        #expect(error?.kind == .misconfigured("exchange.assertion_not_signed_jwt"))
    }

    @Test func everyRequestNamesTheResources() throws {
        // RFC 8707 section 2.2: in the authorization request, the exchange and the renewal.
        var request = Fixture.request()
        request.resources = ["https://a.example", "https://b.example"]
        let metadata = try Fixture.metadata()
        let prepared = try Fixture.prepared(request, metadata: metadata)
        let exchange = try TokenEndpoint.exchange(Fixture.callback(prepared.pending), at: metadata, client: OAuthClient(id: "yett"))
        #expect(try fields(exchange).filter { $0[0] == "resource" }.map { $0[1] } == request.resources)
        let renewal = try TokenEndpoint.renew(Secret("rt"), resources: request.resources, at: metadata, client: OAuthClient(id: "yett"))
        #expect(try fields(renewal).filter { $0[0] == "resource" }.map { $0[1] } == request.resources)
    }
}
