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
    public var summary: String {
        switch self {
        case .typeMissing: "token_type is missing"
        case .typeMAC: "token_type is mac"
        case .typeLowerCase: "token_type is in lower case, which is allowed"
        case .accessTokenMissing: "access_token is missing"
        case .accessTokenNumber: "access_token is a number"
        case .accessTokenEmpty: "access_token is empty"
        case .accessTokenHostile: "access_token contains a line break and a header"
        case .lifetimeMissing: "expires_in is missing, which is allowed"
        case .lifetimeAbsurd: "expires_in is 1e300"
        case .lifetimeNegative: "expires_in is negative"
        case .lifetimeText: "expires_in is digits in quotes, as some providers send it"
        case .lifetimeWord: "expires_in is a word"
        case .refreshTokenMissing: "no refresh_token"
        case .refreshTokenNumber: "refresh_token is a number"
        case .refreshTokenSame: "refresh_token is the one that was sent, and remains valid"
        case .idTokenMissing: "no id_token"
        case .idTokenNumber: "id_token is a number"
        case .scopeMissing: "scope is missing, which means as requested"
        case .scopeNarrower: "scope is only openid"
        case .scopeNumber: "scope is a number"
        case .unknownMembers: "unknown members, which must be ignored"
        case .invalidGrant: "400 invalid_grant"
        case .invalidClient: "401 invalid_client"
        case .invalidScope: "400 invalid_scope"
        case .proofRefused: "400 invalid_dpop_proof"
        case .gatewayRefusal: "403 with the JSON of a gateway in front, whose error is Forbidden"
        case .errorHostile: "400 invalid_grant with controls and markup in error_description and error_uri"
        case .errorWith200: "invalid_grant with status 200"
        case .answerLost: "the tokens are issued and rotated, then the connection is closed without a response"
        }
    }

    func apply(_ honest: SandboxResponse, presentedRefreshToken: String?) -> SandboxResponse {
        guard honest.status == 200, let document = try? JSONValue(strict: honest.text) else { return honest }
        func with(_ document: JSONValue) -> SandboxResponse {
            var answer = honest
            answer.body = .bytes(Array(document.text.utf8))
            return answer
        }
        switch self {
        case .typeMissing: return with(document.removing("token_type"))
        case .typeMAC: return with(document.setting("token_type", "mac"))
        case .typeLowerCase: return with(document.mapping("token_type") { $0.lowercased() })
        case .accessTokenMissing: return with(document.removing("access_token"))
        case .accessTokenNumber: return with(document.setting("access_token", 42))
        case .accessTokenEmpty: return with(document.setting("access_token", ""))
        case .accessTokenHostile: return with(document.appending("\r\nX-Injected: 1", to: "access_token"))
        case .lifetimeMissing: return with(document.removing("expires_in"))
        case .lifetimeAbsurd: return with(document.setting("expires_in", .number("1e300")))
        case .lifetimeNegative: return with(document.setting("expires_in", -60))
        case .lifetimeText: return with(document.setting("expires_in", .string(document["expires_in"]?.integer.map(String.init) ?? "300")))
        case .lifetimeWord: return with(document.setting("expires_in", "tomorrow"))
        case .refreshTokenMissing: return with(document.removing("refresh_token"))
        case .refreshTokenNumber: return with(document.setting("refresh_token", 42))
        case .refreshTokenSame: return presentedRefreshToken.map { with(document.setting("refresh_token", .string($0))) } ?? honest
        case .idTokenMissing: return with(document.removing("id_token"))
        case .idTokenNumber: return with(document.setting("id_token", 42))
        case .scopeMissing: return with(document.removing("scope"))
        case .scopeNarrower: return with(document.setting("scope", "openid"))
        case .scopeNumber: return with(document.setting("scope", 42))
        case .unknownMembers: return with(document.setting("x_gate", ["iron": true]).setting("iat", 1))
        case .invalidGrant: return .error(ErrorReply("invalid_grant", "the grant no longer exists"))
        case .invalidClient: return .error(ErrorReply("invalid_client", "the client is unknown", status: 401))
        case .invalidScope: return .error(ErrorReply("invalid_scope", "the scope is unknown"))
        case .proofRefused: return .error(ErrorReply("invalid_dpop_proof", "the proof is too old or in the future"))
        case .gatewayRefusal: return .json(["error": "Forbidden"], status: 403)
        case .errorHostile:
            return .json(
                ["error": "invalid_grant", "error_description": .string(HostileText.all), "error_uri": "javascript:alert(1)"], status: 400)
        case .errorWith200: return .json(["error": "invalid_grant"])
        case .answerLost:
            var answer = honest
            answer.delivery = .closesConnection
            return answer
        }
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
    public var summary: String {
        switch self {
        case .issuedTypeMissing: "issued_token_type is missing"
        case .issuedTypeOther: "issued_token_type is that of a SAML assertion"
        case .tokenTypeNotApplicable: "token_type is N_A, so it is not an access token"
        case .invalidTarget: "400 invalid_target"
        case .accessDenied: "400 access_denied, as by a rule of an administrator"
        }
    }

    func apply(_ document: JSONValue) -> JSONValue {
        switch self {
        case .issuedTypeMissing: document.removing("issued_token_type")
        case .issuedTypeOther: document.setting("issued_token_type", "urn:ietf:params:oauth:token-type:saml2")
        case .tokenTypeNotApplicable: document.setting("token_type", "N_A")
        case .invalidTarget, .accessDenied: document
        }
    }
}
