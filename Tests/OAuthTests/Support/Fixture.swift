import AuthModel
import Testing
@testable import OAuth

/// Values that the tests share: a time, a provider and its valid metadata.
enum Fixture {
    static let now = Timestamp(milliseconds: 1_800_000_000_000)
    static let issuerText = "https://id.example.org"
    static let clientID = "yett"
    static let accessToken = Secret("access-token-of-the-tests")

    static var issuer: Issuer {
        get throws { try required(Issuer(issuerText)) }
    }

    static func url(_ text: String) throws -> WebURL { try required(WebURL(text)) }

    static func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw Missing() }
        return value
    }

    struct Missing: Error {}

    static func json(_ body: String, status: Int = 200, headers: [(name: String, value: String)] = []) -> WebResponse {
        WebResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    /// A valid metadata document.
    static let document: JSONValue = [
        "issuer": "https://id.example.org",
        "authorization_endpoint": "https://id.example.org/authorize",
        "token_endpoint": "https://tokens.example.org/token",
        "userinfo_endpoint": "https://id.example.org/userinfo",
        "jwks_uri": "https://id.example.org/keys",
        "revocation_endpoint": "https://id.example.org/revoke",
        "introspection_endpoint": "https://id.example.org/introspect",
        "end_session_endpoint": "https://id.example.org/logout",
        "device_authorization_endpoint": "https://id.example.org/device",
        "pushed_authorization_request_endpoint": "https://id.example.org/par",
        "registration_endpoint": "https://id.example.org/register",
        "require_pushed_authorization_requests": false,
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": false,
        "scopes_supported": ["openid"],
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code"],
        "code_challenge_methods_supported": ["S256"],
        "prompt_values_supported": ["login", "create"],
        "acr_values_supported": ["gold"],
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
        "token_endpoint_auth_signing_alg_values_supported": ["RS256"],
        "revocation_endpoint_auth_methods_supported": ["client_secret_basic"],
        "id_token_signing_alg_values_supported": ["RS256", "ES256"],
        "userinfo_signing_alg_values_supported": ["RS256"],
        "dpop_signing_alg_values_supported": ["ES256"],
    ]

    static func metadata(_ changes: [JSONValue.Member] = []) throws -> ProviderMetadata {
        try ProviderMetadata(json(document.replacing(changes).text), issuer: issuer, requirement: .openIDComplete, now: now)
    }

    /// A random generator with the same values in each run, none of them repeated.
    struct Counter: RandomNumberGenerator {
        var state: UInt64
        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            return (state ^ state >> 31) &* 0xBF58_476D_1CE4_E5B9
        }
    }

    static func prepared(
        _ request: AuthorizationRequest = request(), metadata: ProviderMetadata? = nil, seed: UInt64 = 1
    ) throws -> AuthorizationRequest.Prepared {
        var random = Counter(state: seed)
        return try request.prepare(for: try metadata ?? Fixture.metadata(), using: &random)
    }

    static func request(maxAge: Int? = nil, extra: [String: String] = [:]) -> AuthorizationRequest {
        var request = AuthorizationRequest(
            clientID: clientID, redirectURI: "http://127.0.0.1:8400/callback", scopes: ["openid", "profile"])
        request.maxAge = maxAge
        request.extraParameters = extra
        return request
    }

    static func callback(_ pending: PendingAuthorization, code: String = "the-code") throws -> ValidatedCallback {
        let query = FormEncoding.encode([("code", code), ("state", pending.state.reveal()), ("iss", issuerText)])
        guard case .accepted(let callback) = AuthorizationResponse(query: query, for: pending) else { throw Missing() }
        return callback
    }

    /// Tokens with only an access token.
    static func tokens(_ type: String = "bearer") -> TokenSet {
        TokenSet(
            accessToken: Secret("at"), tokenType: type, accessExpiresAt: nil, refreshToken: nil, refreshExpiresAt: nil, idToken: nil,
            scopes: [], receivedAt: now)
    }

    /// Returns the parameters of a form, each of which it has once.
    static func fields(_ request: WebRequest) throws -> [String: String] {
        let pairs = try required(FormEncoding.decode(String(decoding: request.body, as: UTF8.self)))
        #expect(Set(pairs.map(\.name)).count == pairs.count)
        return Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Returns the ``OAuthError`` that `body` throws; nil if it throws none.
    static func error<Value>(_ body: () throws -> Value) -> OAuthError? {
        do {
            _ = try body()
            return nil
        } catch {
            return error as? OAuthError
        }
    }

    static func tokenError<Value>(_ body: () throws -> Value) -> TokenError? {
        guard case .token(let tokenError) = error(body)?.kind else { return nil }
        return tokenError
    }
}

extension JSONValue {
    /// Returns the object with members replaced or added; a member that is set to null is removed.
    func replacing(_ changes: [Member]) -> JSONValue {
        var members = members ?? []
        for change in changes {
            if let index = members.firstIndex(where: { $0.name == change.name }) { members[index] = change } else { members.append(change) }
        }
        return .object(members.filter { member in !(member.value == .null && changes.contains { $0.name == member.name }) })
    }
}
