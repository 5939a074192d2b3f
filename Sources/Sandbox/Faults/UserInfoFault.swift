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
    public var summary: String { effect().summary }

    /// Returns the claims with this fault.
    ///
    /// - Parameter elsewhere: a URL that a client must not request.
    func apply(_ claims: JSONValue, elsewhere: String) -> JSONValue { effect(elsewhere: elsewhere).apply(claims) }

    private func effect(elsewhere: String = "") -> FaultEffect<JSONValue> {
        switch self {
        case .subjectMissing: .missing("sub")
        case .subjectOther: .appending("invalid", to: "sub")
        case .subjectNumber: .number("sub")
        case .hostileNames:
            .init("name, email and preferred_username contain controls, markup and bidirectional overrides") { claims in
                ["name", "email", "preferred_username"].reduce(claims) { $0.setting($1, .string(HostileText.all)) }
            }
        case .longName: .setting("name", .string(String(repeating: "Ada ", count: 2_560)), "has 10 kB")
        case .nameNumber:
            .init("name is a number, email an array") { $0.setting("name", 42).setting("email", ["ada@example.org"]) }
        case .namesMissing: .init("only sub, which is allowed") { .object($0.members?.filter { $0.name == "sub" } ?? []) }
        case .unauthorized: .init("401 invalid_token")
        case .unauthorizedBare: .init("401 with an empty body and no challenge")
        case .distributedClaims:
            .init("a claim source with an endpoint, which must not be requested") {
                $0.setting("_claim_names", ["address": "src1"])
                    .setting("_claim_sources", ["src1": ["endpoint": .string(elsewhere), "access_token": "distributed"]])
            }
        case .aggregatedClaims:
            .init("a claim source with a token of another issuer") {
                $0.setting("_claim_names", ["name": "src1"]).setting(
                    "_claim_sources", ["src1": ["JWT": "eyJhbGciOiJub25lIn0.eyJuYW1lIjoiTWFsbG9yeSJ9."]])
            }
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

extension JSONValue {
    /// Returns the object with a member replaced in place, or added at the end.
    func setting(_ name: String, _ value: JSONValue) -> JSONValue {
        guard case .object(var members) = self else { return self }
        if let index = members.firstIndex(where: { $0.name == name }) {
            members[index].value = value
        } else {
            members.append(Member(name, value))
        }
        return .object(members)
    }

    /// Returns the object without a member.
    func removing(_ name: String) -> JSONValue {
        guard case .object(let members) = self else { return self }
        return .object(members.filter { $0.name != name })
    }

    /// Returns the object with a text member changed; unchanged if it has no such text.
    func mapping(_ name: String, _ change: (String) -> String) -> JSONValue {
        guard let text = self[name]?.string else { return self }
        return setting(name, .string(change(text)))
    }

    /// Returns the object with a suffix appended to a text member.
    func appending(_ suffix: String, to name: String) -> JSONValue { mapping(name) { $0 + suffix } }

    /// Returns the object with seconds added to a numeric member.
    func adding(_ seconds: Int64, to name: String) -> JSONValue {
        guard let number = self[name]?.integer else { return self }
        return setting(name, .number(number + seconds))
    }
}

extension String {
    /// Returns the text with the first occurrence of `part` replaced.
    func replacingFirst(_ part: String, with replacement: String) -> String {
        guard let range = firstRange(of: part) else { return self }
        return self[..<range.lowerBound] + replacement + self[range.upperBound...]
    }
}

/// Texts that no terminal and no page may show unchanged.
enum HostileText {
    /// C0 controls with OSC 0, OSC 52, CSI and BEL, C1 controls, bidirectional overrides, zero-width characters and markup.
    static let all =
        "Ada\u{1B}]0;owned\u{7}\u{1B}]52;c;ZXZpbA==\u{7}\u{1B}[2J\u{1B}[31m\r\u{8}\u{9B}2J\u{9D}0;x\u{9C}\u{202E}gpj.exe\u{2066}\u{200B}\u{FEFF}"
        + "<script>alert(1)</script>\u{0}\n"
}
