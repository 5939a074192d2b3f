import AuthModel
import Localization
import Testing
@testable import OAuth

/// Token responses of services that differ from the standards.
@Suite struct DialectResponseTests {
    private func tokens(
        _ body: String, requested: ScopeSet = ["a", "b"], operation: OAuthError.Operation = .codeExchange, requiresProof: Bool = false,
        _ change: (inout ProviderDialect) -> Void = { _ in }
    ) throws -> TokenSet {
        var dialect = ProviderDialect()
        change(&dialect)
        return try TokenResponse.tokens(
            Fixture.json(body), operation, host: nil, requested: requested, requiresProof: requiresProof, dialect: dialect,
            now: Fixture.now)
    }

    private static let bare = #"{"access_token":"at"}"#

    @Test func tokenTypeMayBeMissingOrOfTheService() throws {
        #expect(try tokens(Self.bare) { $0.tokenType = "Bearer" }.tokenType == "Bearer")
        #expect(try tokens(#"{"access_token":"at","token_type":"user"}"#) { $0.tokenType = "Bearer" }.tokenType == "Bearer")
        #expect(try tokens(#"{"access_token":"at","token_type":"bearer"}"#) { $0.tokenType = "Bearer" }.tokenType == "bearer")
        #expect(Fixture.error { try tokens(Self.bare) }?.failure.hint?.english.contains("token_type = \"Bearer\"") == true)
        // A token of a known other type is never sent as Bearer, and no bound token was requested.
        for type in ["DPoP", "mac", "N_A"] {
            let body = #"{"access_token":"at","token_type":"\#(type)"}"#
            #expect(Fixture.error { try tokens(body) { $0.tokenType = "Bearer" } }?.kind == .tokenTypeNotUnderstood)
        }
        #expect(Fixture.error { try tokens(Self.bare, requiresProof: true) { $0.tokenType = "Bearer" } }?.kind == .tokenTypeNotUnderstood)
    }

