import AuthModel

/// A fault in the response to a token exchange (RFC 8693 section 2.2). See ``summary`` for each case.
public enum ExchangeFault: String, Sendable, CaseIterable {
    case issuedTypeMissing = "issued-token-type-missing"
    case issuedTypeOther = "issued-token-type-other"
    case tokenTypeNotApplicable = "token-type-n-a"
    case invalidTarget = "invalid-target"

    /// A description of the fault, for a table.
    public var summary: String {
        switch self {
        case .issuedTypeMissing: "issued_token_type is missing"
        case .issuedTypeOther: "issued_token_type is that of a SAML assertion"
        case .tokenTypeNotApplicable: "token_type is N_A, so it is not an access token"
        case .invalidTarget: "400 invalid_target"
        }
    }

    /// Returns the document with this fault.
    func apply(_ document: JSONValue) -> JSONValue {
        switch self {
        case .issuedTypeMissing: document.removing("issued_token_type")
        case .issuedTypeOther: document.setting("issued_token_type", "urn:ietf:params:oauth:token-type:saml2")
        case .tokenTypeNotApplicable: document.setting("token_type", "N_A")
        case .invalidTarget: document
        }
    }
}
