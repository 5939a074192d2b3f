import AuthModel
import Testing
@testable import OAuth

private typealias Member = JSONValue.Member

/// Dynamic registration (RFC 7591, RFC 7592) and client-ID metadata documents.
@Suite struct ClientRegistrationTests {
    private static let registration = ClientRegistration(
        name: "Yett", redirectURIs: ["http://127.0.0.1/callback", "http://[::1]/callback"], scopes: ["openid"])
    private static let answer: JSONValue = [
        "client_id": "s6BhdRkqt3", "client_id_issued_at": 2_893_256_800,
        "redirect_uris": ["http://127.0.0.1/callback", "http://[::1]/callback"],
        "token_endpoint_auth_method": "none", "registration_client_uri": "https://id.example.org/register/s6BhdRkqt3",
        "registration_access_token": "reg-23410913-abewfq.123483", "unknown": [:],
    ]

    private func read(_ changes: [JSONValue.Member] = [], status: Int = 201) throws -> RegisteredClient {
        try RegisteredClient(
            Fixture.json(Self.answer.replacing(changes).text, status: status), to: Self.registration, from: Fixture.metadata(),
            now: Fixture.now)
    }

    @Test func registersANativePublicClient() throws {
        // RP-36.
        let request = try Self.registration.request(at: Fixture.metadata())
        #expect(request.method == .post)
        #expect(request.url.text == "https://id.example.org/register")
        #expect(request.headers.contains { $0 == ("Content-Type", "application/json") })
        #expect(!request.headers.contains { $0.name == "Authorization" })
        #expect(
            try JSONValue(strict: request.body) == [
                "client_name": "Yett", "application_type": "native",
                "redirect_uris": ["http://127.0.0.1/callback", "http://[::1]/callback"],
                "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"], "token_endpoint_auth_method": "none",
                "scope": "openid",
            ])
    }

    @Test(
        "a server that lists secrets only gets a client with a secret",
        arguments: [
            (nil, "none"), ([], "none"), (["none"], "none"), (["client_secret_basic", "none"], "none"),
            (["client_secret_post", "client_secret_basic"], "client_secret_post"), (["client_secret_basic"], "client_secret_basic"),
            (["private_key_jwt", "client_secret_basic"], "client_secret_basic"), (["private_key_jwt"], "none"),
        ] as [([String]?, String)])
    func selectsAnAuthenticationMethodOfTheServer(_ methods: [String]?, _ method: String) {
        #expect(ClientRegistration.authenticationMethod(among: methods) == method)
        var registration = ClientRegistration(name: "Yett", redirectURIs: [])
        registration.authenticationMethod = method
        #expect(registration.metadata["token_endpoint_auth_method"]?.string == method)
    }

    @Test(arguments: [
        (401, #"{"error":"invalid_client"}"#, true), (400, #"{"error":"invalid_client"}"#, true),
        (400, #"{"error":"invalid_grant"}"#, false),
        (401, "", false), (503, #"{"error":"invalid_client"}"#, false), (200, #"{"error":"invalid_client"}"#, false),
    ])
    func detectsAForgottenClient(_ status: Int, _ body: String, _ isUnknownClient: Bool) {
        #expect(ClientCheck.isUnknownClient(Fixture.json(body, status: status)) == isUnknownClient)
    }

    @Test func sendsOptionalMetadata() throws {
        var registration = Self.registration
        registration.requiresProof = true
        registration.scopes = []
        registration.grantTypes.append("urn:ietf:params:oauth:grant-type:device_code")
        #expect(registration.metadata["dpop_bound_access_tokens"] == true)
        #expect(registration.metadata["scope"] == nil)
        #expect(registration.metadata["grant_types"]?.strings?.count == 3)
        let request = try registration.request(at: Fixture.metadata(), initialAccessToken: Secret("first"))
        #expect(request.headers.contains { $0 == ("Authorization", "Bearer first") })
        let none = try Fixture.metadata([Member("registration_endpoint", .null)])
        #expect(Fixture.error { try registration.request(at: none) }?.kind == .noEndpoint("phrase.registration_endpoint"))
    }

    @Test(arguments: [(nil, true), (["https://other.example/"], false), (["http://127.0.0.1/bye"], true)] as [([String]?, Bool)])
    func postLogoutRedirectsComeFromTheResponse(_ answered: [String]?, _ isRegistered: Bool) throws {
        var registration = Self.registration
        registration.postLogoutRedirectURIs = ["http://127.0.0.1/bye"]
        #expect(registration.metadata["post_logout_redirect_uris"] == ["http://127.0.0.1/bye"])
        let changes = answered.map { [JSONValue.Member("post_logout_redirect_uris", .array($0.map(JSONValue.string)))] } ?? []
        let client = try RegisteredClient(
            Fixture.json(Self.answer.replacing(changes).text, status: 201), to: registration, from: Fixture.metadata(), now: Fixture.now)
        #expect(client.postLogoutRedirectURIs == (isRegistered ? registration.postLogoutRedirectURIs : []))
    }

    @Test(arguments: [200, 201]) func readsAValidResponse(_ status: Int) throws {
        let client = try read(status: status)
        #expect(client.issuer == (try Fixture.issuer))
        #expect(client.clientID == "s6BhdRkqt3")
        #expect(client.secret == nil)
        #expect(client.management?.url.text == "https://id.example.org/register/s6BhdRkqt3")
        #expect(client.management?.token == Secret("reg-23410913-abewfq.123483"))
        #expect(try client.credential(now: Fixture.now) == .none)
    }

    @Test(arguments: [
        "client_id", "client_secret", "redirect_uris", "token_endpoint_auth_method", "client_secret_expires_at",
    ])
    func refusesWrongTypes(_ name: String) {
        for value in [true, [:], [7]] as [JSONValue] {
            guard case .wrongMember(name, _)? = Fixture.error({ try read([Member(name, value)]) })?.kind else {
                Issue.record("\(name) = \(value.text) was taken")
                continue
            }
        }
    }

    @Test(arguments: ["", "é", "a\u{1B}[2J", "a\nb", String(repeating: "a", count: 1025)]) func refusesInvalidClientIDs(_ clientID: String)
    {
        guard case .wrongMember("client_id", _)? = Fixture.error({ try read([Member("client_id", .string(clientID))]) })?.kind else {
            Issue.record("taken")
            return
        }
    }

    @Test func requiresAClientID() {
        #expect(Fixture.error { try read([Member("client_id", .null)]) }?.kind == .missingMember("client_id"))
    }

    @Test(arguments: ["http://id.example.org/r", "javascript:x", "https://a@id.example.org/r", "https://id.example.org/r#x", "/r"])
    func ignoresAnUnusableManagementURL(_ url: String) throws {
        let client = try read([Member("registration_client_uri", .string(url))])
        #expect(client.management == nil)
        #expect(client.clientID == "s6BhdRkqt3")
    }

    @Test(arguments: ["registration_client_uri", "registration_access_token"]) func ignoresUnusableManagementData(_ name: String) throws {
        for value in [true, [:], [7], ""] as [JSONValue] { #expect(try read([Member(name, value)]).management == nil) }
    }

    @Test(arguments: ["registration_client_uri", "registration_access_token"]) func managementNeedsURLAndToken(_ name: String) throws {
        let client = try read([Member(name, .null)])
        #expect(client.management == nil)
        #expect(client.deletion == nil)
    }

    /// A server that registers only the clients that it knows refuses all others in many ways.
    @Test(arguments: [
        (403, #"{"error":"access_denied"}"#, true), (403, #"{"error":"insufficient_scope"}"#, true), (403, "", true), (404, "", true),
        (401, #"{"message":"Unauthorized"}"#, true), (405, "<html>", true), (400, #"{"error":"invalid_client_metadata"}"#, false),
        (503, "", false),
    ])
    func closedRegistrationAsksForAClient(_ status: Int, _ body: String, _ isClosed: Bool) {
        let error = Fixture.error {
            try RegisteredClient(
                Fixture.json(body, status: status), to: Self.registration, from: Fixture.metadata(), now: Fixture.now)
        }
        #expect(error != nil && (error?.failure.hint == "hint.client_by_hand") == isClosed)
    }

    @Test func refusesOtherRedirectURIs() {
        for redirects in [[], ["https://evil.example/"], ["http://127.0.0.1/callback"]] as [JSONValue] {
            let error = Fixture.error { try read([Member("redirect_uris", redirects)]) }
            #expect(error?.kind == .mismatch(what: "phrase.redirect_address"))
            #expect(error?.failure.exitCode == 8)
        }
        #expect(Fixture.error { try read([Member("redirect_uris", .null)]) } == nil)
    }

    /// Fastmail gives an address back without its port, with another name of this machine.
    @Test(arguments: [
        (["http://localhost/callback"], true), (["http://127.0.0.1/callback"], true), (["http://127.0.0.1:8400/callback"], true),
        (["http://localhost:8401/callback"], false), (["http://localhost/other"], false), (["http://[::1]/callback"], false),
        (["https://localhost/callback"], false), (["http://localhost.example.org/callback"], false),
        (["http://localhost/callback?a=b"], false),
    ])
    func loopbackAddressMayLoseItsPort(redirects: [String], isAccepted: Bool) throws {
        var registration = Self.registration
        registration.redirectURIs = ["http://127.0.0.1:8400/callback"]
        let body = Self.answer.replacing([Member("redirect_uris", JSONValue(redirects))])
        let error = Fixture.error {
            try RegisteredClient(
                Fixture.json(body.text, status: 201), to: registration, from: try Fixture.metadata(), now: Fixture.now)
        }
        #expect((error == nil) == isAccepted)
    }

    /// A secret that comes without the name of a method is used as the server accepts it.
    @Test(
        arguments: [
            (["client_secret_post", "client_secret_basic"], ClientCredential.basic(Secret("s&cret"))),
            (["client_secret_post"], .post(Secret("s&cret"))), (["none"], .none), (["private_key_jwt"], .basic(Secret("s&cret"))),
            (nil, .basic(Secret("s&cret"))),
        ] as [([String]?, ClientCredential)])
    func unnamedMethodIsOneThatTheServerAccepts(methods: [String]?, credential: ClientCredential) throws {
        let body = Self.answer.replacing([Member("token_endpoint_auth_method", .null), Member("client_secret", "s&cret")])
        let list = Member("token_endpoint_auth_methods_supported", methods.map { JSONValue($0) } ?? .null)
        let client = try RegisteredClient(
            Fixture.json(body.text, status: 201), to: Self.registration, from: Fixture.metadata([list]), now: Fixture.now)
        #expect(try client.credential(now: Fixture.now) == credential)
    }

    @Test func usesTheRegisteredAuthenticationMethod() throws {
        let secret = Member("client_secret", "s&cret")
        let end = Member("client_secret_expires_at", .number(Fixture.now.seconds + 60))
        func credential(_ method: JSONValue, _ more: [JSONValue.Member] = [secret, end]) throws -> ClientCredential {
            try read([Member("token_endpoint_auth_method", method)] + more).credential(now: Fixture.now)
        }
        #expect(try credential("client_secret_basic") == .basic(Secret("s&cret")))
        #expect(try credential("client_secret_post") == .post(Secret("s&cret")))
        #expect(try credential(.null) == .basic(Secret("s&cret")))
        #expect(try credential("none") == .none)
        #expect(try credential(.null, []) == .none)
        #expect(Fixture.error { try credential("private_key_jwt") }?.failure.exitCode == 2)
        #expect(Fixture.error { try credential("client_secret_basic", []) }?.failure.exitCode == 2)
        let over = Member("client_secret_expires_at", .number(Fixture.now.seconds))
        #expect(Fixture.error { try credential("client_secret_post", [secret, over]) }?.failure.exitCode == 2)
        #expect(try read([secret, Member("client_secret_expires_at", "1800000000")]).secretExpiresAt == Fixture.now)
        let never = try read([secret, Member("client_secret_expires_at", 0)])
        #expect(never.secretExpiresAt == nil)
    }

    @Test func reportsErrorResponses() throws {
        func error(_ body: String, _ status: Int) throws -> OAuthError? {
            Fixture.error {
                try RegisteredClient(Fixture.json(body, status: status), to: Self.registration, from: Fixture.metadata(), now: Fixture.now)
            }
        }
        let refused = OAuthError.Kind.refused(ServerError(code: "invalid_redirect_uri"), status: 400)
        #expect(try error(#"{"error":"invalid_redirect_uri"}"#, 400)?.kind == refused)
        #expect(try error(#"{"error":"invalid_redirect_uri"}"#, 201)?.failure.exitCode == 5)
        #expect(try error("<html>", 201)?.kind == .notJSON(isHTML: true))
        #expect(try error("", 301)?.failure.exitCode == 8)
    }

    @Test func deletesWithTheRegistrationToken() throws {
        // RFC 7592 section 2.3.
        let deletion = try Fixture.required(read().deletion)
        #expect(deletion.method == .delete)
        #expect(deletion.url.text == "https://id.example.org/register/s6BhdRkqt3")
        #expect(deletion.headers.contains { $0 == ("Authorization", "Bearer reg-23410913-abewfq.123483") })
        for status in [200, 204, 401, 404, 410] {
            #expect(
                Fixture.error { try RegisteredClient.validateDeletion(WebResponse(status: status), host: nil, now: Fixture.now) } == nil)
        }
        for (status, exit) in [(403, 7), (405, 7), (500, 7), (302, 8)] {
            let error = Fixture.error { try RegisteredClient.validateDeletion(WebResponse(status: status), host: nil, now: Fixture.now) }
            #expect(error?.failure.exitCode == Int32(exit), "\(status)")
        }
    }

    @Test(
        arguments: [
            ("https://client.example.org/yett.json", true), ("https://client.example.org:8443/a/b", true),
            ("https://client.example.org", false), ("https://client.example.org/", false), ("http://client.example.org/c", false),
            ("http://127.0.0.1/c", false), ("https://client.example.org/a/../c", false), ("https://client.example.org/./c", false),
            ("https://client.example.org/%2e%2E/c", false), ("https://client.example.org/.%2e/c", false),
            ("https://client.example.org/c#x", false), ("https://client.example.org/c?x", false),
            ("https://u:p@client.example.org/c", false),
            ("yett", false), ("", false), ("https://client.example.org/..c/.d", true),
        ])
    func recognizesURLsAsClientIDs(_ text: String, _ isOne: Bool) {
        #expect(ClientIDDocument.url(text)?.text == (isOne ? text : nil))
    }

    @Test func clientIDDocumentDescribesTheClient() throws {
        let document = ClientIDDocument.document(Self.registration, clientID: try Fixture.url("https://client.example.org/yett.json"))
        #expect(document["client_id"] == "https://client.example.org/yett.json")
        #expect(document["token_endpoint_auth_method"] == "none")
        #expect(document["application_type"] == "native")
        #expect(try !Fixture.metadata().supportsClientIDDocuments)
        #expect(try Fixture.metadata([Member("client_id_metadata_document_supported", true)]).supportsClientIDDocuments)
    }
}
