import AuthModel
import Testing
@testable import OAuth

/// Forms of requests and answers that few services have.
@Suite struct DialectVariantTests {
    private static func client(_ credential: ClientCredential = .none, _ change: (inout ProviderDialect) -> Void) -> OAuthClient {
        var dialect = ProviderDialect()
        change(&dialect)
        return OAuthClient(id: "yett", credential: credential, dialect: dialect)
    }

    private func body(_ request: WebRequest) -> String { String(decoding: request.body, as: UTF8.self) }

    private func tokens(_ body: String, _ change: (inout ProviderDialect) -> Void = { _ in }) throws -> TokenSet {
        var dialect = ProviderDialect()
        dialect.tokenType = "Bearer"
        change(&dialect)
        return try TokenResponse.tokens(
            Fixture.json(body), .codeExchange, host: nil, requested: ["a", "b"], dialect: dialect, now: Fixture.now)
    }

    private func exchange(_ client: OAuthClient) throws -> WebRequest {
        var request = Fixture.request()
        request.dialect = client.dialect
        return try TokenEndpoint.exchange(Fixture.callback(Fixture.prepared(request).pending), at: Fixture.metadata(), client: client)
    }

    // MARK: Requests

    /// DingTalk's names, under which errors hide the secrets as well.
    @Test func tokenRequestsMayBeJSONInCamelCase() throws {
        let client = Self.client(.post(Secret("the-secret"))) { $0.tokenRequest = .camelCaseJSON }
        let renewal = try TokenEndpoint.renew(Secret("the-refresh-token"), at: Fixture.metadata(), client: client)
        #expect(
            try JSONValue(strict: renewal.body) == [
                "grantType": "refresh_token", "refreshToken": "the-refresh-token", "clientId": "yett", "clientSecret": "the-secret",
            ])
        #expect(SecretRedactor(of: renewal).hiding(in: "no the-refresh-token, the-secret") == "no [hidden], [hidden]")
        let sent = try JSONValue(strict: exchange(client).body)
        #expect(sent["redirectUri"] != nil && sent["codeVerifier"] != nil && sent["code"] == "the-code")
    }

    /// Dropbox Sign wants the state of the sign-in once more. A session does not keep it for renewals.
    @Test func exchangeMayRepeatTheState() throws {
        let client = Self.client { $0.tokenParameters = ["state": "{callback.state}"] }
        let state = try Fixture.prepared().pending.state.reveal()
        #expect(try body(exchange(client)).contains("&state=\(state)&"))
        #expect(try !body(TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client)).contains("state"))
    }

    /// Fitbit wants the client's identifier also beside Basic authentication. With the other methods, it is there once.
    @Test func clientMayBeNamedBesideBasicAuthentication() throws {
        for credential in [ClientCredential.basic(Secret("s")), .post(Secret("s")), .none] {
            let client = Self.client(credential) { $0.tokenParameters = ["client_id": "yett"] }
            let renewal = try body(TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client))
            #expect(FormEncoding.decode(renewal)?.filter { $0.name == "client_id" }.map(\.value) == ["yett"], "\(renewal)")
        }
    }

    @Test func redirectPageMayHaveAnotherParameter() throws {
        let client = Self.client { $0.redirectParameter = .redirectURL }
        var request = Fixture.request()
        request.dialect = client.dialect
        let query = try #require(Fixture.prepared(request).url.query)
        #expect(query.contains("&redirect_url=http") && !query.contains("redirect_uri"))
        #expect(try body(exchange(client)).contains("&redirect_url=http%3A%2F%2F127.0.0.1%3A8400%2Fcallback&"))
    }

    @Test func revocationMayBeAFormInADelete() throws {
        let client = Self.client(.basic(Secret("s"))) { $0.revocation = .deleteForm }
        let request = try Revocation.request(Secret("the-token"), .access, at: Fixture.metadata(), client: client)
        #expect(request.method == .delete && body(request) == "token=the-token&token_type_hint=access_token")
        #expect(request.headers.contains { $0.name == "Authorization" && $0.value.hasPrefix("Basic ") })
        #expect(SecretRedactor(of: request).hiding(in: "no the-token") == "no [hidden]")
    }

    // MARK: Userinfo

    /// Baidu's and mail.ru's APIs read the token in the query alone, and WeChat's wants the user's ID beside it.
    @Test func userinfoMayHaveTheTokenInTheQuery() throws {
        var dialect = ProviderDialect()
        dialect.userInfoParameters = [
            "access_token": "{access_token}", "openid": "{token.data.openid}", "unionid": "{token.unionid}", "v": "2",
        ]
        var tokens = try tokens(#"{"access_token":"the-access-token"}"#)
        func request() throws -> WebRequest {
            try UserInfo.request(tokens, at: Fixture.metadata(), answer: ["data": ["openid": "o 1"]], dialect: dialect)
        }
        let sent = try request()
        #expect(sent.url.text == "https://id.example.org/userinfo?access_token=the-access-token&openid=o%201&v=2")
        #expect(sent.method == .get && !sent.headers.contains { $0.name == "Authorization" })
        #expect(SecretRedactor(of: sent).hiding(in: "bad the-access-token") == "bad [hidden]")
        // A token that is bound to a key is of no use without its proof, which is for the header.
        tokens.tokenType = "DPoP"
        let bound = try request()
        #expect(bound.url.query == "openid=o%201&v=2")
        #expect(bound.headers.contains { $0 == ("Authorization", "DPoP the-access-token") })
    }

    @Test func userinfoOfOpenIDConnectIsAnObject() {
        let answer = Fixture.json(#"[{"sub":"ada"}]"#)
        #expect(Fixture.error { try UserInfo.claims(answer, subject: nil, host: nil, now: Fixture.now) }?.kind == .notJSON(isHTML: false))
    }

    @Test(arguments: [#"[{"id":"ada"}]"#, #"callback( {"id":"ada"} );"#, "cb({\"id\":\"ada\"})\r\n"])
    func userinfoMayBeWrapped(_ body: String) throws {
        let claims = try UserInfo.claims(Fixture.json(body), subject: nil, requiresSubject: false, host: nil, now: Fixture.now)
        #expect(claims == ["id": "ada"])
    }

    @Test(arguments: [
        #"[{"id":"ada"},{"id":"eve"}]"#, "[]", #"({"id":"ada"})"#, #"a-b({"id":"ada"})"#, #"cb({"id":"ada"}) more"#, "cb(7)", "cb)(",
        #"<p>cb({"id":"ada"})</p>"#,
    ])
    func otherTextsAreNoUserinfo(_ body: String) {
        let error = Fixture.error {
            try UserInfo.claims(Fixture.json(body), subject: nil, requiresSubject: false, host: nil, now: Fixture.now)
        }
        guard case .notJSON? = error?.kind else {
            Issue.record("\(body) was taken")
            return
        }
    }

    // MARK: Token responses

    /// QQ's answers are calls of a function, its errors too.
    @Test func tokensMayBeTheArgumentOfAFunction() throws {
        #expect(try tokens(#"callback( {"access_token":"at"} );"#).accessToken == Secret("at"))
        let error = Fixture.error { try tokens(#"callback( {"error":100020,"error_description":"code is reused error"} );"#) }
        #expect(error?.kind == .refusedUnreadably(status: 200, reason: "code is reused error"))
        // Metadata is a document.
        let wrapped = Fixture.json("callback(\(Fixture.document.text))")
        let metadata = Fixture.error {
            try ProviderMetadata(wrapped, issuer: Fixture.issuer, requirement: .openIDComplete, now: Fixture.now)
        }
        #expect(metadata?.kind == .notJSON(isHTML: false))
    }

    @Test func accessTokenMayHaveTheNameToken() throws {
        #expect(try tokens(#"{"client_id":"yett","token":"at","scopes":["a"]}"#).accessToken == Secret("at"))
        let yammer = #"{"user":{"id":7},"access_token":{"token":"at","expires_at":null}}"#
        #expect(try tokens(yammer) { $0.tokensPath = MemberPath("access_token") }.accessToken == Secret("at"))
        #expect(try tokens(#"{"access_token":"at","token":"other"}"#).accessToken == Secret("at"))
        #expect(Fixture.error { try tokens(#"{"token":{"id":7}}"#) }?.kind == .missingMember("access_token"))
    }

    @Test func lifetimesHaveOtherNames() throws {
        func ends(_ members: String) throws -> [Duration?] {
            let tokens = try tokens(#"{"access_token":"at","refresh_token":"rt","# + members + "}")
            return [tokens.accessExpiresAt, tokens.refreshExpiresAt].map { $0.map { $0 - Fixture.now } }
        }
        let soon = Fixture.now.seconds + 600
        #expect(try ends(#""expire_in":600,"refresh_token_expire_in":900"#) == [.seconds(600), .seconds(900)])
        #expect(try ends(#""access_token_expires_at":\#(soon).5,"refresh_token_expires_at":\#(soon)"#) == [.seconds(600.5), .seconds(600)])
        #expect(try ends(#""access_token_expire_in":\#(soon),"refresh_token_expire_in":\#(soon + 1)"#) == [.seconds(600), .seconds(601)])
        // SAP Concur.
        #expect(try ends(#""expires_in":"3600","refresh_expires_in":\#(soon)"#) == [.seconds(3600), .seconds(600)])
        // Ten years are a lifetime.
        #expect(try ends(#""refresh_token_expires_in":315360000"#) == [nil, .seconds(315_360_000)])
        #expect(try ends(#""access_token_expires_at":7,"expire_time":0"#) == [nil, nil])
    }

    @Test func grantedScopesMayBeSeparatedAsInRequests() throws {
        #expect(try tokens(#"{"access_token":"at","scope":"a;b"}"#) { $0.scopeSeparator = ";" }.scopes == ["a", "b"])
        #expect(try tokens(#"{"access_token":"at","scope":"a;b"}"#).scopes == ["a;b"])
    }
}
