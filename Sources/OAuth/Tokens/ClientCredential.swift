public import AuthModel

/// A client authentication method for the token endpoint and similar endpoints (RFC 6749 section 2.3), with its secret.
public enum ClientCredential: Equatable, Sendable {
    /// A public client, which sends only its identifier (RFC 6749 section 3.2.1).
    case none
    /// Identifier and secret in a header field, form-encoded before joining unless the service does not decode them.
    case basic(Secret, isEncoded: Bool = true)
    case post(Secret)
    /// A signed assertion (RFC 7523 section 2.2) for one request.
    case assertion(Secret)

    /// Selects the configured method; for `auto`, a method that client and provider support.
    ///
    /// Without a secret the client is public, even if the provider does not list `none`, because many omit it. With a secret, Basic is
    /// preferred, as the default of RFC 8414 section 2. This function cannot select an assertion, because each request needs a new one: see
    /// ``ClientAssertion/credential(of:key:at:dialect:now:using:)``. With a certificate, the HTTP client authenticates (RFC 8705 section
    /// 2).
    ///
    /// - Parameter methods: `token_endpoint_auth_methods_supported`, if published.
    public static func choose(
        _ configured: ProviderConfiguration.ClientAuthentication, secret: Secret?, methods: [String]?
    ) throws(OAuthError) -> ClientCredential {
        func misconfigured(_ text: UserMessage) -> OAuthError { OAuthError(.clientAuthentication, .misconfigured(text)) }
        switch configured {
        case .none, .tls: return .none
        case .privateKeyJWT: throw misconfigured(UserMessage("client.key_required"))
        case .clientSecretBasic, .clientSecretBasicRaw, .clientSecretPost:
            guard let secret, !secret.isEmpty else {
                throw misconfigured(UserMessage("client.secret_required", ["method": configured.rawValue]))
            }
            if configured == .clientSecretPost { return .post(secret) }
            return .basic(secret, isEncoded: configured == .clientSecretBasic)
        case .clientSecretBasicEmpty: return .basic(Secret(""))
        case .auto:
            guard let secret, !secret.isEmpty else { return .none }
            guard let methods, !methods.isEmpty else { return .basic(secret) }
            if methods.contains("client_secret_basic") { return .basic(secret) }
            if methods.contains("client_secret_post") { return .post(secret) }
            throw misconfigured(UserMessage("client.secret_method_not_accepted"))
        }
    }

    /// Returns the form fields and header fields that authenticate `clientID`, with exactly one method (RFC 6749 section 2.3).
    func parts(clientID: String) -> (fields: [(String, String)], headers: [(name: String, value: String)]) {
        switch self {
        case .none: return ([("client_id", clientID)], [])
        case .post(let secret): return ([("client_id", clientID), ("client_secret", secret.reveal())], [])
        case .basic(let secret, let isEncoded):
            // Encoded (RFC 6749 section 2.3.1), both may contain a colon.
            let pair = [clientID, secret.reveal()].map { isEncoded ? FormEncoding.escape($0) : $0 }.joined(separator: ":")
            return ([], [("Authorization", "Basic " + Base64.encode(Array(pair.utf8)))])
        case .assertion(let assertion):
            return (
                [
                    ("client_id", clientID),
                    ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                    ("client_assertion", assertion.reveal()),
                ], []
            )
        }
    }
}

/// The client and its credential for one provider.
public struct OAuthClient: Equatable, Sendable {
    /// The client identifier.
    public var id: String
    /// The credential.
    public var credential: ClientCredential
    /// The secret for the header fields that have it; see ``SecretPlaceholder``.
    public var secret: Secret?
    /// The differences of the service from the standards.
    public var dialect: ProviderDialect

    /// Creates a client. Default: a public client at a provider that follows the standards.
    public init(
        id: String, credential: ClientCredential = .none, secret: Secret? = nil, dialect: ProviderDialect = ProviderDialect()
    ) {
        self.id = id
        self.credential = credential
        self.secret = secret
        self.dialect = dialect
    }

    /// The form fields and header fields that authenticate the client, with identifier and secret under the service's names.
    var authentication: (fields: [(String, String)], headers: [(name: String, value: String)]) {
        let own = credential.parts(clientID: id)
        let names = ["client_id": dialect.clientParameter, "client_secret": dialect.secretParameter.rawValue]
        return (own.fields.map { (names[$0.0] ?? $0.0, $0.1) }, own.headers)
    }

