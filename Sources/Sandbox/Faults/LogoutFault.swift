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
        case .revocationUnauthorized: .error(OAuthError("invalid_client", "public clients may not revoke", status: 401))
        case .revocationUnsupported: .error(OAuthError("unsupported_token_type", "this token cannot be revoked"))
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
