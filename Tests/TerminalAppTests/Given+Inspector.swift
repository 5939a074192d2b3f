import AuthModel
import TerminalUI
import Testing

@testable import TerminalApp

extension Given {
    /// The inspector with tokens, before the user presses a key.
    static func inspector(_ tokens: [TokenView]) throws -> AppState {
        var state = try session()
        _ = state.press(.character("i"))
        _ = state.take(.tokensLoaded(try Sample.name("work/ada@example.org"), .success(tokens)))
        return state
    }

    /// A session whose access token is not a JWT, with what its provider says about the user.
    static func opaqueToken() throws -> AppState {
        let name = try Sample.name("work/ada@example.org")
        let redacted = UserMessage("phrase.text_with_character_count", ["text": "pWFPFg", "count": 43])
        var state = try inspector([
            TokenView(
                kind: .access, redacted: redacted, expiresAt: Sample.now + .seconds(2530), header: nil, claims: nil, verification: .opaque),
            TokenView(
                kind: .refresh, redacted: redacted, expiresAt: nil, header: nil, claims: nil, verification: .opaque),
        ])
        let session = try #require(state.model.session(name))
        _ = state.take(.sessionLoaded(name, .success(Sample.detail(session))))
        return state
    }

    /// A JWT access token: its scopes, and its times.
    static func accessToken(scope: String, audience: JSONValue = "https://api.example.org", issued: Int64 = 1_795_248_730) -> TokenView {
        TokenView(
            kind: .access, redacted: UserMessage("phrase.text_with_character_count", ["text": "eyJhbG", "count": 812]),
            expiresAt: Timestamp(seconds: Double(issued + 3600)), header: ["alg": "ES256", "typ": "at+jwt", "kid": "2026-1"],
            claims: [
                "iss": "https://id.example.org", "sub": "248289761001", "aud": audience, "scope": .string(scope),
                "iat": .number("\(issued)"), "nbf": .number("\(issued)"), "exp": .number("\(issued + 3600)"), "jti": .string("t-\(issued)"),
                "client_id": "yett", "groups": ["staff", "admin"],
            ], verification: .verified(algorithm: "ES256", keyID: "2026-1"))
    }

    /// A renewal changed the scopes and the audience of an access token.
    static func renewedToken() throws -> AppState {
        var token = accessToken(
            scope: "openid profile mail.read", audience: ["https://api.example.org", "https://mail.example.org"], issued: 1_795_249_700)
        token.formerClaims = accessToken(scope: "openid profile offline_access", issued: 1_795_245_000).claims
        return try inspector([token])
    }
}
