public import AuthModel

extension WebResponse {
    /// The challenges that ask for an access token, under Bearer or DPoP, in their order.
    public var tokenChallenges: [Challenge] { challenges.filter { $0.isBearerChallenge || $0.isProofChallenge } }
}

/// The parameters of challenges that ask for an access token.
extension Challenge {
    /// What was wrong with the token that was sent (RFC 6750 section 3.1), cut to characters that may be shown; `nil` where none was sent.
    public var error: ServerError? {
        guard let code = self["error"], !code.isEmpty else { return nil }
        return ServerError(code: code, description: self["error_description"], hiding: redactor)
    }

    /// The scopes that are needed (RFC 6750 section 3); what is no scope is left out.
    public var scopes: ScopeSet { ScopeSet((self["scope"] ?? "").split(separator: " ").map(String.init).filter(ScopeSet.isScope)) }

    /// Where the resource describes itself (RFC 9728 section 5.1); `nil` unless it is https, or http on a loopback literal or `localhost`.
    public var resourceMetadata: WebURL? {
        guard let url = self["resource_metadata"].flatMap(WebURL.init), url.mayBeResource, url.fragment == nil else { return nil }
        return url
    }

    /// The context classes of which one is needed, the preferred one first (RFC 9470 section 3); only printable ASCII is taken.
    public var contextClasses: [String] {
        (self["acr_values"] ?? "").split(separator: " ").map(String.init).filter { $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    }

    /// How many seconds ago the person may have signed in at most (RFC 9470 section 3), up to a century; `nil` where it is absent, or no
    /// number.
    public var maxAge: Int? {
        guard let text = self["max_age"], !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Int(text) ?? .max, 3_155_760_000)
    }
}
