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
    public var summary: String {
        switch self {
        case .invalidRequest: "400 invalid_request"
        case .requestURIMissing: "request_uri is missing"
        case .requestURINumber: "request_uri is a number"
        case .requestURIElsewhere: "request_uri is a URL of another origin, not a URN"
        case .requestURIUnknown: "request_uri was never issued"
        case .lifetimeMissing: "expires_in is missing"
        case .status200: "status 200 instead of 201"
        }
    }

    /// The response that refuses the request without processing it; `nil` for other faults.
    var refusal: SandboxResponse? {
        self == .invalidRequest ? .error(ErrorReply("invalid_request", "this parameter cannot be pushed")) : nil
    }

    /// Returns the response with this fault.
    ///
    /// - Parameter elsewhere: a URL of another origin.
    func apply(_ honest: SandboxResponse, elsewhere: String) -> SandboxResponse {
        switch self {
        case .invalidRequest: honest
        case .requestURIMissing: honest.mapping { $0.removing("request_uri") }
        case .requestURINumber: honest.mapping { $0.setting("request_uri", 42) }
        case .requestURIElsewhere: honest.mapping { $0.setting("request_uri", .string(elsewhere)) }
        case .requestURIUnknown: honest.mapping { $0.appending("-unknown", to: "request_uri") }
        case .lifetimeMissing: honest.mapping { $0.removing("expires_in") }
        case .status200: honest.with(status: 200)
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

    /// Returns the response with another status.
    func with(status: Int) -> SandboxResponse {
        var answer = self
        answer.status = status
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