    /// Builds a form POST to `url` that authenticates the client.
    func form(_ url: WebURL, _ fields: [(String, String)]) -> WebRequest {
        let own = authentication
        return .form(url, fields + own.fields, headers: own.headers)
    }

    /// The parameters of token requests that only this library may set. A configuration that sets one is refused.
    public static let ownParameters: Set<String> = AuthorizationRequest.ownParameters.union([
        "actor_token", "actor_token_type", "assertion", "code", "device_code", "grant_type", "password", "refresh_token",
        "requested_token_type", "resource", "subject_token", "subject_token_type", "username",
    ]).subtracting(["redirect_uri", "response_type", "state"])

    /// Builds a request to the token endpoint that authenticates the client. The service's additional parameters do not replace those of
    /// the request.
    ///
    /// - Parameter members: the parameters that were kept of the callback, which replace placeholders. An additional parameter whose
    ///   placeholder has no value is left out.
    /// - Parameter format: the format of the request; `nil` for the service's own.
    func tokenRequest(
        _ url: WebURL, _ fields: [(String, String)], repeating members: [JSONValue.Member] = [],
        as format: ProviderDialect.TokenRequestFormat? = nil
    ) -> WebRequest {
        let additional = dialect.tokenParameters.sorted { $0.key < $1.key }
            .filter { parameter in !fields.contains { $0.0 == parameter.key } }
            .compactMap { parameter in CallbackPlaceholder.filled(parameter.value, with: members).map { (parameter.key, $0) } }
        return request(url, fields + additional, as: format)
    }

    /// Builds a request for another access token in exchange for one: a GET, because the services that have it read nothing else.
    func accessTokenRequest(
        _ url: WebURL, grant: String, _ token: Secret, repeating members: [JSONValue.Member] = []
    ) -> WebRequest {
        tokenRequest(
            url, [("grant_type", grant), (dialect.accessTokenParameter.rawValue, token.reveal())], repeating: members, as: .query)
    }

    /// Builds a request of the device flow that authenticates the client, with its client token if it has one for this flow.
    func deviceRequest(_ url: WebURL, _ fields: [(String, String)]) -> WebRequest {
        guard let token = dialect.device.clientToken else { return request(url, fields) }
        return .form(url, fields + [("access_token", "\(id)|\(token)")], headers: additionalHeaders)
    }

    private var additionalHeaders: [(name: String, value: String)] {
        SecretPlaceholder.filled(dialect.tokenRequestHeaders, with: secret)
    }

    /// Builds a request that authenticates the client, in the format of token requests.
    private func request(
        _ url: WebURL, _ fields: [(String, String)], as format: ProviderDialect.TokenRequestFormat? = nil
    ) -> WebRequest {
        let own = authentication
        let headers = own.headers + additionalHeaders
        // A service may want the client's identifier beside Basic authentication, which the other methods have already.
        let fields = fields.filter { field in !own.fields.contains { $0.0 == field.0 } }
        switch format ?? dialect.tokenRequest {
        case .form: return .form(url, fields + own.fields, headers: headers)
        case .json: return .json(url, fields + own.fields, headers: headers)
        case .query:
            return WebRequest(
                method: .get, url: url.appending(query: fields + own.fields) ?? url, headers: [("Accept", "application/json")] + headers)
        case .camelCaseJSON: return .json(url, (fields + own.fields).map { (Self.camelCase($0.0), $0.1) }, headers: headers)
        }
    }

    /// Returns a name without its underscores, each of which a capital letter follows: `grantType`.
    private static func camelCase(_ name: String) -> String {
        let words = name.split(separator: "_")
        return words.dropFirst().reduce(words.first.map(String.init) ?? "") { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
    }

    /// Returns the parameter with the scopes; none if there are no scopes.
    func scopeFields(_ scopes: ScopeSet) -> [(String, String)] {
        scopes.isEmpty ? [] : [(dialect.scopeParameter, scopes.values.joined(separator: dialect.scopeSeparator))]
    }
}

/// `{client_secret}` in the value of a header field: the client's secret, which is read anew for each request, so that no setting has it.
public enum SecretPlaceholder {
    /// The placeholder.
    public static let text = "{client_secret}"
    /// The tables of a configuration whose values may have it.
    public static let tables = ["api_headers", "token_headers", "userinfo_headers"]

    /// Returns fields in the order of their names, with the secret in its places. Without a secret, a field that needs it is left out.
    static func filled(_ fields: [String: String], with secret: Secret?) -> [(name: String, value: String)] {
        fields.sorted { $0.key < $1.key }.compactMap { name, value in filled(value, with: secret).map { (name: name, value: $0) } }
    }

