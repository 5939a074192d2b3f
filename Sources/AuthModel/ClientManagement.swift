/// What a server gave this program when it registered itself as a client (RFC 7591 section 3.2.1, RFC 7592 section 3), to be kept sealed.
public struct ClientManagement: Equatable, Sendable {
    /// Where the client is registered.
    public var issuer: Issuer
    public var clientID: String
    /// `registration_client_uri`; `nil` where the registration cannot be managed.
    public var url: WebURL?
    /// `registration_access_token`. Whoever holds it can change the client, or take it away.
    public var token: Secret?
    /// `client_secret`, where the server imposes one.
    public var secret: Secret?
    /// When the secret ends; `nil`: never, or the server does not say.
    public var secretExpiresAt: Timestamp?
    /// `token_endpoint_auth_method`: how the secret is shown.
    public var authenticationMethod: String?

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
