/// What a client's registration is managed with (RFC 7592 section 3): it was given to this program when it registered itself.
public struct ClientManagement: Equatable, Sendable {
    /// Where the client is registered.
    public var issuer: Issuer
    public var clientID: String
    /// `registration_client_uri`.
    public var url: WebURL
    /// `registration_access_token`. Whoever holds it can change the client, or take it away.
    public var token: Secret

    public init(issuer: Issuer, clientID: String, url: WebURL, token: Secret) {
        self.issuer = issuer
        self.clientID = clientID
        self.url = url
        self.token = token
    }
}
