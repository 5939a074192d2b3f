import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Synchronization
import TestSupport
import Testing

/// Sign-ins, requests and sign-outs at services that differ from the standards.
@Suite("Services that differ from the standards", .serialized)
struct DialectTests {
    /// A transport that changes some of the sandbox's responses.
    final class ChangingTransport: HTTPTransport {
        typealias Change = @Sendable (WebRequest, WebResponse) -> WebResponse

        private let inner = CurlTransport(version: "test", environment: [:])
        private let change: Change
        private let sent = Mutex<[WebRequest]>([])

        init(_ change: @escaping Change = { $1 }) { self.change = change }

        var requests: [WebRequest] { sent.withLock(\.self) }

        func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
            sent.withLock { $0.append(request) }
            return change(request, try await inner.send(request, policy: policy))
        }
    }

    /// Replaces members of the token response.
    private static func tokens(_ members: [JSONValue.Member]) -> ChangingTransport {
        ChangingTransport { request, response in
            guard request.url.path == "/token", let old = (try? JSONValue(strict: response.body))?.members else { return response }
            let kept = old.filter { member in !members.contains { $0.name == member.name } }
            return WebResponse(
                status: response.status, headers: response.headers,
                body: Array(JSONValue.object(kept + members.filter { $0.value != .null }).text.utf8))
        }
    }

    @Test func identityComesFromTheTokenResponse() async throws {
        let transport = Self.tokens([.init("owner", ["user": ["id": "u1", "login": "countess"]]), .init("id_token", .null)])
        try await EngineFixture.runSignedIn(through: transport) {
            $0.kind = .oauth2
            $0.dialect.userInfo = .off
            $0.dialect.identity = .init(subject: MemberPath("owner.user.id"), name: MemberPath("owner.user.login"))
        } _: { world, session in
            #expect(session.name.account == "countess")
            #expect(session.subject == "u1")
            #expect(!world.sandbox.requests.contains { $0.path == "/userinfo" })
            let info = try await world.engine.session(session.name).identity.userInfo
            #expect(info["access_token"] == nil && info["preferred_username"] == "countess")
        }
    }

    /// APIs have the user in an object of the answer. Without a configured place, the common ones are looked at.
    @Test(arguments: [
        #"{"data":{"id":7,"username":"countess"}}"#, #"{"data":{"viewer":{"id":"7","login":"countess"}}}"#,
        #"{"ok":true,"result":[{"user_id":"7","username":"countess"}]}"#, #"{"user":{"uuid":"7","email":"countess"},"id":null,"uid":7}"#,
        #"{"data":{"account_id":9,"email":"7","preferred_username":"countess"}}"#,
    ])
    func userMayBeInAnObjectOfUserInfo(_ body: String) async throws {
        let transport = ChangingTransport { request, response in
            guard request.url.path == "/userinfo" else { return response }
            return WebResponse(status: 200, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        let isWhole = body.contains("uid\":7")
        try await EngineFixture.runSignedIn(through: transport) {
            $0.kind = .oauth2
            $0.scopes = ["profile"]
        } _: { world, session in
            #expect(session.subject == "7")
            // A document that identifies the user itself is used as it is.
            #expect(session.name.account == (isWhole ? "7" : "countess"))
        }
    }

    @Test func missingSubjectInTheTokenResponseIsReported() async throws {
        try await EngineFixture.run {
            $0.kind = .oauth2
            $0.dialect.userInfo = .off
            $0.dialect.identity.subject = MemberPath("owner.id")
        } _: { world in
            let outcome = try await world.signIn()
            #expect(outcome.failure?.message.english.contains("lacks owner.id") == true, "\(String(describing: outcome.failure))")
        }
    }

    @Test func apiHostOfTheSessionGetsItsTokenOnly() async throws {
        let transport = Self.tokens([.init("instance_url", "http://127.0.0.1:9")])
        try await EngineFixture.runSignedIn(through: transport) {
            $0.dialect.apiHostPath = MemberPath("instance_url")
        } _: { world, session in
            let own = try #require(WebURL("http://127.0.0.1:9/api"))
            for name in [session.name, try #require(SessionName("sandbox"))] {
                let issued = try await world.engine.token(TokenRequest(session: name, resource: own))
                #expect(issued.resource?.origin == own.origin)
                await #expect(throws: AuthFailure.self) {
                    try await world.engine.token(TokenRequest(session: name, resource: WebURL("http://127.0.0.1:10/api")))
                }
            }
            #expect(try await world.engine.session(session.name).apiHosts == ["127.0.0.1:9"])
            // Without the key, the record alone admits nothing.
            let plain = try EngineFixture(sandbox: world.sandbox, store: world.store)
            await #expect(throws: AuthFailure.self) {
                try await plain.engine.token(TokenRequest(session: session.name, resource: own))
            }
        }
    }

    @Test(arguments: [
        (ProviderDialect.RevokedTokens.both, ["refresh_token", "access_token"]), (.refresh, ["refresh_token"]),
        (.access, ["access_token"]),
    ])
    func onlyTheTokensThatTheServiceRevokesAreSent(revokes: ProviderDialect.RevokedTokens, hints: [String]) async throws {
        try await EngineFixture.runSignedIn {
            $0.dialect.revokes = revokes
        } _: { (world, session) async throws in
            #expect(try await world.engine.signOut(session.name, mode: .revoke).isComplete)
            #expect(world.sandbox.requests.filter { $0.path == "/revoke" }.map { $0.field("token_type_hint") } == hints)
        }
    }

    /// An expired token cannot revoke itself and its refresh token.
    @Test func expiredTokenIsRenewedBeforeItRevokesItself() async throws {
        let transport = ChangingTransport { request, response in
            request.url.path == "/revoke" ? WebResponse(status: 200) : response
        }
        try await EngineFixture.runSignedIn(through: transport) {
            $0.dialect.revocation = .bearer
            $0.dialect.revokes = .access
        } _: { world, session in
            let old = try await world.engine.token(TokenRequest(session: session.name)).token.reveal()
            world.time.advance(by: .seconds(7200))
            #expect(try await world.engine.signOut(session.name, mode: .revoke).isComplete)
            #expect(world.count(of: "refresh_token") == 1)
            let sent = try #require(transport.requests.last { $0.url.path == "/revoke" })
            let field = try #require(sent.headers.first { $0.name == "Authorization" }?.value)
            #expect(field.hasPrefix("Bearer ") && field != "Bearer \(old)" && sent.body.isEmpty)
        }
    }

    /// A service without refresh tokens, as Instagram: the sign-in's token is exchanged for a longer one, and that one renews itself.
    private static func selfRenewing(_ configuration: inout ProviderConfiguration) {
        let issuer = configuration.issuer?.text ?? ""
        configuration.kind = .oauth2
        configuration.scopes = ["profile"]
        configuration.dialect.longLivedGrant = "ig_exchange_token"
        configuration.dialect.longLivedEndpoint = WebURL(issuer + "/longer")
        configuration.dialect.renewalGrant = "ig_refresh_token"
        configuration.dialect.refreshEndpoint = WebURL(issuer + "/again")
        configuration.dialect.apiErrors = ["190": .ended]
    }

    private static func selfRenewingService(again: @escaping @Sendable () -> WebResponse) -> ChangingTransport {
        ChangingTransport { request, response in
            switch request.url.path {
            case "/longer": Self.json(#"{"access_token":"long-token-1","token_type":"bearer","expires_in":5183944}"#)
            case "/again": again()
            case "/userinfo": Self.json(#"{"id":"7","username":"countess"}"#)
            default: response
            }
        }
    }

    private static func json(_ text: String, status: Int = 200) -> WebResponse {
        WebResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(text.utf8))
    }

    /// The server of PagerDuty's MCP server has the endpoints of another one, and passes on what that one issues.
    @Test(arguments: [true, false]) func idTokenOfAServerBehindIsIgnoredOnlyAtAResource(isResource: Bool) async throws {
        let transport = ChangingTransport { request, response in
            guard request.url.path.contains("/.well-known/"), let members = response.document?.members else { return response }
            let changed = members.map { member in
                guard member.name == "issuer", let issuer = member.value.string else { return member }
                return JSONValue.Member("issuer", .string(issuer.replacing("127.0.0.1", with: "localhost")))
            }
            return Self.json(JSONValue.object(changed).text)
        }
        let sandbox = SandboxConfiguration(autoApproves: "ada").with { $0.issuerParameter = .absent }
        try await EngineFixture.run(sandbox, through: transport) { configuration in
            configuration.issuer = Issuer((configuration.issuer?.text ?? "").replacing("127.0.0.1", with: "localhost"))
            configuration.dialect.resourceParameter = .off
            if isResource { configuration.resources = ["https://mcp.example.org/mcp"] }
        } _: { world in
            let outcome = try await world.signIn()
            guard isResource else {
                #expect(outcome.failure?.kind == .security, "\(String(describing: outcome.failure))")
                return
            }
            let session = try #require(outcome.result).get()
            #expect(session.warnings.contains { $0.code == "session.id_token_of_other_server" })
            #expect(try await world.engine.token(TokenRequest(session: session.name)).token.isEmpty == false)
            await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: session.name, wanted: .id)) }
        }
    }

    @Test func accessTokenMayRenewItself() async throws {
        let transport = Self.selfRenewingService {
            Self.json(#"{"access_token":"long-token-2","token_type":"bearer","expires_in":5183944}"#)
        }
        try await EngineFixture.runSignedIn(through: transport, change: Self.selfRenewing) { world, session in
            #expect(session.isRenewable && session.refreshExpiresAt == session.accessExpiresAt)
            #expect(!session.warnings.contains { $0.code.hasPrefix("session.no_refresh_token_") })
            #expect(try await world.engine.token(TokenRequest(session: session.name)).token == Secret("long-token-1"))
            let exchange = try #require(transport.requests.first { $0.url.path == "/longer" })
            #expect(exchange.method == .get && exchange.url.query?.hasPrefix("grant_type=ig_exchange_token&access_token=") == true)
            _ = try await world.engine.renew(session.name)
            #expect(try await world.engine.token(TokenRequest(session: session.name)).token == Secret("long-token-2"))
            let renewal = try #require(transport.requests.last { $0.url.path == "/again" })
            #expect(renewal.url.query?.hasPrefix("grant_type=ig_refresh_token&access_token=long-token-1&") == true)
            #expect(world.count(of: "refresh_token") == 0)
            // The token is not revoked twice.
            #expect(try await world.engine.signOut(session.name, mode: .revoke).isComplete)
            let revoked = world.sandbox.requests.filter { $0.path == "/revoke" }
            #expect(revoked.map { $0.field("token") } == ["long-token-2"])
            #expect(revoked.map { $0.field("token_type_hint") } == ["access_token"])
        }
    }

    /// Instagram does not renew a token in its first day, and says with code 190 that one has ended.
    @Test func refusedRenewalOfAValidAccessTokenKeepsTheSession() async throws {
        let code = Mutex(100)
        let transport = Self.selfRenewingService {
            Self.json(#"{"error":{"message":"no","type":"OAuthException","code":\#(code.withLock(\.self))}}"#, status: 400)
        }
        try await EngineFixture.runSignedIn(through: transport, skipsWaits: true, change: Self.selfRenewing) {
            (world, session) async throws in
            let kept = await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(kept?.isTransient == true && kept?.hint == "hint.access_token_too_new", "\(String(describing: kept))")
            #expect(transport.requests.count { $0.url.path == "/again" } == 1)
            #expect(try await world.engine.sessions().first?.recordedState == .signedIn)
            #expect(try await world.engine.token(TokenRequest(session: session.name)).token == Secret("long-token-1"))
            code.withLock { $0 = 190 }
            let ended = await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(ended?.kind == .signInAgain)
            #expect(try await world.engine.sessions().first?.recordedState == .needsSignIn)
        }
    }

    /// A service that does not find the token where it looks may still answer that all is well.
    @Test func tokenIsRevokedUnderTheParameterOfTheService() async throws {
        let transport = ChangingTransport { request, response in
            request.url.path == "/revoke" ? WebResponse(status: 200) : response
        }
        try await EngineFixture.runSignedIn(through: transport) {
            $0.dialect.revocationParameter = "access_token"
        } _: { world, session in
            let token = try await world.engine.token(TokenRequest(session: session.name)).token.reveal()
            #expect(try await world.engine.signOut(session.name, mode: .revoke).isComplete)
            let forms = transport.requests.filter { $0.url.path == "/revoke" }
                .map { FormEncoding.decode(String(decoding: $0.body, as: UTF8.self)) ?? [] }
            let sent = forms.map { form in form.first { $0.name == "access_token" }?.value }
            #expect(sent.count == 2 && sent.contains(token) && !sent.contains(nil))
            #expect(!forms.contains { form in form.contains { $0.name == "token" } })
        }
    }

    @Test func serviceWithoutRevocationIsNotAsked() async throws {
        try await EngineFixture.runSignedIn {
            $0.dialect.revocation = .none
        } _: { (world, session) async throws in
            #expect(try await world.engine.signOut(session.name, mode: .revoke).isComplete)
            #expect(!world.sandbox.requests.contains { $0.path == "/revoke" })
        }
    }

    @Test(arguments: [ProviderDialect.Renewal.expected, .none, .maybe])
    func missingRefreshTokenIsAWarningOnlyWhereOneIsExpected(renewal: ProviderDialect.Renewal) async throws {
        try await EngineFixture.runSignedIn(through: Self.tokens([.init("refresh_token", .null)])) {
            $0.dialect.renewal = renewal
        } _: { world, session in
            #expect(session.warnings.contains { $0.code.hasPrefix("session.no_refresh_token_") } == (renewal == .expected))
        }
    }

    /// A server ignores offline_access if it does not ask the user (OpenID Connect Core section 11).
    @Test(arguments: [nil, "consent"]) func missingRefreshTokenHasANextStepUntilTheServerAsked(prompt: String?) async throws {
        try await EngineFixture.runSignedIn(through: Self.tokens([.init("refresh_token", .null)])) {
            $0.extraParameters = prompt.map { ["prompt": $0] } ?? [:]
        } _: { world, session in
            #expect(session.warnings.contains("session.no_refresh_token_issued") == (prompt != nil))
            #expect(session.warnings.contains { $0.code == "session.no_refresh_token_without_consent" } == (prompt == nil))
        }
    }

    /// The sandbox refuses such a redirect. What counts is the request.
    @Test func claimsAreRequestedAndTheRedirectIsSentAsWritten() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) {
            $0.redirects = [RedirectRule("http://localhost")].compactMap(\.self)
        } _: { world in
            let request = try world.request {
                $0.claims = #"{"access_token":{"acrs":{"value":"c1"}}}"#
                $0.timeout = .seconds(2)
            }
            let transport = world.transport
            let outcome = try await world.signIn(request) { url, _ in
                await follow(url, transport: transport)
                time.advance(by: .seconds(2))
            }
            #expect(outcome.failure?.kind == .timedOut)
            let asked = try #require(world.sandbox.requests.first { $0.path == "/authorize" })
            #expect(asked.parameter("claims") == #"{"access_token":{"acrs":{"value":"c1"}}}"#)
            #expect(asked.parameter("redirect_uri")?.hasSuffix("/") == false)
        }
    }

    @Test func timeoutNamesTheRedirect() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) { world in
            let outcome = try await world.signIn(try world.request { $0.timeout = .seconds(2) }) { _, _ in time.advance(by: .seconds(2)) }
            #expect(outcome.failure?.kind == .timedOut)
            let redirect = try #require(outcome.redirect)
            #expect(outcome.failure?.hint == UserMessage("hint.redirect_may_be_unregistered", ["redirect": redirect.text]))
        }
    }

    /// A resource may list more scopes than a client has that was registered by hand, and only the browser's page says so.
    @Test func timeoutAtAResourcesServerNamesTheScopes() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) {
            $0.resources = ["https://mcp.example.org/mcp"]
        } _: { world in
            let outcome = try await world.signIn(try world.request { $0.timeout = .seconds(2) }) { _, _ in time.advance(by: .seconds(2)) }
            #expect(outcome.failure?.kind == .timedOut)
            let redirect = try #require(outcome.redirect)
            let provider = try #require(EngineFixture.provider)
            let parts = [
                UserMessage("hint.redirect_may_be_unregistered", ["redirect": redirect.text]),
                UserMessage("hint.fewer_scopes", ["provider": provider]),
            ]
            #expect(outcome.failure?.hint == UserMessage.list(parts, by: .semicolon))
        }
    }
}
