import AuthModel
import Testing
@testable import OAuth

/// Requests to services that differ from the standards.
@Suite struct DialectRequestTests {
    private static func dialect(_ change: (inout ProviderDialect) -> Void) -> ProviderDialect {
        var dialect = ProviderDialect()
        change(&dialect)
        return dialect
    }

    private func body(_ request: WebRequest) -> String { String(decoding: request.body, as: UTF8.self) }

    private func request(_ dialect: ProviderDialect, scopes: ScopeSet = ["a", "b"]) -> AuthorizationRequest {
        AuthorizationRequest(clientID: "yett", redirectURI: "http://127.0.0.1:8400/callback", scopes: scopes, dialect: dialect)
    }

    @Test(arguments: [(" ", "a%20b"), (",", "a%2Cb"), ("+", "a%2Bb")])
    func scopesAreSeparatedAsTheServiceNeeds(_ separator: String, _ sent: String) throws {
        let dialect = Self.dialect { $0.scopeSeparator = separator }
        let client = OAuthClient(id: "yett", dialect: dialect)
        #expect(try Fixture.prepared(request(dialect)).url.query?.contains("&scope=\(sent)&") == true)
        let renewal = try TokenEndpoint.renew(Secret("rt"), scopes: ["a", "b"], at: Fixture.metadata(), client: client)
        #expect(body(renewal).contains("&scope=\(sent)&"))
        let device = try DeviceAuthorization.request(scopes: ["a", "b"], at: Fixture.metadata(), client: client)
        #expect(body(device).hasPrefix("scope=\(sent)&"))
    }

    @Test func scopesHaveTheParameterThatTheServiceNeeds() throws {
        let dialect = Self.dialect { $0.scopeParameter = "user_scope" }
        let client = OAuthClient(id: "yett", dialect: dialect)
        let query = try #require(Fixture.prepared(request(dialect)).url.query)
        #expect(query.contains("&user_scope=a%20b&") && !query.contains("&scope="))
        let renewal = try TokenEndpoint.renew(Secret("rt"), scopes: ["a", "b"], at: Fixture.metadata(), client: client)
        #expect(body(renewal).contains("&user_scope=a%20b&"))
    }

