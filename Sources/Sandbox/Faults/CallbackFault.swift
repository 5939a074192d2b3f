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
    public var summary: String {
        switch self {
        case .stateWrong: "state has 1 appended"
        case .stateMissing: "state is missing"
        case .stateDoubled: "state appears twice, the second one wrong"
        case .codeMissing: "code is missing"
        case .codeEmpty: "code is empty"
        case .codeDoubled: "code appears twice"
        case .codeUnknown: "code was never issued"
        case .issuerWrong: "iss has 1 appended"
        case .issuerMissing: "iss is missing, even if it is announced"
        case .issuerDoubled: "iss appears twice, the second one wrong"
        case .error: "access_denied instead of a code"
        case .errorWithoutState: "access_denied without state"
        case .errorWrongState: "access_denied with a wrong state"
        case .errorHostile: "access_denied with controls, markup and bidirectional overrides in error_description and error_uri"
        case .errorAndCode: "error beside the code"
        case .serverError: "temporarily_unavailable instead of a code"
        case .unknownError: "an error code that no RFC defines"
        case .idTokenInRedirect: "an id_token beside the code"
        case .signedResponse: "a response parameter (JARM) and nothing else"
        case .extraParameters: "session_state, client_id and scope beside the code, which is allowed"
        case .post: "a form that posts to the redirect URI instead of a redirect"
        case .never: "a page without a link instead of a redirect"
        }
    }

    /// Returns the parameters with this fault. The last two faults change how the parameters are sent, and leave them unchanged.
    func apply(_ parameters: [(String, String)]) -> [(String, String)] {
        func without(_ names: String...) -> [(String, String)] { parameters.filter { !names.contains($0.0) } }
        func changing(_ name: String, _ change: (String) -> String) -> [(String, String)] {
            parameters.map { $0.0 == name ? (name, change($0.1)) : $0 }
        }
        func denied(_ extra: (String, String)...) -> [(String, String)] {
            [("error", "access_denied")] + extra + without("code", "error", "error_description")
        }
        func doubling(_ name: String) -> [(String, String)] {
            parameters + parameters.filter { $0.0 == name }.map { ($0.0, $0.1 + "1") }
        }
        switch self {
        case .stateWrong: return changing("state") { $0 + "1" }
        case .stateMissing: return without("state")
        case .stateDoubled: return doubling("state")
        case .codeMissing: return without("code")
        case .codeEmpty: return changing("code") { _ in "" }
        case .codeDoubled: return doubling("code")
        case .codeUnknown: return changing("code") { "unknown-" + $0 }
        case .issuerWrong: return without("iss") + [("iss", (parameters.last { $0.0 == "iss" }?.1 ?? "https://other.example") + "1")]
        case .issuerMissing: return without("iss")
        case .issuerDoubled: return doubling("iss")
        case .error: return denied(("error_description", "the user denied the request"))
        case .errorWithoutState: return denied().filter { $0.0 != "state" }
        case .errorWrongState: return denied().map { $0.0 == "state" ? ($0.0, $0.1 + "1") : $0 }
        case .errorHostile: return denied(("error_description", HostileText.all), ("error_uri", "javascript:alert(1)//\u{1B}[2J"))
        case .errorAndCode: return parameters + [("error", "access_denied")]
        case .serverError: return [("error", "temporarily_unavailable")] + without("code", "error", "error_description")
        case .unknownError: return [("error", "moon_in_the_wrong_quarter")] + without("code", "error", "error_description")
        case .idTokenInRedirect: return parameters + [("id_token", "eyJhbGciOiJub25lIn0.e30.")]
        case .signedResponse: return [("response", "eyJhbGciOiJub25lIn0.e30.")]
        case .extraParameters: return parameters + [("session_state", "s.1"), ("client_id", "someone"), ("scope", "openid")]
        case .post, .never: return parameters
        }
    }
}
