/// The credentials of a client that this program registered dynamically (RFC 7591 section 3.2.1, RFC 7592 section 3). They are stored
/// sealed.
public struct ClientManagement: Equatable, Sendable {
    /// The issuer where the client is registered.
    public var issuer: Issuer
    /// The client identifier.
    public var clientID: String
    /// `registration_client_uri`; `nil` if the registration cannot be managed.
    public var url: WebURL?
    /// `registration_access_token`. It authorizes changing and deleting the client.
    public var token: Secret?
    /// `client_secret`, if the server issued one.
    public var secret: Secret?
    /// When the secret expires; `nil` if it never expires or the server did not say.
    public var secretExpiresAt: Timestamp?
    /// `token_endpoint_auth_method`: how the client presents its secret.
    public var authenticationMethod: String?

    /// Creates management credentials.
    public init(
        issuer: Issuer, clientID: String, url: WebURL? = nil, token: Secret? = nil, secret: Secret? = nil,
        secretExpiresAt: Timestamp? = nil, authenticationMethod: String? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.url = url
        self.token = token
        self.secret = secret
        self.secretExpiresAt = secretExpiresAt
        self.authenticationMethod = authenticationMethod
    }
}
