public import AuthModel

/// A registered client (RFC 7591 section 3.2.1). Store its tokens and secrets sealed, by issuer.
public struct RegisteredClient: Equatable, Sendable {
    /// The issuer of the registration. The client is never used with another issuer.
    public var issuer: Issuer?
    /// The client identifier.
    public var clientID: String
    /// The client secret, if the provider issued one, even without a request.
    public var secret: Secret?
    /// When the secret expires; `nil` if it never expires or the provider does not say.
    public var secretExpiresAt: Timestamp?
    /// The registered authentication method; `nil` if the provider does not say, which stands for a secret in the header.
    public var authenticationMethod: String?
    /// The requested post-logout redirect URIs that the provider accepted.
    public var postLogoutRedirectURIs: [String]
    /// The scopes that the client may request; `nil` if the provider does not say.
    public var scopes: ScopeSet?
    /// Whether the provider issues only bound tokens to this client (RFC 9449 section 5.2).
    public var requiresProof: Bool
    /// The URL and token for reading, changing and deleting the registration (RFC 7592); `nil` if either is missing.
    public var management: Management?

    /// The management URL and token of a registration (RFC 7592 section 3).
    public struct Management: Equatable, Sendable {
        /// `registration_client_uri`.
        public var url: WebURL
        /// `registration_access_token`.
        public var token: Secret

        /// Creates management credentials.
        public init(url: WebURL, token: Secret) {
            self.url = url
            self.token = token
        }
    }

    /// Creates a registered client.
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

    /// Reads the response to a registration: 201, or 200 from non-conforming servers.
    ///
    /// - `client_id` must be 1 to 1024 printable ASCII characters (RFC 6749 appendix A.1).
    /// - The response is refused if it lists redirect URIs without all the requested ones, because the sign-in would end elsewhere. Those
    ///   of loopback may be there without their port.
    /// - Omitted post-logout redirect URIs are dropped, because signing in does not depend on them. If the response has no such list, all
    ///   requested ones count as registered.
    /// - `registration_client_uri` is ignored unless it is https, or http on a loopback literal: the client works without it. It is used
    ///   only together with its token.
    public init(
        _ response: WebResponse, to registration: ClientRegistration, from metadata: ProviderMetadata, now: Timestamp
    ) throws(OAuthError) {
        let host = (metadata.registrationEndpoint ?? metadata.issuer?.url)?.origin.authority
        try response.requireSuccess(.registration, host: host, now: now, success: [200, 201])
        let reader = try ResponseReader(response, .registration, host: host)
        try reader.requireNoError(status: response.status)
        issuer = metadata.issuer
        clientID = try reader.requiredString("client_id")
        guard clientID.utf8.count <= 1024, Self.isVisible(clientID) else {
            throw reader.wrong("client_id", UserMessage("phrase.expected_printable_ascii"))
        }
        if let redirects = try reader.strings("redirect_uris"),
            !registration.redirectURIs.allSatisfy({ own in redirects.contains { Self.isEquivalent($0, to: own) } })
        {
            throw OAuthError(.registration, .mismatch(what: UserMessage("phrase.redirect_address")), host: host)
        }
        let returns = try reader.strings("post_logout_redirect_uris")
        postLogoutRedirectURIs = registration.postLogoutRedirectURIs.filter { returns?.contains($0) != false }
        secret = try Self.secret(reader, "client_secret")
        secretExpiresAt = try Self.secretExpiry(reader)
        let method = try reader.string("token_endpoint_auth_method").flatMap { $0.isEmpty ? nil : $0 }
        authenticationMethod = method ?? Self.method(of: secret, among: metadata.tokenAuthenticationMethods)
        requiresProof = try reader.bool("dpop_bound_access_tokens") ?? false
        // A wrong form of what only informs fails nothing.
        let names = reader.object["scope"].flatMap { $0.strings ?? $0.string?.split(separator: " ").map(String.init) }
        scopes = names.map { ScopeSet($0.filter(ScopeSet.isScope)) }
        let url = (try? reader.endpoint("registration_client_uri")) ?? nil
        let token = (try? Self.secret(reader, "registration_access_token")) ?? nil
        if let url, let token { management = Management(url: url, token: token) }
    }

