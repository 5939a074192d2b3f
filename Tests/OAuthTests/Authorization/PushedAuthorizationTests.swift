import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Pushed authorization requests (RFC 9126).
@Suite struct PushedAuthorizationTests {
    private static let answer: JSONValue = [
        "request_uri": "urn:ietf:params:oauth:request_uri:6esc_11ACC5bwc014ltc14eY22c", "expires_in": 60,
    ]

    private func read(
        _ changes: [JSONValue.Member], status: Int = 201, endpoint: String = "https://id.example.org/authorize"
    ) throws -> PushedAuthorization.Reference {
        let metadata = try Fixture.metadata([Member("authorization_endpoint", .string(endpoint))])
        return try PushedAuthorization.reference(
            Fixture.json(Self.answer.replacing(changes).text, status: status), for: Fixture.prepared(metadata: metadata),
            host: "id.example.org",
            now: Fixture.now)
    }

    @Test func pushesAllAuthorizationParameters() throws {
        // N-42, FAPI-25.
        let prepared = try Fixture.prepared()
        let request = try PushedAuthorization.request(prepared, at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        #expect(request.method == .post)
        #expect(request.url.text == "https://id.example.org/par")
        let query = try Fixture.required(FormEncoding.decode(Fixture.required(prepared.url.query)))
        #expect(try Fixture.fields(request) == Dictionary(query.map { ($0.name, $0.value) }) { first, _ in first })
        #expect(try Fixture.fields(request)["request_uri"] == nil)
        #expect(try Fixture.fields(request)["code_challenge_method"] == "S256")
    }

    @Test(arguments: [
        ClientCredential.none, .basic(Secret("s")), .post(Secret("s")), .assertion(Secret("j")),
    ])
    func authenticatesAsAtTheTokenEndpoint(_ credential: ClientCredential) throws {
        let request = try PushedAuthorization.request(
            Fixture.prepared(), at: Fixture.metadata(), client: OAuthClient(id: "yett", credential: credential))
        let sent = try Fixture.fields(request)
        #expect(sent["client_id"] == "yett")
        #expect(request.headers.contains { $0.name == "Authorization" } == (credential == .basic(Secret("s"))))
        #expect((sent["client_secret"] == "s") == (credential == .post(Secret("s"))))
        #expect((sent["client_assertion"] == "j") == (credential == .assertion(Secret("j"))))
    }

    @Test func pushesOnlyToThePreparedProvider() throws {
        let prepared = try Fixture.prepared()
        var other = try Fixture.metadata()
        other.issuer = Issuer("https://evil.example")
        #expect(
            Fixture.error { try PushedAuthorization.request(prepared, at: other, client: OAuthClient(id: "yett")) }?.failure.exitCode == 8)
        #expect(
            Fixture.error { try PushedAuthorization.request(prepared, at: Fixture.metadata(), client: OAuthClient(id: "other")) } != nil)
    }

    @Test(arguments: [200, 201]) func browserURLHasTheReferenceAlone(_ status: Int) throws {
        // FAPI-25, N-43.
        let reference = try read([], status: status)
        #expect(
            reference.url.text == "https://id.example.org/authorize?client_id=yett"
                + "&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6esc_11ACC5bwc014ltc14eY22c")
        #expect(reference.lifetime == .seconds(60))
        #expect(
            try read([], endpoint: "https://id.example.org/authorize?tenant=7").url.query
                == "tenant=7&client_id=yett&request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3A6esc_11ACC5bwc014ltc14eY22c")
    }

    @Test(arguments: ["request_uri", "expires_in"]) func requiresMember(_ member: String) {
        #expect(Fixture.error { try read([Member(member, .null)]) }?.kind == .missingMember(member))
        // An empty lifetime is none.
        let empty: [JSONValue] = member == "expires_in" ? [] : [""]
        if empty.isEmpty { #expect(Fixture.error { try read([Member(member, "")]) }?.kind == .missingMember(member)) }
        for value in [true, [], [:]] + empty {
            guard case .wrongMember(member, _)? = Fixture.error({ try read([Member(member, value)]) })?.kind else {
                Issue.record("\(member) = \(value.text) was taken")
                continue
            }
        }
    }

    @Test(arguments: ["no scheme", "urn:", ":x", "urn:a b", "urn:a\u{1B}", "7urn:x", "urn:a#b", "urn:é"])
    func refusesInvalidReferences(_ reference: String) {
        let error = Fixture.error { try read([Member("request_uri", .string(reference))]) }
        #expect(error?.kind == .wrongMember("request_uri", expected: "phrase.expected_uri"))
    }

    @Test(arguments: [0, -60] as [JSONValue]) func refusesExpiredReferences(_ lifetime: JSONValue) {
        #expect(Fixture.error { try read([Member("expires_in", lifetime)]) } != nil)
    }

    @Test func reportsErrorResponses() throws {
        func error(_ body: String, _ status: Int) -> OAuthError? {
            Fixture.error {
                try PushedAuthorization.reference(Fixture.json(body, status: status), for: Fixture.prepared(), host: nil, now: Fixture.now)
            }
        }
        #expect(error(#"{"error":"invalid_request"}"#, 400)?.kind == .refused(ServerError(code: "invalid_request"), status: 400))
        #expect(error(#"{"error":"invalid_request"}"#, 201)?.failure.exitCode == 5)
        #expect(error(#"{"error":"use_dpop_nonce"}"#, 400)?.kind == .nonceRequired)
        #expect(error("", 303)?.failure.exitCode == 8)
        #expect(error("", 413)?.kind == .unexpectedStatus(413))
        #expect(error("", 429)?.failure.isTransient == true)
    }

    @Test func isUsedIfOfferedOrRequired() throws {
        // N-44.
        let offered = try Fixture.metadata()
        let absent = try Fixture.metadata([Member("pushed_authorization_request_endpoint", .null)])
        let required = try Fixture.metadata([Member("require_pushed_authorization_requests", true)])
        let contradictory = try Fixture.metadata([
            Member("require_pushed_authorization_requests", true), Member("pushed_authorization_request_endpoint", .null),
        ])
        #expect(try PushedAuthorization.isUsed(.auto, at: offered))
        #expect(try !PushedAuthorization.isUsed(.auto, at: absent))
        #expect(try !PushedAuthorization.isUsed(.off, at: offered))
        #expect(try PushedAuthorization.isUsed(.required, at: offered))
        #expect(try PushedAuthorization.isUsed(.auto, at: required))
        #expect(Fixture.error { try PushedAuthorization.isUsed(.off, at: required) }?.failure.exitCode == 2)
        let noEndpoint = OAuthError.Kind.noEndpoint("phrase.pushed_authorization_endpoint")
        #expect(Fixture.error { try PushedAuthorization.isUsed(.required, at: absent) }?.kind == noEndpoint)
        #expect(Fixture.error { try PushedAuthorization.isUsed(.auto, at: contradictory) }?.kind == noEndpoint)
    }
}
