import AuthModel
import Testing

@testable import Sandbox

@Suite struct ReceivedAuthorizationTests {
    private static let honest: [(String, String)] = [
        ("response_type", "code"), ("client_id", "yett"), ("redirect_uri", "http://127.0.0.1:5000/callback"), ("scope", "openid"),
        ("state", "s"), ("code_challenge", String(repeating: "A", count: 43)), ("code_challenge_method", "S256"),
    ]

    private func read(
        _ changes: [(String, String?)], adding: [(String, String)] = [], create: Bool = true
    ) throws(AuthorizationRefusal) -> ReceivedAuthorization {
        return try ReceivedAuthorization(
            parameters: (Self.honest.changed(changes) + adding).map { (name: $0.0, value: $0.1) },
            client: { id in SandboxClient.standard.first { $0.id == id } }, offersPromptCreate: create
        )
    }

    @Test func validRequestIsParsed() throws {
        let request = try read([
            ("scope", "openid email unknown"), ("prompt", "login consent"), ("max_age", "60"), ("nonce", "n"), ("ui_locales", "gd"),
            ("login_hint", "ada"),
        ])
        #expect(request.scopes == ["openid", "email"])
        #expect(request.prompts == [.login, .consent])
        #expect(request.maximumAge == .seconds(60))
        #expect(request.nonce == "n")
        #expect(request.loginHint == "ada")
    }

    @Test(
        arguments: [
            ("client_id", nil), ("client_id", "nobody"), ("redirect_uri", nil), ("redirect_uri", "https://evil.example/callback"),
            ("redirect_uri", "http://127.0.0.1:5000/callback/more"),
        ] as [(String, String?)])
    func untrustedClientOrRedirectShowsAPage(name: String, value: String?) {
        let refusal = #expect(throws: AuthorizationRefusal.self) { try read([(name, value)]) }
        var stays = false
        if case .page = refusal { stays = true }
        #expect(stays)
    }

    @Test(
        arguments: [
            ("response_type", nil, "invalid_request"), ("response_type", "token", "unsupported_response_type"),
            ("response_mode", "form_post", "invalid_request"), ("code_challenge", nil, "invalid_request"),
            ("code_challenge", "short", "invalid_request"), ("code_challenge_method", "plain", "invalid_request"),
            ("code_challenge_method", nil, "invalid_request"), ("scope", nil, "invalid_scope"), ("scope", "unknown", "invalid_scope"),
            ("prompt", "none login", "invalid_request"), ("prompt", "sing", "invalid_request"), ("max_age", "-1", "invalid_request"),
            ("max_age", "soon", "invalid_request"), ("request", "x", "request_not_supported"),
            ("request_uri", "x", "request_uri_not_supported"),
        ] as [(String, String?, String)])
    func otherErrorsAreSentToTheRedirect(name: String, value: String?, code: String) {
        let refusal = #expect(throws: AuthorizationRefusal.self) { try read([(name, value)]) }
        var sent: (String, String, String?)?
        if case .redirect(let error, let uri, let state) = refusal { sent = (error.code, uri, state) }
        #expect(sent?.0 == code)
        #expect(sent?.1 == "http://127.0.0.1:5000/callback")
        #expect(sent?.2 == "s")
    }

    @Test func repeatedParameterIsRefused() {
        #expect(throws: AuthorizationRefusal.self) { try read([], adding: [("nonce", "1"), ("nonce", "2")]) }
    }

    @Test func promptCreateNeedsSupport() throws {
        #expect(try read([("prompt", "create")]).prompts == [.create])
        #expect(throws: AuthorizationRefusal.self) { try read([("prompt", "create")], create: false) }
    }

    @Test func confidentialClientMayOmitTheChallenge() throws {
        let request = try read([("client_id", "yett-confidential"), ("code_challenge", nil), ("code_challenge_method", nil)])
        #expect(request.challenge == nil)
    }

    @Test(arguments: [
        ("http://127.0.0.1:1/callback", true), ("http://127.0.0.1/callback", true), ("http://[::1]:65535/callback", true),
        ("http://localhost:8400/callback", false), ("http://127.0.0.1:8400/other", false), ("http://127.0.0.1:8400/callback?x=1", false),
        ("http://127.0.0.1:8400/callback#x", false), ("https://127.0.0.1:8400/callback", false), ("http://127.0.0.2:8400/callback", false),
        ("http://evil@127.0.0.1:8400/callback", false), ("http://127.0.0.1.evil.example/callback", false), ("", false),
    ])
    func anyLoopbackPortMatchesTheRegisteredLiteral(uri: String, isAccepted: Bool) throws {
        let client = try #require(SandboxClient.standard.first { $0.id == "yett" })
        #expect(client.accepts(redirect: uri) == isAccepted)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8400/callback", true), ("http://localhost:8404/callback", true), ("http://127.0.0.1:8405/callback", false),
        ("http://127.0.0.1/callback", false), ("http://127.0.0.1:8400/callback/", false), ("HTTP://127.0.0.1:8400/callback", false),
    ])
    func exactRedirectMatchesByteForByte(uri: String, isAccepted: Bool) throws {
        let client = try #require(SandboxClient.standard.first { $0.id == "yett-fixed" })
        #expect(client.accepts(redirect: uri) == isAccepted)
    }
}