    /// Whether a registered address stands for the requested one. On loopback, a server may leave the port to the client, and write another
    /// name of this machine (RFC 8252 section 7.3).
    private static func isEquivalent(_ registered: String, to own: String) -> Bool {
        if registered == own { return true }
        guard let registered = WebURL(registered), let own = WebURL(own), own.origin.scheme == .http, registered.origin.scheme == .http,
            own.origin.isThisMachine, registered.origin.isThisMachine, registered.query == nil, registered.fragment == nil
        else { return false }
        guard registered.origin.host == own.origin.host || registered.origin.host == "localhost" else { return false }
        return registered.path == own.path && [own.origin.port, Origin.Scheme.http.defaultPort].contains(registered.origin.port)
    }

    /// Returns the credential for the registered authentication method; none for a client without a secret.
    ///
    /// - Throws: ``OAuthError`` if the registered method is not supported or the secret has expired.
    public func credential(now: Timestamp) throws(OAuthError) -> ClientCredential {
        func misconfigured(_ text: UserMessage) -> OAuthError {
            OAuthError(.clientAuthentication, .misconfigured(text), host: issuer?.url.origin.authority)
        }
        let credential: ClientCredential
        switch (authenticationMethod, secret) {
        case ("none", _), (nil, nil): return .none
        case (nil, let secret?), ("client_secret_basic", let secret?): credential = .basic(secret)
        case ("client_secret_post", let secret?): credential = .post(secret)
        default: throw misconfigured(UserMessage("registration.method_unusable"))
        }
        if let secretExpiresAt, secretExpiresAt <= now {
            throw misconfigured(UserMessage("registration.client_secret_expired"))
        }
        return credential
    }

    /// Returns the method for a response that names none; `nil` for the default of section 2, a secret in the header. A server that does
    /// not accept that gets what it accepts.
    private static func method(of secret: Secret?, among methods: [String]?) -> String? {
        guard secret != nil, let methods, !methods.contains("client_secret_basic") else { return nil }
        return ["client_secret_post", "none"].first(where: methods.contains)
    }

    private static func secret(_ reader: ResponseReader, _ name: String) throws(OAuthError) -> Secret? {
        guard let text = try reader.string(name), !text.isEmpty else { return nil }
        guard isVisible(text) else { throw reader.wrong(name, UserMessage("phrase.expected_printable_ascii")) }
        return Secret(text)
    }

    /// Reads `client_secret_expires_at`: seconds since 1970, or 0 for never.
    private static func secretExpiry(_ reader: ResponseReader) throws(OAuthError) -> Timestamp? {
        guard let value = reader.object["client_secret_expires_at"], value != .null else { return nil }
        guard let seconds = value.double ?? value.string.flatMap({ Int64($0) }).map(Double.init), seconds >= 0 else {
            throw reader.wrong("client_secret_expires_at", UserMessage("phrase.expected_time"))
        }
        return seconds == 0 ? nil : Timestamp(seconds: seconds)
    }

    private static func isVisible(_ text: String) -> Bool { text.utf8.allSatisfy { (0x20...0x7E).contains($0) } }

    /// The request that deletes the registration (RFC 7592 section 2.3); `nil` if the provider does not offer this.
    public var deletion: WebRequest? {
        management.map {
            WebRequest(
                method: .delete, url: $0.url,
                headers: [("Authorization", "Bearer \($0.token.reveal())"), ("Accept", "application/json")],
                hasSecretPath: true)
        }
    }

    /// Validates the response to a deletion. 401, 404 and 410 mean that the registration was already deleted (section 2.3).
    ///
    /// - Throws: ``OAuthError``. If it is transient, try again later.
    public static func validateDeletion(_ response: WebResponse, host: String?, now: Timestamp) throws(OAuthError) {
        if [401, 404, 410].contains(response.status) { return }
        try response.requireSuccess(.registration, host: host, now: now, success: [200, 202, 204])
    }
}
