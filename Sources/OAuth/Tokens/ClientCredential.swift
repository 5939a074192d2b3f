public import AuthModel

/// A client authentication method for the token endpoint and similar endpoints (RFC 6749 section 2.3), with its secret.
public enum ClientCredential: Equatable, Sendable {
    /// A public client, which sends only its identifier (RFC 6749 section 3.2.1).
    case none
    case basic(Secret)
    case post(Secret)
    /// A signed assertion (RFC 7523 section 2.2) for one request.
    case assertion(Secret)

    /// Selects the configured method; for `auto`, a method that client and provider support.
    ///
    /// Without a secret the client is public, even if the provider does not list `none`, because many omit it. With a secret, Basic is
    /// preferred, as the default of RFC 8414 section 2. This function cannot select an assertion, because each request needs a new one: see
    /// ``ClientAssertion/credential(of:key:at:now:using:)``. With a certificate, the HTTP client authenticates (RFC 8705 section 2).
    ///
    /// - Parameter methods: `token_endpoint_auth_methods_supported`, if published.
    public static func choose(
        _ configured: ProviderConfiguration.ClientAuthentication, secret: Secret?, methods: [String]?
    ) throws(OAuthError) -> ClientCredential {
        func misconfigured(_ text: UserMessage) -> OAuthError { OAuthError(.clientAuthentication, .misconfigured(text)) }
        switch configured {
        case .none, .tls: return .none
        case .privateKeyJWT: throw misconfigured(UserMessage("client.key_required"))
        case .clientSecretBasic, .clientSecretPost:
            guard let secret, !secret.isEmpty else {
                throw misconfigured(UserMessage("client.secret_required", ["method": configured.rawValue]))
            }
            return configured == .clientSecretBasic ? .basic(secret) : .post(secret)
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
        case .basic(let secret):
            // Both are form-encoded before joining (RFC 6749 section 2.3.1), so they may contain a colon.
            let pair = FormEncoding.escape(clientID) + ":" + FormEncoding.escape(secret.reveal())
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
    /// The differences of the service from the standards.
    public var dialect: ProviderDialect

    /// Creates a client. Default: a public client at a provider that follows the standards.
    public init(id: String, credential: ClientCredential = .none, dialect: ProviderDialect = ProviderDialect()) {
        self.id = id
        self.credential = credential
        self.dialect = dialect
    }

    /// Builds a form POST to `url` that authenticates the client.
    func form(_ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = []) -> WebRequest {
        let own = credential.parts(clientID: id)
        return .form(url, fields + own.fields, headers: own.headers + headers)
    }

    /// Builds a POST to the token endpoint that authenticates the client, as a form or as JSON.
    func tokenRequest(_ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = []) -> WebRequest {
        guard dialect.tokenRequest == .json else { return form(url, fields, headers: headers) }
        let own = credential.parts(clientID: id)
        return .json(url, fields + own.fields, headers: own.headers + headers)
    }

    /// Returns the `scope` parameter; none if there are no scopes.
    func scopeFields(_ scopes: ScopeSet) -> [(String, String)] {
        scopes.isEmpty ? [] : [("scope", scopes.values.joined(separator: dialect.scopeSeparator))]
    }
}
