import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Device authorization requests and responses (RFC 8628 sections 3.1 and 3.2).
@Suite struct DeviceAuthorizationTests {
    @Test func sendsClientAndScopes() throws {
        // N-28.
        let request = try DeviceAuthorization.request(
            scopes: ["openid", "profile"], resources: ["https://api.example.org"],
            extraParameters: ["audience": "a&b", "resource": "other"],
            at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        #expect(request.method == .post)
        #expect(request.url.text == "https://id.example.org/device")
        #expect(request.headers.contains { $0 == ("Content-Type", "application/x-www-form-urlencoded") })
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "scope=openid%20profile&resource=https%3A%2F%2Fapi.example.org&audience=a%26b&client_id=yett")
    }

    /// Google refuses what is for a page in this browser.
    @Test func parametersOfThePageAreLeftOut() throws {
        let request = try DeviceAuthorization.request(
            scopes: ["openid"], extraParameters: ["access_type": "offline", "prompt": "consent", "audience": "a"], at: Fixture.metadata(),
            client: OAuthClient(id: "yett"))
        #expect(String(decoding: request.body, as: UTF8.self) == "scope=openid&audience=a&client_id=yett")
    }

    /// Keycloak, for a client that it lets sign in with PKCE only.
    @Test func providerMayWantPKCE() throws {
        let client = OAuthClient(id: "yett")
        let refused = Fixture.json(
            #"{"error":"invalid_request","error_description":"Missing parameter: code_challenge_method"}"#, status: 400)
        #expect(DeviceAuthorization.wantsPKCE(refused))
        #expect(!DeviceAuthorization.wantsPKCE(Fixture.json(#"{"error":"invalid_request"}"#, status: 400)))
        var random = Fixture.Counter(state: 7)
        let verifier = DeviceAuthorization.verifier(using: &random)
        let request = try DeviceAuthorization.request(scopes: [], verifier: verifier, at: Fixture.metadata(), client: client)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == "code_challenge=\(PKCE.challenge(for: verifier))&code_challenge_method=S256&client_id=yett")
        let answer = try DeviceAuthorization(
            Fixture.json(DeviceFixture.document.text), from: Fixture.metadata(), client: client, scopes: [], verifier: verifier,
            now: Fixture.now)
        let poll = try TokenEndpoint.poll(answer, at: Fixture.metadata(), client: client)
        #expect(String(decoding: poll.body, as: UTF8.self).contains("&code_verifier=\(verifier.reveal())&"))
    }

    /// Some servers need the client's identifier in the form even then.
    @Test func authenticatesAConfidentialClient() throws {
        let client = OAuthClient(id: "yett", credential: .basic(Secret("s")))
        let request = try DeviceAuthorization.request(scopes: [], at: Fixture.metadata(), client: client)
        #expect(request.headers.contains { $0.name == "Authorization" && $0.value.hasPrefix("Basic ") })
        #expect(String(decoding: request.body, as: UTF8.self) == "client_id=yett")
    }

    @Test(arguments: ["client_id", "scope", "client_secret", "request_uri"]) func extraParametersCannotReplaceOurs(_ name: String) throws {
        let error = Fixture.error {
            try DeviceAuthorization.request(
                scopes: [], extraParameters: [name: "x"], at: Fixture.metadata(), client: OAuthClient(id: "yett"))
        }
        #expect(error?.kind == .misconfigured(UserMessage("authorization.extra_params_must_not_set", ["parameter": name])))
    }