    /// Where the access token renews itself, it is the refresh token as well, and ends as both.
    @Test func accessTokenMayStandForTheRefreshToken() throws {
        let body = #"{"access_token":"at","token_type":"bearer","expires_in":5183944,"refresh_token":"other"}"#
        let plain = try tokens(body)
        #expect(plain.refreshToken == Secret("other") && plain.ownRefreshToken == Secret("other"))
        let own = try tokens(body) { $0.renewalGrant = "ig_refresh_token" }
        #expect(own.refreshToken == Secret("at") && own.ownRefreshToken == nil)
        #expect(own.refreshExpiresAt == Fixture.now + .seconds(5_183_944) && own.refreshExpiresAt == own.accessExpiresAt)
        var dialect = ProviderDialect()
        dialect.renewalGrant = "ig_refresh_token"
        let renewed = try TokenResponse.renewed(
            Fixture.json(#"{"access_token":"next","token_type":"bearer","expires_in":60}"#), host: nil, old: own, dialect: dialect,
            now: Fixture.now)
        #expect(renewed.refreshToken == Secret("next") && renewed.refreshExpiresAt == Fixture.now + .seconds(60))
    }

    /// Salesforce's answers for MCP have no lifetime, and its access tokens are JWTs. What the answer says goes before it.
    @Test func endOfAJWTIsThatOfTheAccessToken() throws {
        func end(_ claims: JSONValue, _ members: String = "") throws -> Timestamp? {
            let parts = [#"{"alg":"RS256"}"#, claims.text, "signature"].map { Base64URL.encode(Array($0.utf8)) }
            let token = parts.joined(separator: ".")
            return try tokens(#"{"access_token":"\#(token)","token_type":"Bearer"\#(members)}"#).accessExpiresAt
        }
        let hour = Fixture.now + .seconds(3600)
        #expect(try end(["exp": .number(hour.seconds)]) == hour)
        #expect(try end(["exp": .number(hour.seconds)], #","expires_in":60"#) == Fixture.now + .seconds(60))
        // One of the clocks is wrong, or the number is no time.
        for claims: JSONValue in [["exp": .number(Fixture.now.seconds - 1)], ["exp": 99999999999999], ["exp": "soon"], ["sub": "ada"]] {
            #expect(try end(claims) == nil)
        }
    }

    /// TikTok for Business says what is wrong beside an empty object where the tokens should be.
    @Test func emptyPlaceOfTheTokensIsARefusal() {
        let body = #"{"code":40110,"message":"Auth_code is expired","data":{}}"#
        let error = Fixture.error { try tokens(body) { $0.tokensPath = MemberPath("data") } }
        #expect(error?.kind == .refusedUnreadably(status: 200, reason: "Auth_code is expired"))
    }

    /// RFC 8259 section 8.1. Errors hide secrets of such a response too.
    @Test func byteOrderMarkIsIgnored() throws {
        let body = #"\#u{FEFF}{"access_token":"at-0123456789","token_type":"Bearer"}"#
        #expect(try tokens(body).accessToken == Secret("at-0123456789"))
        let request = WebRequest(method: .post, url: try #require(WebURL("https://id.example.org/token")))
        #expect(!SecretRedactor(of: Fixture.json(body), to: request).hiding(in: "at-0123456789").contains("0123"))
    }

    @Test func zeroLifetimeMayMeanNoExpiry() throws {
        let body = #"{"access_token":"at","token_type":"Bearer","expires_in":0}"#
        #expect(try tokens(body).accessExpiresAt == Fixture.now)
        #expect(try tokens(body) { $0.zeroLifetime = .unlimited }.accessExpiresAt == nil)
        let hour = #"{"access_token":"at","token_type":"Bearer","expires_in":3600}"#
        #expect(try tokens(hour) { $0.zeroLifetime = .unlimited }.accessExpiresAt == Fixture.now + .seconds(3600))
    }

    /// TikTok's answers have an error in every case.
    @Test func errorMaySayThatAllIsWell() throws {
        let body = #"{"access_token":"at","token_type":"Bearer","error":{"code":"CODE","message":"","log_id":"1"}}"#
        #expect(try tokens(body.replacing("CODE", with: "ok")).accessToken == Secret("at"))
        #expect(
            Fixture.error { try tokens(body.replacing("CODE", with: "access_token_invalid")) }?.kind
                == .refusedUnreadably(status: 200, reason: "access_token_invalid"))
    }

    @Test func lifetimeMayBeADateOrOfTheService() throws {
        func end(_ members: String, _ lifetime: Int64? = nil) throws -> Duration? {
            try tokens(#"{"access_token":"at","token_type":"Bearer"\#(members)}"#) { $0.accessLifetime = lifetime }.accessExpiresAt
                .map { $0 - Fixture.now }
        }
        let date = (Fixture.now + .seconds(600)).description
        #expect(try end("") == nil)
        #expect(try end("", 7200) == .seconds(7200))
        #expect(try end(#","expires_in":60"#, 7200) == .seconds(60))
        #expect(try end(#","expires_at":"\#(date)""#, 7200) == .seconds(600))
        #expect(try end(#","expires_at":\#(Fixture.now.seconds + 600)"#) == .seconds(600))
        #expect(try end(#","expires_at":"\#(Fixture.now.seconds + 600)""#) == .seconds(600))
        #expect(try end(#","expires_at":\#((Fixture.now.seconds + 600) * 1000)"#) == .seconds(600))
        #expect(try end(#","expires_at":\#(Fixture.now.seconds - 1)"#, 7200) == .zero)
        #expect(try end(#","expires_on":"\#(Fixture.now.seconds + 600)""#, 7200) == .seconds(600))
        #expect(try end(#","expires":"\#(date)""#, 7200) == .seconds(600))
        // expires_in may have the end itself, or be an empty text. Ten years are a lifetime.
        #expect(try end(#","expires_in":\#(Fixture.now.seconds + 600)"#) == .seconds(600))
        #expect(try end(#","expires_in":"\#(date)""#) == .seconds(600))
        // An end that is past is no lifetime of 57 years, and not the zero of a token that never ends.
        for past in [#","expires_in":\#(Fixture.now.seconds - 60)"#, #","expires_at":\#(Fixture.now.seconds - 60)"#] {
            #expect(try end(past) == .zero)
            let body = #"{"access_token":"at","token_type":"Bearer"\#(past)}"#
            #expect(try tokens(body) { $0.zeroLifetime = .unlimited }.accessExpiresAt == Fixture.now)
        }
        #expect(try end(#","expires_in":315705599"#) == .seconds(315_705_599))
        #expect(try end(#","expires_in":"""#, 7200) == .seconds(7200))
        // What is no moment of our time says nothing.
        for value in ["7", "1e400", "-1", "\"soon\"", "null", "[]"] { #expect(try end(#","expires_at":\#(value)"#) == nil) }
        let refresh = #"{"access_token":"at","token_type":"Bearer","refresh_token":"rt","x_refresh_token_expires_in":8640000}"#
        #expect(try tokens(refresh).refreshExpiresAt == Fixture.now + .seconds(8_640_000))
    }

    @Test func tokensMayBeAForm() throws {
        let body = "access_token=at&scope=a%20b&token_type=bearer&expires_in=60"
        let form = [("Content-Type", "application/x-www-form-urlencoded; charset=utf-8")]
        func read(_ body: String, _ headers: [(String, String)]) throws -> TokenSet {
            let response = WebResponse(status: 200, headers: headers, body: Array(body.utf8))
            return try TokenResponse.tokens(response, .codeExchange, host: nil, requested: ["a", "b"], now: Fixture.now)
        }
        let set = try read(body, form)
        #expect(set.accessToken == Secret("at") && set.scopes == ["a", "b"] && set.accessExpiresAt == Fixture.now + .seconds(60))
        // A form with a token is known by it, and one without is not.
        for type in ["text/plain", "text/html; charset=utf-8"] {
            #expect(try read(body, [("Content-Type", type)]).accessToken == Secret("at"))
            #expect(Fixture.error { try read("token=at&scope=a", [("Content-Type", type)]) }?.kind == .notJSON(isHTML: false))
        }
        // The addresses in a page or in cut JSON are no form, and say nothing about the grant of a session.
        let page = #"<a href="/portal?from=here&error=invalid_grant&id=1">Sign in to the network</a>"#
        #expect(Fixture.error { try read(page, [("Content-Type", "text/html")]) }?.kind == .notJSON(isHTML: true))
        #expect(Fixture.error { try read(#"{"next":"/?a=b&error=invalid_grant"#, []) }?.kind == .notJSON(isHTML: false))
        let refusal = WebResponse(status: 400, headers: [("Content-Type", "text/html")], body: Array(page.utf8))
        let failed = Fixture.error { try refusal.requireSuccess(.renewal, host: nil, now: Fixture.now) }
        #expect(failed?.kind == .pageInstead(status: 400) && failed?.grantOutcome == .kept)
        #expect(Fixture.error { try read(body + "&access_token=other", form) }?.kind == .notJSON(isHTML: false))
        #expect(Fixture.error { try read("error=bad_verification_code", form) }?.failure.kind == .denied(code: "bad_verification_code"))
    }

    @Test func membersMayBeInCamelCase() throws {
        let set = try tokens(#"{"accessToken":"at","refreshToken":"rt","expireIn":7200,"tokenType":"Bearer","corpId":"c"}"#)
        #expect(set.accessToken == Secret("at") && set.refreshToken == Secret("rt"))
        #expect(set.accessExpiresAt == Fixture.now + .seconds(7200))
        // They are as secret under these names.
        let request = WebRequest(method: .post, url: try Fixture.url("https://id.example.org/token"))
        let redactor = SecretRedactor(of: Fixture.json(#"{"accessToken":"at-0123456789"}"#), to: request)
        #expect(redactor.hiding(in: "at-0123456789") == "[hidden]")
        // The standard's names go first.
        let both = #"{"access_token":"at","accessToken":"other","refreshToken":"rt","token_type":"Bearer"}"#
        #expect(try tokens(both).accessToken == Secret("at") && tokens(both).refreshToken == nil)
    }

    @Test func missingAccessTokenIsExplained() throws {
        let failure = try #require(Fixture.error { try tokens(#"{"id_token":"a.b.c","token_type":"Bearer"}"#) }?.failure)
        #expect(failure.exitCode == 7 && failure.hint?.english.contains("scope of an API") == true)
    }

    @Test func tokensMayBeNested() throws {
        let body =
            #"{"ok":true,"access_token":"bot","authed_user":{"id":"U1","access_token":"at","refresh_token":"rt","token_type":"user"}}"#
        func change(_ dialect: inout ProviderDialect) {
            dialect.tokensPath = MemberPath("authed_user")
            dialect.tokenType = "Bearer"
        }
        #expect(try tokens(body, change).accessToken == Secret("at"))
        // The user's tokens are in the response itself at some times.
        #expect(try tokens(Self.bare, change).accessToken == Secret("at"))
        let bot = #"{"ok":true,"access_token":"bot","token_type":"bot"}"#
        #expect(Fixture.error { try tokens(bot, change) }?.kind == .missingMember("authed_user"))
        #expect(
            Fixture.error { try tokens(#"{"ok":false,"error":"invalid_code"}"#, change) }?.failure.kind == .denied(code: "invalid_code"))
        // A renewal may have them in the response itself.
        #expect(try tokens(Self.bare, operation: .renewal, change).accessToken == Secret("at"))
        #expect(try tokens(body, operation: .renewal, change).accessToken == Secret("at"))
        var dialect = ProviderDialect()
        change(&dialect)
        #expect(TokenResponse.refreshTokenOnly(Fixture.json(body), dialect: dialect) == Secret("rt"))
    }

    @Test(arguments: [
        (#""a b""#, ["a", "b"]), (#"["a","b"]"#, ["a", "b"]), (#""a,b""#, ["a", "b"]), (#""a, b""#, ["a", "b"]), (#"["a b"]"#, ["a", "b"]),
        ("[1,2]", ["1", "2"]),
        (#""""#, ["a", "b,c"]), ("[]", ["a", "b,c"]), ("null", ["a", "b,c"]),
    ])
    func scopesMayBeAnArrayOrHaveCommas(_ scope: String, _ expected: [String]) throws {
        let body = #"{"access_token":"at","token_type":"Bearer","scope":\#(scope)}"#
        let requested: ScopeSet = expected == ["a", "b,c"] ? ["a", "b,c"] : ["a", "b"]
        #expect(try tokens(body, requested: requested).scopes.values == expected)
    }

    @Test func commaOfARequestedScopeSeparatesNothing() throws {
        let body = #"{"access_token":"at","token_type":"Bearer","scope":"a b,c"}"#
        #expect(try tokens(body, requested: ["a", "b,c"]).scopes.values == ["a", "b,c"])
    }

    @Test func scopesInTheResponseMayMeanNothing() throws {
        let body = #"{"access_token":"at","token_type":"Bearer","scope":"app"}"#
        #expect(try tokens(body) { $0.scopesInResponse = .ignored }.scopes == ["a", "b"])
    }

    /// A scope under its other name, as requested.
    @Test(arguments: [
        ("email", "https://www.googleapis.com/auth/userinfo.email", true), ("User.Read", "https://graph.microsoft.com/User.Read", true),
        ("https://graph.microsoft.com/User.Read", "User.Read", true), ("api://app/read", "read", true),
        ("mail", "https://www.googleapis.com/auth/userinfo.email", false), ("Read", "https://graph.microsoft.com/User.Read", false),
        ("a/b", "https://x.example/a/b", false), ("email", "userinfo.email", false),
    ])
    func scopeUnderAnotherNameIsTheRequestedOne(_ requested: String, _ granted: String, _ isSame: Bool) throws {
        let body = #"{"access_token":"at","token_type":"Bearer","scope":"\#(granted)"}"#
        let scopes = try tokens(body, requested: [requested]).scopes
        #expect(scopes.values == [isSame ? requested : granted])
        let missing = ScopeNames.missing(from: ScopeSet([granted]), requested: [requested], hasRefreshToken: false, claims: [])
        #expect(missing.isEmpty == isSame)
    }

    @Test func grantedScopesAreNotMissing() {
        func missing(_ requested: ScopeSet, refresh: Bool = false, claims: JSONValue = [:]) -> [String] {
            ScopeNames.missing(from: ["read"], requested: requested, hasRefreshToken: refresh, claims: [claims])
        }
        #expect(missing(["read", "write"]) == ["write"])
        #expect(missing(["offline_access"]) == ["offline_access"])
        #expect(missing(["offline_access", "offline.access"], refresh: true) == [])
        #expect(missing(["openid", "email", "profile"], claims: ["sub": "1", "email": "a@b.example"]) == ["profile"])
        #expect(missing(["https://graph.microsoft.com/.default"]) == [])
    }

    /// Services name only the largest of the granted scopes.
    @Test(arguments: [
        ("user", "user:email", true), ("admin:org", "read:org", true), ("write:org", "read:org", true), ("repo", "public_repo", true),
        ("read:org", "write:org", false), ("user:email", "user", false), ("admin:org", "read:user", false), ("us", "user:email", false),
    ])
    func includedScopeIsNotMissing(_ granted: String, _ requested: String, _ isIncluded: Bool) {
        let missing = ScopeNames.missing(from: ScopeSet([granted]), requested: ScopeSet([requested]), hasRefreshToken: false, claims: [])
        #expect(missing.isEmpty == isIncluded)
    }

    /// Tokens for other resource servers in the same response are neither used nor kept with the user's data.
    @Test func otherTokensAreIgnored() throws {
        let body = """
            {"access_token":"at","token_type":"Bearer","scope":"a","resource_server":"auth.example.org","orcid":"0000-0001","state":"x",
            "other_tokens":[{"access_token":"other-access","refresh_token":"other-refresh","scope":"b","token_type":"Bearer"}],
            "owner":{"user":{"id":"u1","api_key":"k","name":"Ada"}},"expires_in":172800}
            """
        let set = try tokens(body)
        #expect(set.accessToken == Secret("at") && set.refreshToken == nil && set.scopes == ["a"])
        let data = TokenResponse.userData(Fixture.json(body))
        #expect(
            data == [
                "scope": "a", "resource_server": "auth.example.org", "orcid": "0000-0001", "state": "x",
                "owner": ["user": ["id": "u1", "name": "Ada"]], "expires_in": 172_800,
            ])
        // All of them are hidden in errors.
        let request = WebRequest.form(try Fixture.url("https://id.example.org/token"), [])
        #expect(SecretRedactor(of: Fixture.json(body), to: request).hiding(in: "x other-refresh x") == "x [hidden] x")
    }

    @Test(
        arguments: [
            ("https://na1.example.org", "https://na1.example.org"), ("https://na1.example.org/services/", "https://na1.example.org"),
            ("na1.example.org", "https://na1.example.org"), ("na1.example.org:8443", "https://na1.example.org:8443"),
            ("http://na1.example.org", nil), ("https://127.0.0.1", nil), ("https://localhost", nil), ("javascript://x", nil),
            ("https://ada@na1.example.org", nil),
        ] as [(String, String?)])
    func responseNamesTheAPIHost(_ text: String, _ origin: String?) throws {
        var dialect = ProviderDialect()
        let response = Fixture.json(JSONValue.object([.init("instance_url", .string(text))]).text)
        let endpoint = try Fixture.url("https://login.example.org/token")
        #expect(try TokenResponse.apiHost(response, dialect: dialect, endpoint: endpoint) == nil)
        dialect.apiHostPath = MemberPath("instance_url")
        guard let origin else {
            let error = Fixture.error { try TokenResponse.apiHost(response, dialect: dialect, endpoint: endpoint) }
            #expect(error?.failure.exitCode == 8)
            return
        }
        #expect(try TokenResponse.apiHost(response, dialect: dialect, endpoint: endpoint)?.text == origin)
    }
}