    @Test func tokenRequestsMayBeJSON() throws {
        let client = OAuthClient(id: "yett", credential: .post(Secret("s\"1")), dialect: Self.dialect { $0.tokenRequest = .json })
        let renewal = try TokenEndpoint.renew(Secret("rt"), resources: ["https://a", "https://b"], at: Fixture.metadata(), client: client)
        #expect(
            try JSONValue(strict: renewal.body) == [
                "grant_type": "refresh_token", "refresh_token": "rt", "resource": ["https://a", "https://b"], "client_id": "yett",
                "client_secret": "s\"1",
            ])
        #expect(renewal.headers.contains { $0 == ("Content-Type", "application/json") })
        #expect(renewal.headers.contains { $0 == ("Accept", "application/json") })
        let callback = try Fixture.callback(Fixture.prepared().pending)
        let exchange = try JSONValue(strict: TokenEndpoint.exchange(callback, at: Fixture.metadata(), client: client).body)
        #expect(exchange["code"] == "the-code" && exchange["code_verifier"]?.string?.utf8.count == 43)
        // The other endpoints get a form.
        #expect(try body(Revocation.request(Secret("t"), .refresh, at: Fixture.metadata(), client: client)).hasPrefix("token=t&"))
    }

    @Test func tokenRequestsMayHaveMoreParameters() throws {
        let dialect = Self.dialect { $0.tokenParameters = ["client_key": "k&", "grant_type": "password"] }
        let client = OAuthClient(id: "yett", dialect: dialect)
        let renewal = try body(TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client))
        #expect(renewal == "grant_type=refresh_token&refresh_token=rt&client_key=k%26&client_id=yett")
        let exchange = try body(
            TokenEndpoint.exchange(Fixture.callback(Fixture.prepared().pending), at: Fixture.metadata(), client: client))
        #expect(exchange.contains("&client_key=k%26&"))
        #expect(try !body(Revocation.request(Secret("t"), .access, at: Fixture.metadata(), client: client)).contains("client_key"))
    }

    /// A GET with everything in the query, under the service's own names.
    @Test func tokenRequestsMayBeQueries() throws {
        let dialect = Self.dialect {
            $0.tokenRequest = .query
            $0.clientParameter = "appid"
            $0.secretParameter = .secret
        }
        let client = OAuthClient(id: "wx1", credential: .post(Secret("s&cret-of-wx1")), dialect: dialect)
        let renewal = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client)
        #expect(renewal.method == .get && renewal.body.isEmpty && renewal.isTokenQuery)
        #expect(renewal.url.query == "grant_type=refresh_token&refresh_token=rt&appid=wx1&secret=s%26cret-of-wx1")
        let answer = Fixture.json("wrong secret s&cret-of-wx1", status: 400).keeping(SecretRedactor(of: renewal))
        let error = Fixture.error { try answer.requireSuccess(.renewal, host: nil, now: Fixture.now) }
        #expect(error?.kind == .refusedUnreadably(status: 400, reason: "wrong secret [hidden]"))
    }

    /// A service may want some of the callback in each token request.
    @Test func tokenRequestsMayRepeatTheCallback() throws {
        let dialect = Self.dialect {
            $0.callbackMembers = ["device_id"]
            $0.tokenParameters = ["device_id": "{callback.device_id}", "state": "s"]
        }
        let client = OAuthClient(id: "yett", dialect: dialect)
        let kept = JSONValue.Member("device_id", .string("d 1"))
        let renewal = try TokenEndpoint.renew(Secret("rt"), repeating: [kept], at: Fixture.metadata(), client: client)
        #expect(body(renewal) == "grant_type=refresh_token&refresh_token=rt&device_id=d%201&state=s&client_id=yett")
        let without = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client)
        #expect(body(without) == "grant_type=refresh_token&refresh_token=rt&state=s&client_id=yett")
        let pending = try Fixture.prepared(request(dialect)).pending
        let query = FormEncoding.encode([
            ("code", "c"), ("device_id", "d 1"), ("state", pending.state.reveal()), ("iss", Fixture.issuerText),
        ])
        guard case .accepted(let callback) = AuthorizationResponse(query: query, for: pending) else { throw Fixture.Missing() }
        let exchange = try TokenEndpoint.exchange(callback, at: Fixture.metadata(), client: client)
        #expect(body(exchange).contains("&device_id=d%201&"))
    }

    @Test func clientWithoutASecretMayUseBasicAuthentication() throws {
        let credential = try ClientCredential.choose(.clientSecretBasicEmpty, secret: nil, methods: nil)
        let renewal = try TokenEndpoint.renew(
            Secret("rt"), at: Fixture.metadata(), client: OAuthClient(id: "yett", credential: credential))
        #expect(renewal.headers.contains { $0 == ("Authorization", "Basic \(Base64.encode(Array("yett:".utf8)))") })
        #expect(body(renewal) == "grant_type=refresh_token&refresh_token=rt")
    }

    /// Secrets of services that do not decode them, such as base64 with an equals sign at the end.
    @Test func secretMayBeSentAsItIs() throws {
        for (method, pair) in [
            (ProviderConfiguration.ClientAuthentication.clientSecretBasic, "y%40t:s%2F%3D%3D"), (.clientSecretBasicRaw, "y@t:s/=="),
        ] {
            let credential = try ClientCredential.choose(method, secret: Secret("s/=="), methods: nil)
            let renewal = try TokenEndpoint.renew(
                Secret("rt"), at: Fixture.metadata(), client: OAuthClient(id: "y@t", credential: credential))
            #expect(renewal.headers.contains { $0 == ("Authorization", "Basic \(Base64.encode(Array(pair.utf8)))") })
            #expect(!body(renewal).contains("client"))
        }
    }

    @Test func clientMayHaveAnotherParameter() throws {
        let dialect = Self.dialect { $0.clientParameter = "client_key" }
        let prepared = try Fixture.prepared(request(dialect))
        #expect(prepared.url.query?.contains("client_key=yett&") == true && prepared.url.query?.contains("client_id") == false)
        let client = OAuthClient(id: "yett", credential: .post(Secret("s")), dialect: dialect)
        for sent in [
            try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client),
            try TokenEndpoint.exchange(Fixture.callback(prepared.pending), at: Fixture.metadata(), client: client),
            try Revocation.request(Secret("t"), .access, at: Fixture.metadata(), client: client),
        ] {
            #expect(body(sent).hasSuffix("client_key=yett&client_secret=s") && !body(sent).contains("client_id"), "\(body(sent))")
        }
    }

    @Test func challengeMayBeInHexadecimalDigits() throws {
        // RFC 7636 appendix B, and the same hash in hexadecimal digits.
        let verifier = Secret("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
        #expect(PKCE.challenge(for: verifier) == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
        #expect(PKCE.challenge(for: verifier, isHex: true) == "13d31e961a1ad8ec2f16b10c4c982e0876a878ad6df144566ee1894acb70f9c3")
        let prepared = try Fixture.prepared(request(Self.dialect { $0.pkce = .hex }))
        let challenge = PKCE.challenge(for: prepared.pending.verifier, isHex: true)
        #expect(prepared.url.query?.contains("code_challenge=\(challenge)&code_challenge_method=S256") == true)
        #expect(prepared.pending.usesPKCE)
    }

    /// Oracle's identity domains want a response type there.
    @Test func requestsForADeviceCodeMayHaveMoreParameters() throws {
        let dialect = Self.dialect { $0.device.parameters = ["response_type": "device_code", "scope": "other"] }
        let client = OAuthClient(id: "yett", dialect: dialect)
        let device = try DeviceAuthorization.request(
            scopes: ["a"], extraParameters: ["audience": "api"], at: Fixture.metadata(), client: client)
        #expect(body(device) == "scope=a&audience=api&response_type=device_code&client_id=yett")
        #expect(try Fixture.prepared(request(dialect)).url.query?.contains("device_code") == false)
        // In the format of token requests, and with a query neither repeated nor shown.
        let json = OAuthClient(id: "yett", dialect: Self.dialect { $0.tokenRequest = .json })
        #expect(
            body(try DeviceAuthorization.request(scopes: ["a"], at: Fixture.metadata(), client: json))
                == #"{"scope":"a","client_id":"yett"}"#)
        let query = OAuthClient(
            id: "yett",
            dialect: Self.dialect {
                $0.tokenRequest = .query
                $0.device.parameters = ["response_type": "device_code"]
            })
        let asked = try DeviceAuthorization.request(scopes: [], at: Fixture.metadata(), client: query)
        #expect(asked.url.query == "response_type=device_code&client_id=yett" && asked.isTokenQuery)
    }

    @Test func renewalsMayHaveAnEndpointOfTheirOwn() throws {
        let client = OAuthClient(id: "yett", dialect: Self.dialect { $0.refreshEndpoint = WebURL("https://id.example.org/refresh") })
        let metadata = try Fixture.metadata()
        #expect(try TokenEndpoint.renew(Secret("rt"), at: metadata, client: client).url.path == "/refresh")
        let exchange = try TokenEndpoint.exchange(Fixture.callback(Fixture.prepared().pending), at: metadata, client: client)
        #expect(exchange.url == metadata.tokenEndpoint)
    }

    @Test func refusedProofKeyIsNotSent() throws {
        let dialect = Self.dialect { $0.pkce = .refused }
        // The announcement of `plain` does not matter then.
        let metadata = try Fixture.metadata([.init("code_challenge_methods_supported", ["plain"])])
        let prepared = try Fixture.prepared(request(dialect), metadata: metadata)
        #expect(prepared.url.query?.contains("code_challenge") == false)
        let exchange = try TokenEndpoint.exchange(Fixture.callback(prepared.pending), at: metadata, client: OAuthClient(id: "yett"))
        #expect(!body(exchange).contains("code_verifier") && body(exchange).contains("code=the-code"))
    }

    /// A code that the user copies has no state, so only PKCE binds it to the attempt.
    @Test func shownCodeNeedsAProofKey() throws {
        for use in ProviderDialect.PKCEUse.allCases {
            var request = request(Self.dialect { $0.pkce = use })
            request.redirectURI = RedirectRule.outOfBand.description
            let pending = try Fixture.prepared(request).pending
            #expect((AuthorizationResponse(shownCode: "the-code", for: pending) == nil) == (use == .refused))
        }
    }

    /// TikTok for Business has a name of its own for the code, and its errors hide it.
    @Test func codeMayHaveAnotherNameInTokenRequests() throws {
        let dialect = Self.dialect {
            $0.tokenCodeParameter = .authCode
            $0.tokenRequest = .json
        }
        let callback = try Fixture.callback(Fixture.prepared().pending)
        let exchange = try TokenEndpoint.exchange(callback, at: Fixture.metadata(), client: OAuthClient(id: "yett", dialect: dialect))
        let sent = try JSONValue(strict: exchange.body)
        #expect(sent["auth_code"] == "the-code" && sent["code"] == nil)
        #expect(SecretRedactor(of: exchange).hiding(in: "no the-code") == "no [hidden]")
    }

    /// Instagram, Threads and Facebook exchange and renew an access token with the token itself, in a GET.
    @Test func accessTokenMayBeExchangedAndRenewedByItself() throws {
        let dialect = Self.dialect {
            $0.longLivedEndpoint = WebURL("https://graph.example.org/access_token")
            $0.refreshEndpoint = WebURL("https://graph.example.org/refresh_access_token")
            $0.renewalGrant = "ig_refresh_token"
        }
        let client = OAuthClient(id: "yett", credential: .post(Secret("the-secret")), dialect: dialect)
        let exchange = try TokenEndpoint.lengthen(
            Secret("short-token"), grant: "ig_exchange_token", at: Fixture.metadata(), client: client)
        #expect(exchange.method == .get && exchange.body.isEmpty && exchange.isTokenQuery)
        #expect(
            exchange.url.text
                == "https://graph.example.org/access_token?grant_type=ig_exchange_token&access_token=short-token&client_id=yett"
                + "&client_secret=the-secret")
        let renewal = try TokenEndpoint.renew(Secret("long-token"), scopes: ["a"], at: Fixture.metadata(), client: client)
        #expect(
            renewal.url.text
                == "https://graph.example.org/refresh_access_token?grant_type=ig_refresh_token&access_token=long-token&client_id=yett"
                + "&client_secret=the-secret")
        var facebook = client
        facebook.dialect.accessTokenParameter = .facebookExchangeToken
        let other = try TokenEndpoint.renew(Secret("long-token"), at: Fixture.metadata(), client: facebook)
        #expect(other.url.query?.contains("&fb_exchange_token=long-token&") == true)
        #expect(SecretRedactor(of: other).hiding(in: "bad long-token, the-secret") == "bad [hidden], [hidden]")
    }

    /// The secret is in no configuration. Without it, such a field is left out.
    @Test func clientSecretMayBeInAHeaderField() throws {
        let dialect = Self.dialect {
            $0.tokenRequestHeaders = ["secret_key": "{client_secret}"]
            $0.userInfoHeaders = ["x-api-key": "key:{client_secret}"]
        }
        func names(_ request: WebRequest) -> [String] { request.headers.map { "\($0.name): \($0.value)" } }
        let client = OAuthClient(id: "yett", secret: Secret("a1b2c3d4e5"), dialect: dialect)
        #expect(names(try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client)).contains("secret_key: a1b2c3d4e5"))
        let without = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: OAuthClient(id: "yett", dialect: dialect))
        #expect(!without.headers.contains { $0.name == "secret_key" })
        // Another field would begin in the value.
        let split = OAuthClient(id: "yett", secret: Secret("a\r\nCookie: b"), dialect: dialect)
        let refused = try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: split)
        #expect(!refused.headers.contains { $0.name == "secret_key" })
        let userInfo = try UserInfo.request(Fixture.tokens(), at: Fixture.metadata(), secret: Secret("a1b2c3d4e5"), dialect: dialect)
        #expect(names(userInfo).contains("x-api-key: key:a1b2c3d4e5"))
        #expect(SecretRedactor(of: userInfo).hiding(in: "no a1b2c3d4e5") == "no [hidden]")
    }

    @Test func userInfoMayBeAPost() throws {
        let dialect = Self.dialect {
            $0.userInfoBody = "null"
            $0.userInfoScheme = "OAuth"
            $0.userInfoHeaders = ["Notion-Version": "2022-06-28", "accept": "application/vnd.heroku+json; version=3"]
        }
        let request = try UserInfo.request(Fixture.tokens(), at: Fixture.metadata(), dialect: dialect)
        #expect(request.method == .post && body(request) == "null")
        #expect(request.headers.contains { $0 == ("Authorization", "OAuth at") })
        #expect(request.headers.contains { $0 == ("Notion-Version", "2022-06-28") })
        #expect(request.headers.filter { $0.name.asciiLowercased() == "accept" }.map(\.value) == ["application/vnd.heroku+json; version=3"])
        #expect(request.headers.contains { $0 == ("Content-Type", "application/json") })
    }

    /// `Accept: */*` is what HTTP clients send by default, so the service's own media type takes its place.
    @Test func acceptOfEverythingGivesWayToTheServices() throws {
        let own = "application/vnd.heroku+json; version=3"
        let url = try Fixture.required(WebURL("https://api.example.org/account"))
        let issued = IssuedToken(
            token: Secret("at"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: try Fixture.required(SessionName("work/ada")))
        func sent(_ accept: String?, _ dialect: BearerDialect) -> [String] {
            var request = WebRequest(method: .get, url: url)
            if let accept { request.headers.append(("accept", accept)) }
            return dialect.authorized(request, with: issued).headers.filter { $0.name.asciiLowercased() == "accept" }.map { $0.value }
        }
        let dialect = BearerDialect(fields: [("Accept", own)])
        #expect(sent(nil, dialect) == [own])
        #expect(sent("*/*", dialect) == [own])
        #expect(sent("text/csv", dialect) == ["text/csv"])
        #expect(sent("*/*;q=0.1", dialect) == ["*/*;q=0.1"])
        // A service without an Accept of its own changes nothing.
        #expect(sent("*/*", BearerDialect(fields: [("X-Version", "3")])) == ["*/*"])
    }

    /// OneDrive, WorkOS and Databricks have words and statuses of their own for a token that has ended.
    @Test(arguments: [
        (401, "", true), (401, "Bearer", true), (401, "Bearer error=\"invalid_token\"", true),
        (401, "Bearer error=\"expired_token\"", true),
        (401, "Bearer error=\"invalid_request\"", false), (401, "Bearer error=\"insufficient_user_authentication\"", false),
        (401, "Bearer error=\"insufficient_scope\", DPoP error=\"invalid_token\"", true), (403, "", false), (400, "", false),
    ])
    func refusalsAreAboutTheTokenUnlessTheySayOtherwise(_ status: Int, _ challenge: String, _ isRefused: Bool) {
        let answer = Fixture.json("", status: status, headers: challenge.isEmpty ? [] : [("WWW-Authenticate", challenge)])
        #expect(BearerDialect().verdict(on: answer) == (isRefused ? .refused : .accepted))
    }

    @Test func serviceMayRefuseTokensWithAnotherStatus() {
        let dialect = BearerDialect(refusedStatuses: [403])
        #expect(dialect.verdict(on: Fixture.json(#"{"message":"Invalid access token."}"#, status: 403)) == .refused)
        let lacking = Fixture.json("", status: 403, headers: [("WWW-Authenticate", "Bearer error=\"insufficient_scope\"")])
        #expect(dialect.verdict(on: lacking) == .accepted && dialect.verdict(on: Fixture.json("", status: 404)) == .accepted)
    }

    /// Azure DevOps shows the page where users sign in, or leads to it. Data with 203, and a redirect to a file, are no refusals.
    @Test(arguments: [
        (203, "Content-Type", "text/html; charset=utf-8", true), (203, "Content-Type", "application/json", false),
        (302, "Location", "https://x.vssps.visualstudio.com/_signin?realm=dev.azure.com", true), (302, "Location", "/login", true),
        (302, "Location", "https://files.example.org/a/login.zip?to=/login", false), (302, "X-Other", "/login", false),
        (200, "Content-Type", "text/html", false),
    ])
    func pageInPlaceOfARefusalRefusesTheToken(_ status: Int, _ name: String, _ value: String, _ isRefused: Bool) {
        let answer = Fixture.json("<html>", status: status, headers: [(name, value)])
        let dialect = BearerDialect(refusedStatuses: [203, 302])
        #expect(dialect.verdict(on: answer) == (isRefused ? .refused : .accepted))
        #expect(BearerDialect().verdict(on: answer) == .accepted)
        if status < 300 { #expect((dialect.failure(answer, from: "api.example") != nil) == isRefused) }
    }

    /// An error of the service with status 200 is one for the command, too.
    @Test func refusalWithAStatusOfSuccessIsAFailure() {
        let answer = Fixture.json(#"{"ok":false,"error":"token_revoked"}"#)
        #expect(BearerDialect(errors: ["token_revoked": .ended]).failure(answer, from: "api.example")?.exitCode == 5)
        #expect(BearerDialect().failure(answer, from: "api.example") == nil)
    }

    /// ClickUp answers 401 for what the token cannot see; Figma and Slack say with other statuses that it has ended.
    @Test(arguments: [
        (401, #"{"err":"Team not authorized","ECODE":"OAUTH_027"}"#, false), (401, #"{"err":"Token invalid","ECODE":"OAUTH_025"}"#, true),
        (403, #"{"status":403,"err":"Token expired"}"#, true), (403, #"{"err":"Not allowed"}"#, false),
        (200, #"{"ok":false,"error":"token_revoked"}"#, true), (200, #"{"ok":true,"error":null}"#, false),
        (400, #"{"error":{"type":"OAuthException","code":190}}"#, true), (200, "token_revoked", false),
        (200, #"{"message":"Token expired","code":190}"#, false), (401, #"{"message":"Token expired"}"#, true),
        (401, #"{"error":"Unauthorized","status":401,"message":"Missing scope: channel:read:polls"}"#, false),
        (401, #"{"message":"Authorization Error","errors":[{"resource":"AccessToken","field":"a","code":"missing"}]}"#, false),
        (401, #"{"message":"Authorization Error","errors":[{"resource":"Athlete","field":"access_token","code":"invalid"}]}"#, true),
        (401, #"{"error_summary":"missing_scope/..","error":{".tag":"missing_scope","required_scope":"files.content.read"}}"#, false),
        (403, #"{"error":{"code":"forbidden","message":"Not authorized","invalidToken":true}}"#, true),
        (403, #"{"error":{"code":"forbidden","message":"Not authorized","invalidToken":false}}"#, false),
        (200, #"{"invalidToken":true}"#, false), (200, #"{"status":293,"error":"…"}"#, true), (200, #"{"status":0,"body":{}}"#, false),
    ])
    func errorsOfAServiceHaveTheirMeaning(_ status: Int, _ body: String, _ isRefused: Bool) {
        let dialect = BearerDialect(
            errors: [
                "OAUTH_027": .denied, "Token expired": .ended, "token_revoked": .ended, "190": .ended, "Missing scope": .denied,
                "missing": .denied, "missing_scope": .denied, "invalidToken": .ended, "293": .ended,
            ])
        #expect(dialect.verdict(on: Fixture.json(body, status: status)) == (isRefused ? .refused : .accepted))
        #expect(dialect.judgesBodies && !BearerDialect().judgesBodies)
    }

    /// GitHub says with 403 that no requests are left, and where a user signs in to an organisation.
    @Test func refusalMayBeALimitOrAPage() {
        let limit = BearerDialect().failure(Fixture.json("{}", status: 403, headers: [("X-RateLimit-Remaining", "0")]), from: "api.example")
        #expect(limit?.isTransient == true)
        func failure(leadingTo address: String, from host: String) -> AuthFailure? {
            let field = "required; url=\(address)?authorization_request=AZ"
            return BearerDialect().failure(Fixture.json("{}", status: 403, headers: [("X-GitHub-SSO", field)]), from: host)
        }
        let address = "https://github.com/orgs/acme/sso"
        for host in ["api.github.com", "github.com", "github.com:8443"] {
            let page = failure(leadingTo: address, from: host)
            #expect(page?.hint == UserMessage("hint.authorize_at", ["url": address]) && page?.exitCode == 5, "\(host)")
        }
        // Another host, or one with a similar name, leads the user nowhere.
        for host in ["mcp.evil.example", "evilgithub.com", "github.com.evil.example", "com"] {
            #expect(failure(leadingTo: address, from: host)?.hint == nil, "\(host)")
        }
        #expect(failure(leadingTo: "http://github.com/orgs/acme/sso", from: "github.com")?.hint == nil)
    }

    /// Servers of plain OAuth may refuse it, such as those of atproto.
    @Test func nonceIsOnlyForAnIDToken() throws {
        #expect(try Fixture.prepared(request(ProviderDialect())).url.query?.contains("nonce=") == false)
        #expect(try Fixture.prepared(request(ProviderDialect(), scopes: ["openid"])).url.query?.contains("&nonce=") == true)
    }

    @Test func tokenRequestsMayHaveMoreHeaders() throws {
        let own = ("X-Identity-Domain", "corp")
        let client = OAuthClient(id: "yett", dialect: Self.dialect { $0.tokenRequestHeaders = [own.0: own.1] })
        #expect(try TokenEndpoint.renew(Secret("rt"), at: Fixture.metadata(), client: client).headers.contains { $0 == own })
        #expect(try DeviceAuthorization.request(scopes: [], at: Fixture.metadata(), client: client).headers.contains { $0 == own })
        #expect(try !Revocation.request(Secret("t"), .refresh, at: Fixture.metadata(), client: client).headers.contains { $0 == own })
    }

    @Test func subjectOfUserInfoMayBeNested() throws {
        let dialect = Self.dialect { $0.identity.subject = MemberPath("data.0.id") }
        func read(_ body: String, subject: String?) throws -> JSONValue {
            try UserInfo.claims(Fixture.json(body), subject: subject, dialect: dialect, host: nil, now: Fixture.now)
        }
        _ = try read(#"{"data":[{"id":7}]}"#, subject: "7")
        _ = try read(#"{"data":[{"id":"ada"}]}"#, subject: nil)
        #expect(Fixture.tokenError { try read(#"{"data":[{"id":"eve"}]}"#, subject: "ada") } == .wrongSubject)
        #expect(Fixture.tokenError { try read(#"{"data":[{"id":"ada"}],"sub":"eve"}"#, subject: "ada") } == .wrongSubject)
        #expect(Fixture.error { try read(#"{"data":[]}"#, subject: nil) }?.kind == .missingMember("data.0.id"))
        #expect(Fixture.error { try read(#"{"data":null,"errors":[{"message":"no"}]}"#, subject: nil) }?.failure.exitCode == 5)
    }

    @Test func revocationHasTheFormOfTheService() throws {
        func request(_ form: ProviderDialect.RevocationForm, _ credential: ClientCredential) throws -> WebRequest {
            let client = OAuthClient(id: "yett", credential: credential, dialect: Self.dialect { $0.revocation = form })
            return try Revocation.request(Secret("t"), .access, at: Fixture.metadata(), client: client)
        }
        for credential in [ClientCredential.post(Secret("s")), .basic(Secret("s"))] {
            let json = try request(.json, credential)
            #expect(body(json) == #"{"token":"t"}"#)
            #expect(json.headers.contains { $0 == ("Authorization", "Basic \(Base64.encode(Array("yett:s".utf8)))") })
        }
        for credential in [ClientCredential.post(Secret("s")), .basic(Secret("s"))] {
            let json = try request(.jsonPost, credential)
            #expect(body(json) == #"{"token":"t","client_id":"yett","client_secret":"s"}"#)
            #expect(!json.headers.contains { $0.name == "Authorization" })
        }
        let named = OAuthClient(id: "yett", dialect: Self.dialect { $0.revocationParameter = "access_token" })
        #expect(try body(Revocation.request(Secret("t"), .access, at: Fixture.metadata(), client: named)).hasPrefix("access_token=t&"))
        let deleting = try request(.deleteJSON, .post(Secret("s")))
        #expect(deleting.method == .delete && body(deleting) == #"{"token":"t"}"#)
        #expect(deleting.headers.contains { $0 == ("Authorization", "Basic \(Base64.encode(Array("yett:s".utf8)))") })
        let empty = try request(.delete, .post(Secret("s")))
        #expect(empty.method == .delete && empty.body.isEmpty)
        #expect(empty.headers.contains { $0 == ("Authorization", "Bearer t") })
        let bearer = try request(.bearer, .post(Secret("s")))
        #expect(bearer.method == .post && bearer.body.isEmpty)
        #expect(bearer.headers.contains { $0 == ("Authorization", "Bearer t") })
        #expect(!bearer.headers.contains { $0.name == "Content-Type" })
    }

    @Test(arguments: [
        (400, #"{"error":"invalid_token"}"#, true), (400, #"{"error":"unsupported_token_type"}"#, true),
        (400, #"{"error":"expired_token"}"#, true), (400, #"{"error":"invalid_grant"}"#, true),
        (200, #"{"ok":false,"error":"token_revoked"}"#, true), (200, #"{"ok":false,"error":"ratelimited"}"#, false),
        (400, #"{"error":"invalid_request"}"#, false), (401, "", false), (403, #"{"error":"invalid_token"}"#, false), (200, "OK", true),
        (400, #"{"message":"Invalid token"}"#, true), (400, #"{"message":"Invalid token_type_hint"}"#, false),
        (400, #"{"message":"Invalid token type hint"}"#, false),
        (400, #"{"error":"invalid_request","error_description":"Value passed for the token was invalid."}"#, true),
        (400, #"{"error":{"message":"Error validating access token: Session has expired","type":"OAuthException","code":190}}"#, true),
    ])
    func answerThatNothingIsLeftCountsAsDone(_ status: Int, _ body: String, _ isDone: Bool) {
        let response = Fixture.json(body, status: status)
        #expect((Fixture.error { try Revocation.validate(response, host: nil, now: Fixture.now) } == nil) == isDone)
        let bearer = Fixture.error { try Revocation.validate(response, host: nil, form: .bearer, now: Fixture.now) }
        #expect((bearer == nil) == (isDone || status == 401))
    }

    /// A token that is gone, in the words of the API. A page of a server in front of it says nothing about the token.
    @Test(arguments: [(#"{"message":"Not Found"}"#, true), ("<html>Not Found</html>", false), ("Not Found", false), ("", false)])
    func missingTokenIsDoneForADeletion(_ body: String, _ isDone: Bool) {
        let response = Fixture.json(body, status: 404)
        for form in ProviderDialect.RevocationForm.allCases {
            let error = Fixture.error { try Revocation.validate(response, host: nil, form: form, now: Fixture.now) }
            #expect((error == nil) == (isDone && form == .deleteJSON), "\(form)")
        }
    }

    @Test func signOutPageMayHaveItsOwnParameters() throws {
        let dialect = Self.dialect {
            $0.endSessionParameters = ["client_id": "{client_id}", "logout_uri": "{redirect}", "mode": "full"]
        }
        func url(_ returnTo: String?, clientID: String = "yett") throws -> String? {
            try EndSessionRequest.url(
                at: Fixture.metadata(), clientID: clientID, idToken: Secret("a.b.c"), returnTo: returnTo, state: Secret("s"),
                dialect: dialect)?.text
        }
        #expect(
            try url("http://localhost/bye")
                == "https://id.example.org/logout?client_id=yett&logout_uri=http%3A%2F%2Flocalhost%2Fbye&mode=full")
        #expect(try url(nil) == "https://id.example.org/logout?client_id=yett&mode=full")
        #expect(try url("x", clientID: "{redirect}") == "https://id.example.org/logout?client_id=%7Bredirect%7D&logout_uri=x&mode=full")
    }

    @Test func claimsAreRequested() throws {
        var request = request(ProviderDialect())
        request.claims = #"{"access_token":{"acrs":null}}"#
        request.extraParameters = ["claims": "{}"]
        let query = try Fixture.required(Fixture.prepared(request).url.query)
        #expect(FormEncoding.decode(query)?.filter { $0.name == "claims" }.map(\.value) == [#"{"access_token":{"acrs":null}}"#])
    }
}
