import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Userinfo, revocation, introspection, and sign-out at the provider.
@Suite struct UserInfoAndSignOutTests {
    private func read(_ body: String, status: Int = 200, subject: String? = "ada") throws -> JSONValue {
        try UserInfo.claims(Fixture.json(body, status: status), subject: subject, host: "id.example.org", now: Fixture.now)
    }

    @Test func sendsTheTokenInTheHeaderOnly() throws {
        // RP-16, RP-17.
        let request = try UserInfo.request(Fixture.tokens(), at: Fixture.metadata())
        #expect(request.method == .get)
        #expect(request.url.text == "https://id.example.org/userinfo")
        #expect(request.headers.contains { $0 == ("Authorization", "Bearer at") })
        #expect(request.body.isEmpty)
    }

    @Test func userInfoMustMatchTheSubject() throws {
        // RP-15, N-68.
        #expect(try read(#"{"sub":"ada","name":"Ada"}"#)["name"]?.string == "Ada")
        #expect(Fixture.tokenError { try read(#"{"sub":"adainvalid"}"#) } == .wrongSubject)
        #expect(Fixture.tokenError { try read(#"{"name":"Ada"}"#) } == .missingClaim("sub"))
        #expect(Fixture.tokenError { try read(#"{"sub":null}"#) } == .missingClaim("sub"))
        // Some services write a number here, and its digits in the ID token.
        #expect(try read(#"{"sub":7}"#, subject: "7")["sub"] == 7)
        #expect(Fixture.tokenError { try read(#"{"sub":7}"#) } == .invalidClaim("sub"))
        #expect(Fixture.tokenError { try read(#"{"sub":7.5}"#, subject: "7.5") } == .invalidClaim("sub"))
        #expect(Fixture.error { try read("<html>") }?.kind == .notJSON(isHTML: true))
        #expect(Fixture.error { try read("", status: 401) }?.kind == .refusedUnreadably(status: 401))
        #expect(Fixture.error { try read("", status: 307) }?.failure.exitCode == 8)
        #expect(Fixture.error { try read("", status: 500) }?.failure.isTransient == true)
    }

    @Test func verifiesSignedResponses() throws {
        // RP-39.
        func read(_ changes: [JSONValue.Member], signer: Signer = IDTokenFixture.ec, type: String = "application/jwt; charset=utf-8") throws
            -> JSONValue
        {
            let claims: JSONValue = ["iss": "https://id.example.org", "aud": "yett", "sub": "ada", "name": "Ada"]
            let body = try signer.token(claims.replacing(changes), algorithm: "ES256")
            let response = Fixture.json(body, headers: [("content-type", type)])
            #expect(UserInfo.isSigned(response))
            return try UserInfo.signedClaims(
                response, subject: "ada", validator: IDTokenFixture().validator(), announcedAlgorithms: ["ES256"],
                keys: IDTokenFixture.validKeys(), host: "id.example.org", now: Fixture.now)
        }
        #expect(try read([])["name"]?.string == "Ada")
        #expect(Fixture.tokenError { try read([], signer: .p256()) } == .badSignature)
        #expect(Fixture.tokenError { try read([Member("iss", "https://id.example.org1")]) } == .wrongIssuer)
        #expect(Fixture.tokenError { try read([Member("aud", "other")]) } == .wrongAudience)
        #expect(Fixture.tokenError { try read([Member("sub", "ada1")]) } == .wrongSubject)
        #expect(Fixture.tokenError { try read([Member("exp", 7)]) } == .expired)
    }

    @Test func revocationSendsTheTokenInTheBody() throws {
        // N-51.
        let request = try Revocation.request(Secret("r t"), .refresh, at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        #expect(request.url.text == "https://id.example.org/revoke")
        #expect(String(decoding: request.body, as: UTF8.self) == "token=r%20t&token_type_hint=refresh_token&client_id=yett")
    }

    @Test(arguments: [200, 201, 204]) func acceptsAnySuccessStatusOfARevocation(_ status: Int) throws {
        #expect(Fixture.error { try Revocation.validate(Fixture.json("<html>", status: status), host: nil, now: Fixture.now) } == nil)
    }

    @Test func reportsAFailedRevocation() {
        // TOK-19, N-52.
        let busy = Fixture.json("", status: 503, headers: [("Retry-After", "60")])
        let error = Fixture.error { try Revocation.validate(busy, host: "id.example.org", now: Fixture.now) }
        #expect(error?.failure.kind == .unavailable(retryAfter: .seconds(60)))
        let refused = Fixture.json(#"{"error":"invalid_client"}"#, status: 401)
        #expect(
            Fixture.error { try Revocation.validate(refused, host: nil, now: Fixture.now) }?.failure.kind == .denied(code: "invalid_client")
        )
    }

    @Test func readsIntrospectionResponses() throws {
        func read(_ body: String) throws -> Introspection.Answer {
            try Introspection.answer(Fixture.json(body), host: nil, now: Fixture.now)
        }
        #expect(try read(#"{"active":true,"exp":1795203250.921401}"#).isActive)
        #expect(try !read(#"{"active":false}"#).isActive)
        #expect(Fixture.error { try read("{}") }?.kind == .missingMember("active"))
        #expect(Fixture.error { try read(#"{"active":"true"}"#) } != nil)
    }

    @Test func buildsTheEndSessionURL() throws {
        // RP-44.
        let metadata = try Fixture.metadata()
        let url = EndSessionRequest.url(
            at: metadata, clientID: "yett", idToken: Secret("a.b.c"), returnTo: "http://127.0.0.1:8400/bye", state: Secret("s"))
        #expect(
            url?.text == "https://id.example.org/logout?id_token_hint=a.b.c&client_id=yett"
                + "&post_logout_redirect_uri=http%3A%2F%2F127.0.0.1%3A8400%2Fbye&state=s")
        let long = EndSessionRequest.url(at: metadata, clientID: "yett", idToken: Secret(String(repeating: "a", count: 9000)))
        #expect(long?.text == "https://id.example.org/logout?client_id=yett")
        #expect(EndSessionRequest.url(at: ProviderMetadata(), clientID: "yett", idToken: nil) == nil)
    }

    @Test(arguments: [
        ("state=a%2Bb", EndSessionResponse.matchingState), ("state=a%2Bb&iss=x", .matchingState), ("", .missingState),
        ("stat=a%2Bb", .missingState),
        ("state=", .wrongState), ("state=a%2Bb1", .wrongState), ("state=a+b", .wrongState), ("state=a%2Bb&state=a%2Bb", .wrongState),
        ("state=%zz", .wrongState), ("state=%FF", .wrongState),
    ])
    func endSessionCallbackNeedsTheRightState(query: String, answer: EndSessionResponse) {
        // RP-45.
        #expect(EndSessionResponse(query: query, state: Secret("a+b")) == answer)
    }

    @Test func endSessionStatesAreFresh() {
        var random = SystemRandomNumberGenerator()
        let states = (0..<8).map { _ in EndSessionRequest.state(using: &random).reveal() }
        #expect(Set(states).count == 8)
        #expect(states.allSatisfy { $0.utf8.count == 43 })
    }
}