    /// Returns the value of a field with the secret; `nil` if it needs one that is missing, or that no header field may have.
    static func filled(_ value: String, with secret: Secret?) -> String? {
        guard value.contains(text) else { return value }
        guard let secret = secret?.reveal(), secret.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        return value.replacing(text, with: secret)
    }
}

/// `{callback.NAME}` as the value of a token request's parameter: the callback's parameter of this name.
public enum CallbackPlaceholder {
    /// The parameter that only the exchange of a code repeats, because a session does not keep it.
    public static let state = "state"

    /// Returns the name in a placeholder; `nil` for any other text.
    public static func name(in text: String) -> String? {
        guard text.hasPrefix("{callback."), text.hasSuffix("}") else { return nil }
        return String(text.dropFirst("{callback.".count).dropLast())
    }

    /// Returns the text, or the value of the parameter if it is a placeholder; `nil` if that parameter is missing.
    static func filled(_ text: String, with members: [JSONValue.Member]) -> String? {
        guard let name = name(in: text) else { return text }
        return members.first { $0.name == name }?.value.string
    }
}

/// Signed JWT assertions (RFC 7523 section 3).
public enum ClientAssertion {
    /// The lifetime of an assertion. It is used for one request; the lifetime allows for clock differences.
    public static let lifetime: Duration = .seconds(60)

    /// Creates a credential that authenticates the client for one request (section 2.2): `iss` and `sub` are the client, and `aud` is the
    /// issuer, as one string. For a provider without an issuer, or whose dialect says so, `aud` is its token endpoint; a dialect may also
    /// name another `iss`, and send the assertion instead of a secret.
    ///
    /// Every request needs a new one, including a retry, because each has its own `jti`.
    ///
    /// - Parameters:
    ///   - now: the time (`iat`).
    ///   - generator: a cryptographically secure generator.
    public static func credential(
        of clientID: String, key: SigningKey, at metadata: ProviderMetadata, dialect: ProviderDialect = ProviderDialect(), now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> ClientCredential {
        let assertion = try make(
            issuer: dialect.assertionIssuer ?? clientID, subject: clientID, key: key, at: metadata, audience: dialect.assertionAudience,
            algorithm: dialect.assertionAlgorithm, now: now, using: &generator)
        return dialect.assertionParameter == .clientSecret ? .post(assertion) : .assertion(assertion)
    }

    /// Creates an assertion to exchange for tokens (section 2.1); see ``AssertionGrant``.
    ///
    /// - Parameters:
    ///   - issuer: the issuer of the assertion; the client identifier if the client issues it.
    ///   - subject: the account that the tokens are for.
    ///   - wanted: the algorithm; `nil` for one that the provider announces.
    public static func make(
        issuer: String, subject: String, key: SigningKey, at metadata: ProviderMetadata,
        audience: ProviderDialect.AssertionAudience = .issuer, algorithm wanted: String? = nil, now: Timestamp,
        using generator: inout some RandomNumberGenerator
    ) throws(OAuthError) -> Secret {
        let host = metadata.issuer?.url.origin.authority ?? metadata.tokenEndpoint?.origin.authority
        let receiver = audience == .issuer ? metadata.issuer?.text : nil
        guard let audience = receiver ?? metadata.tokenEndpoint?.text else {
            throw OAuthError(.clientAuthentication, .noEndpoint(UserMessage("phrase.token_endpoint")))
        }
        guard let algorithm = key.algorithm(announced: wanted.map { [$0] } ?? metadata.tokenAuthenticationAlgorithms) else {
            throw OAuthError(
                .clientAuthentication, .misconfigured(UserMessage("client.no_matching_signature_algorithm")), host: host)
        }
        var header: [JSONValue.Member] = [.init("alg", .string(algorithm.rawValue)), .init("typ", "JWT")]
        if let keyID = key.keyID { header.append(.init("kid", .string(keyID))) }
        let claims: [JSONValue.Member] = [
            .init("iss", .string(issuer)), .init("sub", .string(subject)), .init("aud", .string(audience)),
            .init("jti", .string(Base64URL.encode(RandomValue.bytes(using: &generator)))), .init("iat", .number(now.seconds)),
            .init("exp", .number((now + lifetime).seconds)),
        ]
        let text = try JSONWebSignature.compact(header: .object(header), claims: claims) { (input) throws(OAuthError) in
            try key.signature(over: input, algorithm)
        }
        return Secret(text)
    }
}
