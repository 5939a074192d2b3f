import AuthModel

/// A fault in an authorization response. See ``summary`` for each case.
public enum CallbackFault: String, Sendable, CaseIterable {
    case stateWrong = "state-wrong"
    case stateMissing = "state-missing"
    case stateDoubled = "state-doubled"
    case codeMissing = "code-missing"
    case codeEmpty = "code-empty"
    case codeDoubled = "code-doubled"
    case codeUnknown = "code-unknown"
    case issuerWrong = "iss-wrong"
    case issuerMissing = "iss-missing"
    case issuerDoubled = "iss-doubled"
    case error = "error"
    case errorWithoutState = "error-without-state"
    case errorWrongState = "error-wrong-state"
    case errorHostile = "error-hostile"
    case errorAndCode = "error-and-code"
    case serverError = "server-error"
    case unknownError = "error-unknown"
    case idTokenInRedirect = "id-token"
    case signedResponse = "jarm"
    case extraParameters = "extra-parameters"
    case post = "post"
    case never = "never"

    /// A description of the fault, for a table.
    public var summary: String { effect.summary }

    /// Returns the parameters with this fault. The last two faults change how the parameters are sent, and leave them unchanged.
    func apply(_ parameters: [(String, String)]) -> [(String, String)] { effect.apply(parameters) }

    private var effect: FaultEffect<[(String, String)]> {
        switch self {
        case .stateWrong: .mapping("state", "has 1 appended") { $0 + "1" }
        case .stateMissing: .missing("state")
        case .stateDoubled: .doubling("state", ", the second one wrong")
        case .codeMissing: .missing("code")
        case .codeEmpty: .mapping("code", "is empty") { _ in "" }
        case .codeDoubled: .doubling("code")
        case .codeUnknown: .mapping("code", "was never issued") { "unknown-" + $0 }
        case .issuerWrong:
            .init("iss has 1 appended") { parameters in
                let issuer = parameters.last { $0.0 == "iss" }?.1 ?? "https://other.example"
                return parameters.filter { $0.0 != "iss" } + [("iss", issuer + "1")]
            }
        case .issuerMissing: .missing("iss", ", even if it is announced")
        case .issuerDoubled: .doubling("iss", ", the second one wrong")
        case .error: .refusal("access_denied instead of a code", more: [("error_description", "the user denied the request")])
        case .errorWithoutState: .refusal("access_denied without state") { _ in nil }
        case .errorWrongState: .refusal("access_denied with a wrong state") { $0 + "1" }
        case .errorHostile:
            .refusal(
                "access_denied with controls, markup and bidirectional overrides in error_description and error_uri",
                more: [("error_description", HostileText.all), ("error_uri", "javascript:alert(1)//\u{1B}[2J")])
        case .errorAndCode: .adding("error beside the code", [("error", "access_denied")])
        case .serverError: .refusal("temporarily_unavailable instead of a code", "temporarily_unavailable")
        case .unknownError: .refusal("an error code that no RFC defines", "moon_in_the_wrong_quarter")
        case .idTokenInRedirect: .adding("an id_token beside the code", [("id_token", "eyJhbGciOiJub25lIn0.e30.")])
        case .signedResponse:
            .init("a response parameter (JARM) and nothing else") { _ in [("response", "eyJhbGciOiJub25lIn0.e30.")] }
        case .extraParameters:
            .adding(
                "session_state, client_id and scope beside the code, which is allowed",
                [("session_state", "s.1"), ("client_id", "someone"), ("scope", "openid")])
        case .post: .init("a form that posts to the redirect URI instead of a redirect")
        case .never: .init("a page without a link instead of a redirect")
        }
    }
}

/// Effects on the parameters of an authorization response. The description follows the parameter's name.
extension FaultEffect where Value == [(String, String)] {
    fileprivate static func missing(_ name: String, _ note: String = "") -> Self {
        Self("\(name) is missing" + note) { $0.filter { $0.0 != name } }
    }

    fileprivate static func mapping(_ name: String, _ description: String, _ change: @escaping (String) -> String) -> Self {
        Self("\(name) \(description)") { $0.map { $0.0 == name ? (name, change($0.1)) : $0 } }
    }

    fileprivate static func doubling(_ name: String, _ note: String = "") -> Self {
        Self("\(name) appears twice" + note) { $0 + $0.filter { $0.0 == name }.map { ($0.0, $0.1 + "1") } }
    }

    fileprivate static func adding(_ summary: String, _ more: [(String, String)]) -> Self { Self(summary) { $0 + more } }

