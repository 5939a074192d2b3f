import AuthModel
import Localization
import Testing

@testable import OAuth

private typealias Member = JSONValue.Member

/// Identity assertion grants (draft-ietf-oauth-identity-assertion-authz-grant), and client credentials (RFC 6749 section 4.4).
@Suite struct IdentityGrantTests {
    private static let audience = "https://auth.chat.example/"
    private static let type = "urn:ietf:params:oauth:token-type:id-jag"

    private func wanted() throws -> IdentityGrant {
        IdentityGrant(
            idToken: Secret("id-token"), audience: try #require(Issuer(Self.audience)), resources: ["https://mcp.chat.example/"],
            scopes: ["chat.read"])
    }

    private func fields(_ request: WebRequest) throws -> [[String]] {
        try Fixture.required(FormEncoding.decode(String(decoding: request.body, as: UTF8.self))).map { [$0.name, $0.value] }
    }

    private static func jwt(_ type: String = "oauth-id-jag+jwt", audience: JSONValue = .string(audience)) -> String {
        let header: JSONValue = ["alg": "ES256", "typ": .string(type)]
        let claims: JSONValue = ["iss": "https://acme.idp.example", "sub": "U019488227", "aud": audience]
        return [header, claims].map { Base64URL.encode(Array($0.text.utf8)) }.joined(separator: ".") + ".c2lnbmF0dXJl"
    }

    private func read(_ changes: [JSONValue.Member] = [], token: String = jwt(), status: Int = 200) throws -> Secret {
        let answer: JSONValue = [
            "access_token": .string(token), "issued_token_type": .string(Self.type), "token_type": "N_A", "expires_in": 300,
        ]
        return try wanted().grant(
            Fixture.json(answer.replacing(changes).text, status: status), host: "acme.idp.example", now: Fixture.now)
    }

    @Test func asksForAGrantForTheServer() throws {
        #expect(
            try fields(wanted().request(at: Fixture.metadata(), client: OAuthClient(id: "yett"))) == [
                ["grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"], ["requested_token_type", Self.type],
                ["audience", Self.audience], ["subject_token", "id-token"],
                ["subject_token_type", "urn:ietf:params:oauth:token-type:id_token"], ["resource", "https://mcp.chat.example/"],
                ["scope", "chat.read"], ["client_id", "yett"],
            ])
    }

    @Test func readsTheGrant() throws {
        #expect(try read() == Secret(Self.jwt()))
        #expect(try read([Member("token_type", "n_a")]) == Secret(Self.jwt()))
        #expect(try read(token: Self.jwt(audience: [.string(Self.audience)])) == Secret(Self.jwt(audience: [.string(Self.audience)])))
    }

    /// An access token is not sent to another server as a grant.
    @Test(arguments: ["Bearer", "DPoP", "mac", ""]) func refusesOtherTokenTypes(_ type: String) {
        #expect(Fixture.error { try read([Member("token_type", .string(type))]) } != nil)
        #expect(Fixture.error { try read([Member("token_type", .null)]) }?.failure.exitCode == 8)
    }

    @Test(arguments: ["access_token", "jwt", "id_token", "id-jag ", "ID-JAG"]) func refusesOtherIssuedTypes(_ name: String) {
        let error = Fixture.error { try read([Member("issued_token_type", .string("urn:ietf:params:oauth:token-type:\(name)"))]) }
        #expect(error?.kind == .mismatch(what: "phrase.issued_token_type"))
        #expect(Fixture.error { try read([Member("issued_token_type", .null)]) }?.failure.exitCode == 8)
    }

    /// A token for another purpose or another server is not sent there (RFC 8725 section 3.11).
    @Test func refusesAnotherJWT() {
        #expect(Fixture.error { try read(token: Self.jwt("JWT")) }?.kind == .token(.wrongTokenType))
        #expect(Fixture.error { try read(token: "opaque") }?.kind == .token(.malformed))
        let two: JSONValue = ["https://auth.chat.example/", "https://evil.example/"]
        for audience in ["https://auth.chat.example", "https://evil.example/", [], two] as [JSONValue] {
            #expect(Fixture.error { try read(token: Self.jwt(audience: audience)) }?.kind == .token(.wrongAudience))
        }
    }

    @Test func reportsRefusals() {
        let refused = Fixture.json(#"{"error":"access_denied"}"#, status: 400)
        let error = Fixture.error { try wanted().grant(refused, host: "acme.idp.example", now: Fixture.now) }
        #expect(error?.failure.summary == "acme.idp.example refused the token exchange: access_denied")
    }

    @Test func metadataAnnouncesGrants() throws {
        #expect(try !Fixture.metadata().acceptsIdentityGrants && !Fixture.metadata().issuesIdentityGrants)
        let profile = Member("authorization_grant_profiles_supported", ["urn:ietf:params:oauth:grant-profile:id-jag"])
        let issued = Member("identity_chaining_requested_token_types_supported", [.string(Self.type)])
        let metadata = try Fixture.metadata([profile, issued])
        #expect(metadata.acceptsIdentityGrants && metadata.issuesIdentityGrants)
        #expect(try !Fixture.metadata([Member("authorization_grant_profiles_supported", "id-jag")]).acceptsIdentityGrants)
    }

    @Test func clientCredentialsNeedNoUser() throws {
        let wanted = ClientCredentialsGrant(scopes: ["read"], resources: ["https://a.example"], audiences: ["api"])
        let client = OAuthClient(id: "machine", credential: .basic(Secret("secret")))
        let request = try wanted.request(at: Fixture.metadata(), client: client)
        #expect(
            try fields(request) == [
                ["grant_type", "client_credentials"], ["scope", "read"], ["resource", "https://a.example"], ["audience", "api"],
            ])
        #expect(request.headers.contains { $0.name == "Authorization" })
        let answer = Fixture.json(#"{"access_token":"at","token_type":"Bearer"}"#)
        #expect(try wanted.tokens(answer, host: nil, now: Fixture.now).scopes == ["read"])
        let refused = Fixture.json(#"{"error":"invalid_client"}"#, status: 401)
        let error = Fixture.error { try wanted.tokens(refused, host: "id.example.org", now: Fixture.now) }
        #expect(error?.failure.summary == "id.example.org refused the client credentials: invalid_client")
    }

    /// Zoom has a word of its own for the grant, and Shopify's answer has no type.
    @Test func machinesMayHaveADialect() throws {
        var dialect = ProviderDialect()
        (dialect.tokenType, dialect.tokenParameters) = ("Bearer", ["account_id": "42"])
        let wanted = ClientCredentialsGrant(grantType: "account_credentials")
        let client = OAuthClient(id: "machine", credential: .basic(Secret("secret")), dialect: dialect)
        let request = try wanted.request(at: Fixture.metadata(), client: client)
        #expect(try fields(request) == [["grant_type", "account_credentials"], ["account_id", "42"]])
        let answer = Fixture.json(#"{"access_token":"at","scope":"a,b"}"#)
        #expect(try wanted.tokens(answer, host: nil, dialect: dialect, now: Fixture.now).scopes == ["a", "b"])
        #expect(Fixture.error { try wanted.tokens(answer, host: nil, now: Fixture.now) } != nil)
    }
}
