public import AuthModel

/// How the client shows who it is at the token endpoint and its like (RFC 6749 section 2.3), with what that takes.
public enum ClientCredential: Equatable, Sendable {
    /// A public client: its identifier only (RFC 6749 section 3.2.1).
    case none
    case basic(Secret)
    case post(Secret)
    /// A signed assertion (RFC 7523 section 2.2), made for this one request.
    case assertion(Secret)

    /// Chooses by configuration, and where that says `auto` by what client and provider have.
    ///
    /// Without a secret the client is public, whatever the provider lists: many leave `none` out. With one, Basic is preferred, being the
    /// default of RFC 8414 section 2. An assertion cannot be chosen here, as it is made anew for each request: see
    /// ``ClientAssertion/credential(of:key:at:now:using:)``. With a certificate, it is the HTTP client that authenticates (RFC 8705 section
    /// 2).
    ///
    /// - Parameter methods: `token_endpoint_auth_methods_supported`, where published.
    public static func choose(
        _ configured: ProviderConfiguration.ClientAuthentication, secret: Secret?, methods: [String]?
    ) throws(OAuthError) -> ClientCredential {
        func misconfigured(_ text: String) -> OAuthError { OAuthError(.clientAuthentication, .misconfigured(text)) }
        switch configured {
        case .none, .tls: return .none
        case .privateKeyJWT: throw misconfigured("client_auth private_key_jwt needs a client key")
        case .clientSecretBasic, .clientSecretPost:
            guard let secret, !secret.isEmpty else { throw misconfigured("client_auth \(configured.rawValue) needs a client secret") }
            return configured == .clientSecretBasic ? .basic(secret) : .post(secret)
        case .auto:
            guard let secret, !secret.isEmpty else { return .none }
            guard let methods, !methods.isEmpty else { return .basic(secret) }
            if methods.contains("client_secret_basic") { return .basic(secret) }
            if methods.contains("client_secret_post") { return .post(secret) }
            throw misconfigured("the provider takes a client secret neither by client_secret_basic nor by client_secret_post")
        }
    }

    /// The form fields and header fields that authenticate `clientID`; one method only (RFC 6749 section 2.3).
    func parts(clientID: String) -> (fields: [(String, String)], headers: [(name: String, value: String)]) {
        switch self {
        case .none: return ([("client_id", clientID)], [])
        case .post(let secret): return ([("client_id", clientID), ("client_secret", secret.reveal())], [])
        case .basic(let secret):
            // Both are form-encoded before they are joined (RFC 6749 section 2.3.1), so a colon in them does no harm.
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

/// The client, as it speaks to one provider.
public struct OAuthClient: Equatable, Sendable {
    public var id: String
    public var credential: ClientCredential

    public init(id: String, credential: ClientCredential = .none) {
        self.id = id
        self.credential = credential
    }

    /// A form post to `url` that authenticates the client.
    func form(_ url: WebURL, _ fields: [(String, String)], headers: [(name: String, value: String)] = []) -> WebRequest {
        let own = credential.parts(clientID: id)
        return .form(url, fields + own.fields, headers: own.headers + headers)
    }
}
