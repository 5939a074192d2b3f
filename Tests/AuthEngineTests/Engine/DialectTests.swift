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
        try await EngineFixture.run(through: transport) {
            $0.kind = .oauth2
            $0.dialect.userInfo = .off
            $0.dialect.identity = .init(subject: MemberPath("owner.user.id"), name: MemberPath("owner.user.login"))
        } _: { world in
            let session = try await world.signedIn()
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
        try await EngineFixture.run(through: transport) {
            $0.kind = .oauth2
            $0.scopes = ["profile"]
        } _: { world in
            let session = try await world.signedIn()
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
        try await EngineFixture.run(through: transport) {
            $0.dialect.apiHostPath = MemberPath("instance_url")
        } _: { world in
            let session = try await world.signedIn()
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
        try await EngineFixture.run {
            $0.dialect.revokes = revokes
        } _: { world in
            let session = try await world.signedIn()
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            #expect(receipt.isComplete)
            #expect(world.sandbox.requests.filter { $0.path == "/revoke" }.map { $0.field("token_type_hint") } == hints)
        }
    }

    /// An expired token cannot revoke itself and its refresh token.
    @Test func expiredTokenIsRenewedBeforeItRevokesItself() async throws {
        let transport = ChangingTransport { request, response in
            request.url.path == "/revoke" ? WebResponse(status: 200) : response
        }
        try await EngineFixture.run(through: transport) {
            $0.dialect.revocation = .bearer
            $0.dialect.revokes = .access
        } _: { world in
            let session = try await world.signedIn()
            let old = try await world.engine.token(TokenRequest(session: session.name)).token.reveal()
            world.time.advance(by: .seconds(7200))
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            #expect(receipt.isComplete)
            #expect(world.count(of: "refresh_token") == 1)
            let sent = try #require(transport.requests.last { $0.url.path == "/revoke" })
            let field = try #require(sent.headers.first { $0.name == "Authorization" }?.value)
            #expect(field.hasPrefix("Bearer ") && field != "Bearer \(old)" && sent.body.isEmpty)
        }
    }

    /// A service that does not find the token where it looks may still answer that all is well.
    @Test func tokenIsRevokedUnderTheParameterOfTheService() async throws {
        let transport = ChangingTransport { request, response in
            request.url.path == "/revoke" ? WebResponse(status: 200) : response
        }
        try await EngineFixture.run(through: transport) {
            $0.dialect.revocationParameter = "access_token"
        } _: { world in
            let session = try await world.signedIn()
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
        try await EngineFixture.run {
            $0.dialect.revocation = .none
        } _: { world in
            let session = try await world.signedIn()
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            #expect(receipt.isComplete)
            #expect(!world.sandbox.requests.contains { $0.path == "/revoke" })
        }
    }

    @Test(arguments: [ProviderDialect.Renewal.expected, .none, .maybe])
    func missingRefreshTokenIsAWarningOnlyWhereOneIsExpected(renewal: ProviderDialect.Renewal) async throws {
        try await EngineFixture.run(through: Self.tokens([.init("refresh_token", .null)])) {
            $0.dialect.renewal = renewal
        } _: { world in
            let session = try await world.signedIn()
            #expect(session.warnings.contains { $0.code.hasPrefix("session.no_refresh_token_") } == (renewal == .expected))
        }
    }

    /// A server ignores offline_access if it does not ask the user (OpenID Connect Core section 11).
    @Test(arguments: [nil, "consent"]) func missingRefreshTokenHasANextStepUntilTheServerAsked(prompt: String?) async throws {
        try await EngineFixture.run(through: Self.tokens([.init("refresh_token", .null)])) {
            $0.extraParameters = prompt.map { ["prompt": $0] } ?? [:]
        } _: { world in
            let session = try await world.signedIn()
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
}
