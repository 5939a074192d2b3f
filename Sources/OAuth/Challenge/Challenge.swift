internal import AuthModel

/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1).
public struct Challenge: Equatable, Sendable {
    /// The scheme as written; compared without case.
    public let scheme: String
    /// The token68 data that some schemes use instead of parameters.
    public let token68: String?
    /// The parameters in order, with names in lower case and quotes resolved. Names are unique.
    public let parameters: [Parameter]
    /// Removes known secrets from errors.
    var redactor = SecretRedactor.none

    init(scheme: String, token68: String?, parameters: [Parameter]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    /// Compares everything except the redactor.
    public static func == (left: Challenge, right: Challenge) -> Bool {
        left.scheme == right.scheme && left.token68 == right.token68 && left.parameters == right.parameters
    }

    /// A parameter of a challenge.
    public struct Parameter: Equatable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes.
        public let value: String
    }

    /// Returns the value of a parameter. The name must be in lower case.
    public subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Returns whether the scheme is `name`, compared without case.
    public func isScheme(_ name: String) -> Bool { scheme.asciiLowercased() == name.asciiLowercased() }

    /// Whether a Bearer token is required (RFC 6750 section 3).
    public var isBearerChallenge: Bool { isScheme("Bearer") }
    /// Whether a token with a DPoP proof is required (RFC 9449 section 7.1).
    public var isProofChallenge: Bool { isScheme("DPoP") }
}