    @Test func refusesInvalidRequests() throws {
        let metadata = try Fixture.metadata()
        let client = OAuthClient(id: "yett")
        #expect(Fixture.error { try DeviceAuthorization.request(scopes: ["a\"b"], at: metadata, client: client) }?.failure.exitCode == 2)
        #expect(
            Fixture.error { try DeviceAuthorization.request(scopes: [], at: metadata, client: OAuthClient(id: "")) }?.failure.exitCode == 2)
        let none = try Fixture.metadata([Member("device_authorization_endpoint", .null)])
        #expect(
            Fixture.error { try DeviceAuthorization.request(scopes: [], at: none, client: client) }?.kind
                == .noEndpoint("phrase.device_authorization_endpoint"))
    }

    @Test func readsTheExampleOfTheRFC() throws {
        // RFC 8628 section 3.2.
        let body = """
            {"device_code": "GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS", "user_code": "WDJB-MJHT",
             "verification_uri": "https://example.com/device", "verification_uri_complete": "https://example.com/device?user_code=WDJB-MJHT",
             "expires_in": 1800, "interval": 5}
            """
        let answer = try DeviceAuthorization(
            Fixture.json(body), from: Fixture.metadata(), client: OAuthClient(id: "yett"), scopes: ["openid"], now: Fixture.now)
        #expect(answer.deviceCode == Secret("GmRhmhcxhwAzkoEqiMEg_DnyEysNkuNhszIySk9eS"))
        #expect(answer.userCode == "WDJB-MJHT")
        #expect(answer.page.text == "https://example.com/device")
        #expect(answer.completePage?.text == "https://example.com/device?user_code=WDJB-MJHT")
        #expect(answer.ignoredCompleteHost == nil)
        #expect(answer.lifetime == .seconds(1800))
        #expect(answer.interval == .seconds(5))
        #expect(answer.scopes == ["openid"])
    }

    @Test("DEV-08: required members", arguments: ["device_code", "user_code", "verification_uri", "expires_in"])
    func requiresMember(_ member: String) {
        for value in [nil, JSONValue.null] {
            var document = DeviceFixture.document.members ?? []
            document.removeAll { $0.name == member }
            if let value { document.append(Member(member, value)) }
            #expect(Fixture.error { try DeviceFixture.read(.object(document)) }?.kind == .missingMember(member))
        }
    }

    @Test(arguments: ["device_code", "user_code", "verification_uri", "verification_uri_complete", "expires_in", "interval"])
    func refusesWrongTypes(_ name: String) {
        for value in [true, [], [:], ["text"]] as [JSONValue] {
            guard case .wrongMember(let member, _)? = Fixture.error({ try DeviceFixture.read([Member(name, value)]) })?.kind else {
                Issue.record("\(name) = \(value.text) was taken")
                continue
            }
            #expect(member == name)
        }
    }

    @Test(
        "DEV-11: pages that are never shown",
        arguments: [
            "javascript:alert(1)", "file:///etc/passwd", "http://id.example.org/device", "http://localhost/device",
            "https://user@id.example.org/device", "https://id.example.org/de vice", "https://id.exämple.org/", "//id.example.org", "device",
            "http://127.0.0.1:8080/device", "https://[::1]/device", "https://localhost/device", "https://0.0.0.0/device",
            "https://id.example.org/\u{1B}[2J",
        ])
    func refusesUnsafePages(_ page: String) {
        let error = Fixture.error { try DeviceFixture.read([Member("verification_uri", .string(page))]) }
        #expect(error?.kind == .unsafeEndpoint(member: "verification_uri"))
        #expect(error?.failure.exitCode == 8)
    }

    @Test(arguments: ["https://id.example.org/#/device", "https://other.example/device"])
    func acceptsHTTPSPages(_ page: String) throws {
        #expect(try DeviceFixture.read([Member("verification_uri", .string(page))]).page.text == page)
    }

    /// Better Auth names its page by a path.
    @Test func pathIsOneOfTheServer() throws {
        let changes = [Member("verification_uri", "/device"), Member("verification_uri_complete", "/device?user_code=WDJB-MJHT")]
        #expect(try DeviceFixture.read(changes).page.text == "https://id.example.org/device")
        #expect(try DeviceFixture.read(changes).completePage?.text == "https://id.example.org/device?user_code=WDJB-MJHT")
    }

    @Test func acceptsVerificationURL() throws {
        let changes = [Member("verification_uri", .null), Member("verification_url", "https://www.example.com/device")]
        #expect(try DeviceFixture.read(changes).page.text == "https://www.example.com/device")
        let unsafe = [Member("verification_uri", .null), Member("verification_url", "http://www.example.com/device")]
        #expect(Fixture.error { try DeviceFixture.read(unsafe) }?.kind == .unsafeEndpoint(member: "verification_uri"))
    }

    @Test(
        "DEV-12: codes that are never shown",
        arguments: [
            "WDJB\u{1B}[31m", "WDJB\u{9B}2J", "WDJB\nMJHT", "WDJB\u{202E}", "WDJB\u{200B}MJHT", "ＷDJB", "WDJBé", " WDJB", "WDJB ", "\u{7F}",
            String(repeating: "A", count: 65),
        ])
    func refusesUnsafeUserCodes(_ code: String) {
        guard case .wrongMember("user_code", _)? = Fixture.error({ try DeviceFixture.read([Member("user_code", .string(code))]) })?.kind
        else {
            Issue.record("\(code.debugDescription) was taken")
            return
        }
    }

    @Test(arguments: ["WDJB-MJHT", "0123 4567", "a1b2c3d4e", "A", "J4X9/K2"]) func acceptsUserCodes(_ code: String) throws {
        #expect(try DeviceFixture.read([Member("user_code", .string(code))]).userCode == code)
    }

    @Test(
        "DEV-13: a complete page of another origin",
        arguments: [
            ("https://evil.example/device?user_code=A", "evil.example"), ("https://id.example.org:8443/device", "id.example.org:8443"),
            ("http://id.example.org/device?user_code=A", "id.example.org"), ("javascript:alert(1)", nil), ("", nil),
        ] as [(String, String?)])
    func ignoresACompletePageOfAnotherOrigin(_ page: String, _ host: String?) throws {
        let answer = try DeviceFixture.read([Member("verification_uri_complete", .string(page))])
        #expect(answer.completePage == nil)
        #expect(answer.ignoredCompleteHost == host)
        #expect(answer.page.text == "https://id.example.org/device")
    }

    @Test(
        arguments: [
            (nil, 5), (.null, 5), (7, 7), (.number("5.2"), 6), (.number("0"), 5), (.number("0.2"), 1), (-3, 5), (.string("9"), 9),
        ] as [(JSONValue?, Int64)])
    func readsTheInterval(_ value: JSONValue?, _ seconds: Int64) throws {
        // DEV-04, N-30.
        let answer = try DeviceFixture.read([Member("interval", value ?? .null)])
        #expect(answer.interval == .seconds(seconds))
    }

    /// Facebook's name for the device code.
    @Test func acceptsCode() throws {
        let members = DeviceFixture.document.members?.filter { $0.name != "device_code" } ?? []
        let client = OAuthClient(id: Fixture.clientID)
        let answer = try DeviceFixture.read(.object(members + [Member("code", "older-code")]))
        let poll = try TokenEndpoint.poll(answer, at: Fixture.metadata(), client: client)
        #expect(String(decoding: poll.body, as: UTF8.self).contains("device_code=older-code"))
        let both = try TokenEndpoint.poll(DeviceFixture.read([Member("code", "older-code")]), at: Fixture.metadata(), client: client)
        #expect(String(decoding: both.body, as: UTF8.self).contains("device_code=the-device-code"))
    }

    /// Salesforce names no lifetime.
    @Test func lifetimeMayBeOfTheService() throws {
        var client = OAuthClient(id: Fixture.clientID)
        client.dialect.device.lifetime = 600
        func lifetime(_ value: JSONValue) throws -> Duration {
            let body = DeviceFixture.document.replacing([Member("expires_in", value)]).text
            return try DeviceAuthorization(
                Fixture.json(body), from: Fixture.metadata(), client: client, scopes: [], now: Fixture.now
            ).lifetime
        }
        #expect(try lifetime(.null) == .seconds(600))
        #expect(try lifetime(30) == .seconds(30))
    }

    @Test(arguments: [0, -1] as [JSONValue]) func refusesExpiredCodes(_ lifetime: JSONValue) {
        #expect(Fixture.error { try DeviceFixture.read([Member("expires_in", lifetime)]) } != nil)
    }

    @Test func reportsErrorResponses() throws {
        func error(_ body: String, _ status: Int) throws -> OAuthError? {
            Fixture.error {
                try DeviceAuthorization(
                    Fixture.json(body, status: status), from: Fixture.metadata(), client: OAuthClient(id: "yett"), scopes: [],
                    now: Fixture.now)
            }
        }
        let refused = OAuthError.Kind.refused(ServerError(code: "unauthorized_client"), status: 400)
        #expect(try error(#"{"error":"unauthorized_client"}"#, 400)?.kind == refused)
        #expect(try error(#"{"error":"unauthorized_client"}"#, 200)?.failure.kind == .denied(code: "unauthorized_client"))
        #expect(try error("<html>", 200)?.kind == .notJSON(isHTML: true))
        #expect(try error("", 302)?.failure.exitCode == 8)
        #expect(try error("", 503)?.failure.isTransient == true)
    }

    @Test func deviceCodeIsNotPrinted() throws {
        // DEV-14.
        let answer = try DeviceFixture.read([])
        var dumped = ""
        dump(answer, to: &dumped)
        #expect(!dumped.contains("the-device-code"))
        #expect(!"\(answer)".contains("the-device-code"))
    }
}
