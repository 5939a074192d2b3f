import AuthModel

/// A fault in a response of the token endpoint. See ``summary`` for each case.
public enum TokenFault: String, Sendable, CaseIterable {
    case typeMissing = "type-missing"
    case typeMAC = "type-mac"
    case typeLowerCase = "type-lower-case"
    case accessTokenMissing = "access-token-missing"
    case accessTokenNumber = "access-token-number"
    case accessTokenEmpty = "access-token-empty"
    case accessTokenHostile = "access-token-hostile"
    case lifetimeMissing = "expires-in-missing"
    case lifetimeAbsurd = "expires-in-absurd"
    case lifetimeNegative = "expires-in-negative"
    case lifetimeText = "expires-in-text"
    case lifetimeWord = "expires-in-word"
    case refreshTokenMissing = "refresh-token-missing"
    case refreshTokenNumber = "refresh-token-number"
    case refreshTokenSame = "refresh-token-same"
    case idTokenMissing = "id-token-missing"
    case idTokenNumber = "id-token-number"
    case scopeMissing = "scope-missing"
    case scopeNarrower = "scope-narrower"
    case scopeNumber = "scope-number"
    case unknownMembers = "unknown-members"
    case invalidGrant = "invalid-grant"
    case invalidClient = "invalid-client"
    case invalidScope = "invalid-scope"
    case proofRefused = "invalid-dpop-proof"
    case gatewayRefusal = "gateway-403"
    case errorHostile = "error-hostile"
    case errorWith200 = "error-with-200"
    case answerLost = "answer-lost"

    /// A description of the fault, for a table.
    public var summary: String { effect().summary }

    func apply(_ honest: SandboxResponse, presentedRefreshToken: String?) -> SandboxResponse {
        guard honest.status == 200, (try? JSONValue(strict: honest.text)) != nil else { return honest }
        return effect(presentedRefreshToken: presentedRefreshToken).apply(honest)
    }

    private func effect(presentedRefreshToken: String? = nil) -> FaultEffect<SandboxResponse> {
        switch self {
        case .typeMissing: .body(.missing("token_type"))
        case .typeMAC: .body(.setting("token_type", "mac", "is mac"))
        case .typeLowerCase:
            .body(.init("token_type is in lower case, which is allowed") { $0.mapping("token_type") { $0.lowercased() } })
        case .accessTokenMissing: .body(.missing("access_token"))
        case .accessTokenNumber: .body(.number("access_token"))
        case .accessTokenEmpty: .body(.setting("access_token", "", "is empty"))
        case .accessTokenHostile:
            .body(.appending("\r\nX-Injected: 1", to: "access_token", "contains a line break and a header"))
        case .lifetimeMissing: .body(.missing("expires_in", ", which is allowed"))
        case .lifetimeAbsurd: .body(.setting("expires_in", .number("1e300"), "is 1e300"))
        case .lifetimeNegative: .body(.setting("expires_in", -60, "is negative"))
        case .lifetimeText:
            .body(
                .init("expires_in is digits in quotes, as some providers send it") {
                    $0.setting("expires_in", .string($0["expires_in"]?.integer.map { String($0) } ?? "300"))
                })
        case .lifetimeWord: .body(.setting("expires_in", "tomorrow", "is a word"))
        case .refreshTokenMissing: .body(.init("no refresh_token") { $0.removing("refresh_token") })
        case .refreshTokenNumber: .body(.number("refresh_token"))
        case .refreshTokenSame:
            .body(
                .init("refresh_token is the one that was sent, and remains valid") { document in
                    presentedRefreshToken.map { document.setting("refresh_token", .string($0)) } ?? document
                })
        case .idTokenMissing: .body(.init("no id_token") { $0.removing("id_token") })
        case .idTokenNumber: .body(.number("id_token"))
        case .scopeMissing: .body(.missing("scope", ", which means as requested"))
        case .scopeNarrower: .body(.setting("scope", "openid", "is only openid"))
        case .scopeNumber: .body(.number("scope"))
        case .unknownMembers:
            .body(.init("unknown members, which must be ignored") { $0.setting("x_gate", ["iron": true]).setting("iat", 1) })
        case .invalidGrant: Self.refusal("400 invalid_grant", "invalid_grant", "the grant no longer exists")
        case .invalidClient: Self.refusal("401 invalid_client", "invalid_client", "the client is unknown", status: 401)
        case .invalidScope: Self.refusal("400 invalid_scope", "invalid_scope", "the scope is unknown")
        case .proofRefused: Self.refusal("400 invalid_dpop_proof", "invalid_dpop_proof", "the proof is too old or in the future")
        case .gatewayRefusal:
            .init("403 with the JSON of a gateway in front, whose error is Forbidden") { _ in .json(["error": "Forbidden"], status: 403) }
        case .errorHostile:
            .init("400 invalid_grant with controls and markup in error_description and error_uri") { _ in
                .json(
                    ["error": "invalid_grant", "error_description": .string(HostileText.all), "error_uri": "javascript:alert(1)"],
                    status: 400)
            }
        case .errorWith200: .init("invalid_grant with status 200") { _ in .json(["error": "invalid_grant"]) }
        case .answerLost:
            .changing("the tokens are issued and rotated, then the connection is closed without a response") {
                $0.delivery = .closesConnection
            }
        }
    }

    private static func refusal(_ summary: String, _ code: String, _ text: String, status: Int = 400) -> FaultEffect<SandboxResponse> {
        .init(summary) { _ in .error(ErrorReply(code, text, status: status)) }
    }

    /// Whether the presented refresh token stays valid, because the response says so or contains no other.
    var keepsPresentedRefreshToken: Bool {
        switch self {
        case .refreshTokenMissing, .refreshTokenSame: true
        default: false
        }
    }

    /// Whether the request is refused without being processed, so that the refusal is true.
    var refusesRequest: Bool {
        switch self {
        case .invalidGrant, .invalidClient, .invalidScope, .proofRefused, .gatewayRefusal, .errorHostile, .errorWith200: true
        default: false
        }
    }
}

/// A fault in the response to a token exchange (RFC 8693 section 2.2). See ``summary`` for each case.
public enum ExchangeFault: String, Sendable, CaseIterable {
    case issuedTypeMissing = "issued-token-type-missing"
    case issuedTypeOther = "issued-token-type-other"
    case tokenTypeNotApplicable = "token-type-n-a"
    case invalidTarget = "invalid-target"
    case accessDenied = "access-denied"

    /// A description of the fault, for a table.
    public var summary: String { effect.summary }

    func apply(_ document: JSONValue) -> JSONValue { effect.apply(document) }

    private var effect: FaultEffect<JSONValue> {
        switch self {
        case .issuedTypeMissing: .missing("issued_token_type")
        case .issuedTypeOther:
            .setting("issued_token_type", "urn:ietf:params:oauth:token-type:saml2", "is that of a SAML assertion")
        case .tokenTypeNotApplicable: .setting("token_type", "N_A", "is N_A, so it is not an access token")
        case .invalidTarget: .init("400 invalid_target")
        case .accessDenied: .init("400 access_denied, as by a rule of an administrator")
        }
    }
}