    /// An error in place of a code.
    ///
    /// - Parameter state: returns the state to send; `nil` for none.
    fileprivate static func refusal(
        _ summary: String, _ code: String = "access_denied", more: [(String, String)] = [],
        state: @escaping (String) -> String? = { $0 }
    ) -> Self {
        Self(summary) { parameters in
            let kept = parameters.filter { !["code", "error", "error_description"].contains($0.0) }
            let sent = kept.compactMap { pair -> (String, String)? in pair.0 == "state" ? state(pair.1).map { ("state", $0) } : pair }
            return [("error", code)] + more + sent
        }
    }
}

/// A fault in the response to a pushed authorization request (RFC 9126). See ``summary`` for each case.
public enum PushedRequestFault: String, Sendable, CaseIterable {
    case invalidRequest = "invalid-request"
    case requestURIMissing = "request-uri-missing"
    case requestURINumber = "request-uri-number"
    case requestURIElsewhere = "request-uri-https"
    case requestURIUnknown = "request-uri-unknown"
    case lifetimeMissing = "expires-in-missing"
    case status200 = "status-200"

    /// A description of the fault, for a table.
    public var summary: String { effect().summary }

    /// The response that refuses the request without processing it; `nil` for other faults.
    var refusal: SandboxResponse? {
        self == .invalidRequest ? .error(ErrorReply("invalid_request", "this parameter cannot be pushed")) : nil
    }

    /// Returns the response with this fault.
    ///
    /// - Parameter elsewhere: a URL of another origin.
    func apply(_ honest: SandboxResponse, elsewhere: String) -> SandboxResponse { effect(elsewhere: elsewhere).apply(honest) }

    private func effect(elsewhere: String = "") -> FaultEffect<SandboxResponse> {
        switch self {
        case .invalidRequest: .init("400 invalid_request")
        case .requestURIMissing: .body(.missing("request_uri"))
        case .requestURINumber: .body(.number("request_uri"))
        case .requestURIElsewhere: .body(.setting("request_uri", .string(elsewhere), "is a URL of another origin, not a URN"))
        case .requestURIUnknown: .body(.appending("-unknown", to: "request_uri", "was never issued"))
        case .lifetimeMissing: .body(.missing("expires_in"))
        case .status200: .status200
        }
    }
}

extension SandboxResponse {
    /// Returns the response with its JSON document changed; unchanged if its body is not JSON.
    func mapping(_ change: (JSONValue) -> JSONValue) -> SandboxResponse {
        guard let document = try? JSONValue(strict: text) else { return self }
        var answer = self
        answer.body = .bytes(Array(change(document).text.utf8))
        return answer
    }
}

/// A fault while signing out: at the revocation endpoint, or in the redirect from the end-session endpoint. See ``summary`` for each case.
public enum LogoutFault: String, Sendable, CaseIterable {
    case revocationUnauthorized = "revocation-401"
    case revocationUnsupported = "revocation-unsupported-token-type"
    case revocationHTML = "revocation-page"
    case stateMissing = "state-missing"
    case stateWrong = "state-wrong"
    case never = "never"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .revocationUnauthorized: "revocation answers 401 invalid_client, as some do to public clients"
        case .revocationUnsupported: "revocation answers 400 unsupported_token_type"
        case .revocationHTML: "revocation answers 200 with a page, which is success"
        case .stateMissing: "the browser returns without state"
        case .stateWrong: "the browser returns with 1 appended to state"
        case .never: "the browser is not sent back"
        }
    }

    /// Whether the fault affects the revocation endpoint rather than the browser.
    var affectsRevocation: Bool {
        switch self {
        case .revocationUnauthorized, .revocationUnsupported, .revocationHTML: true
        case .stateMissing, .stateWrong, .never: false
        }
    }

    /// The response that the revocation endpoint gives in place of its own; `nil` if the fault does not replace it.
    var revocationResponse: SandboxResponse? {
        switch self {
        case .revocationUnauthorized: .error(ErrorReply("invalid_client", "public clients may not revoke", status: 401))
        case .revocationUnsupported: .error(ErrorReply("unsupported_token_type", "this token cannot be revoked"))
        case .revocationHTML, .stateMissing, .stateWrong, .never: nil
        }
    }

    /// Returns the state in the redirect.
    func apply(state: String?) -> String? {
        switch self {
        case .stateMissing: nil
        case .stateWrong: state.map { $0 + "1" }
        default: state
        }
    }
}
