import AuthModel

/// A fault in a userinfo response. See ``summary`` for each case.
public enum UserInfoFault: String, Sendable, CaseIterable {
    case subjectMissing = "sub-missing"
    case subjectOther = "sub-other"
    case subjectNumber = "sub-number"
    case hostileNames = "hostile-names"
    case longName = "long-name"
    case nameNumber = "name-number"
    case namesMissing = "names-missing"
    case unauthorized = "401"
    case unauthorizedBare = "401-bare"
    case distributedClaims = "distributed-claims"
    case aggregatedClaims = "aggregated-claims"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .subjectMissing: "sub is missing"
        case .subjectOther: "sub has invalid appended"
        case .subjectNumber: "sub is a number"
        case .hostileNames: "name, email and preferred_username contain controls, markup and bidirectional overrides"
        case .longName: "name has 10 kB"
        case .nameNumber: "name is a number, email an array"
        case .namesMissing: "only sub, which is allowed"
        case .unauthorized: "401 invalid_token"
        case .unauthorizedBare: "401 with an empty body and no challenge"
        case .distributedClaims: "a claim source with an endpoint, which must not be requested"
        case .aggregatedClaims: "a claim source with a token of another issuer"
        }
    }

    /// Returns the claims with this fault.
    ///
    /// - Parameter elsewhere: a URL that a client must not request.
    func apply(_ claims: JSONValue, elsewhere: String) -> JSONValue {
        let hostile = JSONValue.string(HostileText.all)
        switch self {
        case .subjectMissing: return claims.removing("sub")
        case .subjectOther: return claims.appending("invalid", to: "sub")
        case .subjectNumber: return claims.setting("sub", 42)
        case .hostileNames:
            return claims.setting("name", hostile).setting("email", hostile).setting("preferred_username", hostile)
        case .longName: return claims.setting("name", .string(String(repeating: "Ada ", count: 2_560)))
        case .nameNumber: return claims.setting("name", 42).setting("email", ["ada@example.org"])
        case .namesMissing: return .object(claims.members?.filter { $0.name == "sub" } ?? [])
        case .unauthorized, .unauthorizedBare: return claims
        case .distributedClaims:
            return claims.setting("_claim_names", ["address": "src1"])
                .setting("_claim_sources", ["src1": ["endpoint": .string(elsewhere), "access_token": "distributed"]])
        case .aggregatedClaims:
            return claims.setting("_claim_names", ["name": "src1"]).setting(
                "_claim_sources", ["src1": ["JWT": "eyJhbGciOiJub25lIn0.eyJuYW1lIjoiTWFsbG9yeSJ9."]])
        }
    }

    /// The refusal in place of the response; `nil` for other faults.
    var refusal: SandboxResponse? {
        switch self {
        case .unauthorized: .bearerChallenge(error: "invalid_token")
        case .unauthorizedBare: SandboxResponse(status: 401)
        default: nil
        }
    }
}
