public import AuthModel

/// Token exchange (RFC 8693): a token of one session for an access token at another place.
public struct TokenExchange: Sendable {
    /// The kinds of token (section 3).
    public enum TokenKind: String, Sendable {
        case accessToken = "urn:ietf:params:oauth:token-type:access_token"
        case refreshToken = "urn:ietf:params:oauth:token-type:refresh_token"
        case idToken = "urn:ietf:params:oauth:token-type:id_token"
        case jwt = "urn:ietf:params:oauth:token-type:jwt"
    }

    /// A token and its kind.
    public struct Presented: Equatable, Sendable {
        public var token: Secret
        public var kind: TokenKind

        public init(_ token: Secret, _ kind: TokenKind) {
            self.token = token
            self.kind = kind
        }
    }

    /// Whose token is given in exchange.
    public var subject: Presented
    /// Who acts for the subject, where somebody does.
    public var actor: Presented?
    /// What the new token is for (RFC 8707), each an absolute URI.
    public var resources: [String]
    /// What the new token is for, by names the provider knows.
    public var audiences: [String]
    public var scopes: ScopeSet

    public init(subject: Presented, actor: Presented? = nil, resources: [String] = [], audiences: [String] = [], scopes: ScopeSet = []) {
        self.subject = subject
        self.actor = actor
        self.resources = resources
        self.audiences = audiences
        self.scopes = scopes
    }

    /// The kind that is asked for, always.
    static let requestedKind = TokenKind.accessToken

    /// The request (section 2.1).
    ///
    /// - Parameter headers: further fields, such as a DPoP proof.
    public func request(
        at metadata: ProviderMetadata, client: OAuthClient, headers: [(name: String, value: String)] = []
    ) throws(OAuthError) -> WebRequest {
        var fields = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", subject.token.reveal()),
            ("subject_token_type", subject.kind.rawValue), ("requested_token_type", Self.requestedKind.rawValue),
        ]
        if let actor { fields += [("actor_token", actor.token.reveal()), ("actor_token_type", actor.kind.rawValue)] }
        fields += resources.map { ("resource", $0) }
        fields += audiences.map { ("audience", $0) }
        if !scopes.isEmpty { fields.append(("scope", scopes.wire)) }
        return client.form(try TokenEndpoint.url(metadata, .tokenExchange), fields, headers: headers)
    }

    /// Reads the answer (section 2.2.1): `issued_token_type` is there and is an access token, and `token_type` is Bearer or DPoP. `N_A`
    /// says that the token is not for sending to anybody, so it is refused with every other type that is not understood.
    public func tokens(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, now: Timestamp
    ) throws(OAuthError) -> TokenSet {
        let tokens = try TokenResponse.tokens(
            response, .tokenExchange, host: host, requested: scopes, requiresProof: requiresProof, now: now)
        let reader = try AnswerReader(response, .tokenExchange, host: host)
        guard try reader.requiredString("issued_token_type").hasSameBytes(as: Self.requestedKind.rawValue) else {
            throw OAuthError(.tokenExchange, .mismatch(what: "kind of token (issued_token_type)"), host: host)
        }
        return tokens
    }
}
