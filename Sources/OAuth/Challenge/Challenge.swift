/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1).
public struct Challenge: Equatable, Sendable {
    /// The scheme as it was written; compared without case.
    public let scheme: String
    /// What stands in the place of parameters, in some schemes.
    public let token68: String?
    /// The parameters in their order, names in lower case, quotes resolved; no name comes twice.
    public let parameters: [Parameter]
    /// What no error repeats.
    var redactor = SecretRedactor.none

    init(scheme: String, token68: String?, parameters: [Parameter]) {
        self.scheme = scheme
        self.token68 = token68
        self.parameters = parameters
    }

    public static func == (left: Challenge, right: Challenge) -> Bool {
        left.scheme == right.scheme && left.token68 == right.token68 && left.parameters == right.parameters
    }

    public struct Parameter: Equatable, Sendable {
        public let name: String
        public let value: String
    }

    /// The value of a parameter, by its name in lower case.
    public subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// Whether the scheme is `name`.
    public func isScheme(_ name: String) -> Bool { scheme.lowercased() == name.lowercased() }

    /// Whether a Bearer token is asked for (RFC 6750 section 3).
    public var isBearerChallenge: Bool { isScheme("Bearer") }
    /// Whether a token and a DPoP proof are asked for (RFC 9449 section 7.1).
    public var isProofChallenge: Bool { isScheme("DPoP") }
}

extension WebResponse {
    /// The challenges of all `WWW-Authenticate` fields, in their order; see ``ChallengeReader`` for what is not taken.
    public var challenges: [Challenge] {
        var reader = ChallengeReader()
        for field in headers where field.name.lowercased() == "www-authenticate" { reader.read(field.value) }
        return reader.challenges.map { challenge in
            var challenge = challenge
            challenge.redactor = redactor
            return challenge
        }
    }
}
