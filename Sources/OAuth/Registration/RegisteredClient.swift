public import AuthModel

/// A client as a provider registered it (RFC 7591 section 3.2.1). Its tokens and secrets are to be kept under seal, by issuer.
public struct RegisteredClient: Equatable, Sendable {
    /// The issuer it is registered with; it is used with no other.
    public var issuer: Issuer?
    public var clientID: String
    /// A secret that came although none was asked for.
    public var secret: Secret?
    /// When the secret ends; `nil`: never, or the provider does not say.
    public var secretExpiresAt: Timestamp?
    /// How the client authenticates, as the provider registered it; `nil` where it does not say.
    public var authenticationMethod: String?
    /// Those of the addresses we asked for that the provider sends a browser back to after its own session has ended.
    public var postLogoutRedirectURIs: [String]
    /// Whether the provider issues this client bound tokens only (RFC 9449 section 5.2).
    public var requiresProof: Bool
    /// Where the registration is read, changed and deleted (RFC 7592), with the token for that; both or neither.
    public var management: Management?

    /// What a registration is managed with (RFC 7592 section 3).
    public struct Management: Equatable, Sendable {
        public var url: WebURL
        public var token: Secret

        public init(url: WebURL, token: Secret) {
            self.url = url
            self.token = token
        }
    }

    public init(
        issuer: Issuer?, clientID: String, secret: Secret? = nil, secretExpiresAt: Timestamp? = nil, authenticationMethod: String? = nil,
        postLogoutRedirectURIs: [String] = [], requiresProof: Bool = false, management: Management? = nil
    ) {
        self.issuer = issuer
        self.clientID = clientID
        self.secret = secret
        self.secretExpiresAt = secretExpiresAt
        self.authenticationMethod = authenticationMethod
        self.postLogoutRedirectURIs = postLogoutRedirectURIs
        self.requiresProof = requiresProof
        self.management = management
    }

    /// Reads the answer to a registration: 201, or 200 from servers that do not know better.
    ///
    /// - `client_id` is one to 1024 printable ASCII characters (RFC 6749 appendix A.1).
    /// - A provider that registered other redirect URIs than ours is refused: the sign-in would end elsewhere.
    /// - A provider that leaves addresses for the way back after signing out aside is believed: signing in does not depend on them. One
    ///   that does not say registered what it was asked to.
    /// - `registration_client_uri` is https, or http on a loopback literal; it counts only together with its token, and the other way
    ///   round.
    public init(
        _ response: WebResponse, to registration: ClientRegistration, from metadata: ProviderMetadata, now: Timestamp
    ) throws(OAuthError) {
        let host = (metadata.registrationEndpoint ?? metadata.issuer?.url)?.origin.authority
        try response.requireSuccess(.registration, host: host, now: now, success: [200, 201])
        let reader = try AnswerReader(response, .registration, host: host)
        if let error = ServerError(reader) { throw OAuthError(.registration, .refused(error, status: response.status), host: host) }
        issuer = metadata.issuer
        clientID = try reader.requiredString("client_id")
        guard clientID.utf8.count <= 1024, Self.isVisible(clientID) else { throw reader.wrong("client_id", "printable ASCII") }
        if let redirects = try reader.strings("redirect_uris"), !registration.redirectURIs.allSatisfy(redirects.contains) {
            throw OAuthError(.registration, .mismatch(what: "redirect address"), host: host)
        }
        let returns = try reader.strings("post_logout_redirect_uris")
        postLogoutRedirectURIs = registration.postLogoutRedirectURIs.filter { returns?.contains($0) != false }
        secret = try Self.secret(reader, "client_secret")
        secretExpiresAt = try Self.end(reader)
        authenticationMethod = try reader.string("token_endpoint_auth_method")
        requiresProof = try reader.bool("dpop_bound_access_tokens") ?? false
        let url = try reader.endpoint("registration_client_uri")
        let token = try Self.secret(reader, "registration_access_token")
        if let url, let token { management = Management(url: url, token: token) }
    }

    /// How the client authenticates: as it was registered, and without a secret not at all.
    ///
    /// - Throws: ``OAuthError`` when the provider registered a way that we cannot go, or the secret is over.
    public func credential(now: Timestamp) throws(OAuthError) -> ClientCredential {
        func misconfigured(_ text: String) -> OAuthError {
            OAuthError(.clientAuthentication, .misconfigured(text), host: issuer?.url.origin.authority)
        }
        let credential: ClientCredential
        switch (authenticationMethod, secret) {
        case ("none", _), (nil, nil): return .none
        case (nil, let secret?), ("client_secret_basic", let secret?): credential = .basic(secret)
        case ("client_secret_post", let secret?): credential = .post(secret)
        default: throw misconfigured("the provider registered this client for a way to authenticate that it cannot go")
        }
        if let secretExpiresAt, secretExpiresAt <= now { throw misconfigured("the registered client's secret is over: register it anew") }
        return credential
    }

    private static func secret(_ reader: AnswerReader, _ name: String) throws(OAuthError) -> Secret? {
        guard let text = try reader.string(name), !text.isEmpty else { return nil }
        guard isVisible(text) else { throw reader.wrong(name, "printable ASCII") }
        return Secret(text)
    }

    /// `client_secret_expires_at`: seconds since 1970, or 0 for never.
    private static func end(_ reader: AnswerReader) throws(OAuthError) -> Timestamp? {
        guard let value = reader.object["client_secret_expires_at"], value != .null else { return nil }
        guard let seconds = value.double, seconds >= 0 else { throw reader.wrong("client_secret_expires_at", "a time") }
        return seconds == 0 ? nil : Timestamp(seconds: seconds)
    }

    private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
