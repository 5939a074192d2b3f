public import AuthModel

/// One challenge of a `WWW-Authenticate` field (RFC 9110 section 11.6.1).
public struct Challenge: Equatable, Sendable {
    /// The scheme as written; compared without case.
    public let scheme: String
    /// The token68 data that some schemes use instead of parameters.
    public let token68: String?
    /// The parameters in order, with names in lower case and quotes resolved. Names are unique.
    public let parameters: [Parameter]
    /// Whether the same response asks for no Bearer token, so that the server accepts only tokens that are bound to a key.
    public internal(set) var excludesBearer = false
    /// Removes known secrets from errors.
    var redactor = SecretRedactor.none

    /// Compares the scheme and what follows it in the field.
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

extension WebResponse {
    /// The challenges that request an access token with the scheme Bearer or DPoP, in order.
    public var tokenChallenges: [Challenge] { challenges.filter { $0.isBearerChallenge || $0.isProofChallenge } }

    /// The challenge of a request without an accepted token: the first one that says where the resource's metadata is, else the first one.
    /// `nil` unless the status is 401.
    public var unauthorizedChallenge: Challenge? {
        guard status == 401 else { return nil }
        let challenges = tokenChallenges
        var challenge = challenges.first { $0["resource_metadata"] != nil } ?? challenges.first
        challenge?.excludesBearer = !challenges.contains(where: \.isBearerChallenge)
        return challenge
    }

    /// The challenges of all `WWW-Authenticate` fields, in order. See ``ChallengeReader`` for what is skipped.
    public var challenges: [Challenge] {
        var reader = ChallengeReader()
        for field in headers where field.name.asciiLowercased() == "www-authenticate" { reader.read(field.value) }
        return reader.challenges.map { challenge in
            var challenge = challenge
            challenge.redactor = redactor
            return challenge
        }
    }
}

/// The parameters of challenges that request an access token.
extension Challenge {
    /// The error of the sent token (RFC 6750 section 3.1), reduced to characters that are safe to show; `nil` if no token was sent.
    public var error: ServerError? {
        guard let code = self["error"], !code.isEmpty else { return nil }
        return ServerError(code: code, description: self["error_description"], hiding: redactor)
    }

    /// The required scopes (RFC 6750 section 3), without invalid ones.
    public var scopes: ScopeSet { ScopeSet((self["scope"] ?? "").split(separator: " ").map(String.init).filter(ScopeSet.isScope)) }

    /// The URL of the resource's metadata (RFC 9728 section 5.1); `nil` unless it is https, or http on a loopback literal or `localhost`.
    public var resourceMetadata: WebURL? {
        guard let url = self["resource_metadata"].flatMap(WebURL.init), url.isRequestable, url.fragment == nil else { return nil }
        return url
    }

    /// The accepted authentication context classes, preferred first (RFC 9470 section 3). Only printable ASCII is accepted.
    public var contextClasses: [String] {
        (self["acr_values"] ?? "").split(separator: " ").map(String.init).filter { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    }

    /// The maximum size of required claims, in bytes. They become a parameter of a URL.
    private static let claimsLimit = 2048

    /// The claims of the access token that the next sign-in must request, as a JSON object with the member `access_token`: `claims`, which
    /// servers send as base64 with or without padding. `nil` if it is absent, too large or not such an object.
    ///
    /// Only that member, because a resource may say which token it accepts, and not which data of the user this client requests.
    public var claims: String? {
        guard let text = self["claims"], text.utf8.count <= Self.claimsLimit * 2 else { return nil }
        let unpadded = text.replacing("+", with: "-").replacing("/", with: "_").prefix { $0 != "=" }
        let bytes = text.hasPrefix("{") ? Array(text.utf8) : Base64URL.decode(unpadded) ?? []
        guard bytes.count <= Self.claimsLimit, let wanted = (try? JSONValue(strict: bytes))?["access_token"],
            wanted.members?.isEmpty == false
        else { return nil }
        return JSONValue.object([.init("access_token", wanted)]).text
    }

    /// The maximum time since the user's authentication, in seconds (RFC 9470 section 3), limited to a century; `nil` if it is absent or
    /// not a number.
    public var maxAge: Int? {
        guard let text = self["max_age"], !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 3_155_760_000)
    }
}
