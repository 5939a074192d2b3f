internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import SessionStore

/// The adapter for OpenID Connect and plain OAuth 2: kinds `oidc` and `oauth2`.
///
/// The `OAuth` library makes the decisions. This type carries them out in order, and does the input and output.
struct OpenIDAdapter: ProviderAdapter, RestrictedRenewal, SessionIntrospection, TokenIntrospection, ClientChecking {
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    let documents: ProviderDocuments
    let nonces = NonceStore()
    /// Returns the URL that the browser opens for an authorization request, for providers that must be asked first; `nil`: the URL of the
    /// request itself.
    var resolveAuthorizationURL: (@Sendable (WebURL) async throws(AuthFailure) -> WebURL)?

    /// Creates the adapter.
    ///
    /// - Parameter requirement: what the provider's metadata must contain; `nil`: what a sign-in of its kind reads.
    init(
        configuration: ProviderConfiguration, environment: EngineEnvironment, requirement: ProviderMetadata.Requirement? = nil
    ) {
        self.configuration = configuration
        self.environment = environment
        documents = ProviderDocuments(configuration: configuration, environment: environment, requirement: requirement)
    }

    var address: String {
        configuration.issuer?.text ?? configuration.endpoints.authorization?.origin.description ?? configuration.name.text
    }

    private func policy(presentingCertificate: Bool) -> TransportPolicy {
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        if presentingCertificate, authentication == .tls { policy.clientCertificate = .init(of: configuration) }
        return policy
    }

    /// Sends a request.
    ///
    /// - Parameter presentingCertificate: whether to present the client certificate, if there is one; false for servers of others.
    func send(_ request: WebRequest, presentingCertificate: Bool = true) async throws(AuthFailure) -> WebResponse {
        try await environment.transport.send(request, policy: policy(presentingCertificate: presentingCertificate))
    }

    var authentication: ProviderConfiguration.ClientAuthentication { configuration.settledAuthentication }

    /// Returns the client with its credential for one request to the provider's endpoints.
    func client(_ metadata: ProviderMetadata) async throws(AuthFailure) -> OAuthClient {
        let authentication = authentication
        if authentication == .privateKeyJWT { return client(try assertion(metadata)) }
        if authentication == .tls { try checkCertificate() }
        if let registered = try await registeredCredential() { return client(registered) }
        var secret: Secret?
        if let source = configuration.clientSecret {
            secret = try await ClientSecretSource.read(source, environment: environment.commandEnvironment)
        }
        do {
            let credential = try ClientCredential.choose(authentication, secret: secret, methods: metadata.tokenAuthenticationMethods)
            return client(credential)
        } catch {
            throw error.failure
        }
    }

    private func client(_ credential: ClientCredential) -> OAuthClient {
        OAuthClient(id: configuration.clientID, credential: credential, dialect: configuration.dialect)
    }

    /// Returns the credential of a client that Yett registered and the server gave a secret; `nil` for any other client.
    private func registeredCredential() async throws(AuthFailure) -> ClientCredential? {
        guard configuration.registeredScopes != nil, configuration.clientSecret == nil, let issuer = configuration.issuer,
            let kept = try await environment.registration(configuration.clientID, issuer), let secret = kept.secret
        else { return nil }
        let client = RegisteredClient(
            issuer: issuer, clientID: kept.clientID, secret: secret, secretExpiresAt: kept.secretExpiresAt,
            authenticationMethod: kept.authenticationMethod)
        do { return try client.credential(now: environment.time.now) } catch { throw error.failure }
    }

    func checkClient() async throws(AuthFailure) {
        let metadata = try await documents.metadata()
        let isRegistered = configuration.registeredScopes != nil
        // A server may never allow this check to a public client that was registered by hand.
        guard isRegistered || isConfidential, try await isRefused(at: metadata) else { return }
        throw AuthFailure(
            .unknownClient,
            UserMessage(isRegistered ? "client.registration_forgotten" : "client.rejected", ["host": address]),
            hint: UserMessage(
                isRegistered ? "hint.register_again" : "hint.check_client_in_provider", ["provider": configuration.name]))
    }

    private var isConfidential: Bool {
        configuration.clientSecret != nil || [.privateKeyJWT, .tls].contains(configuration.clientAuthentication)
    }

    /// Whether the server refuses the client as unknown.
    private func isRefused(at metadata: ProviderMetadata) async throws(AuthFailure) -> Bool {
        guard metadata.tokenEndpoint != nil else { return false }
        return ClientCheck.isUnknownClient(
            try await ask(metadata) { (client) throws(OAuthError) in try ClientCheck.request(client, at: metadata) }.response)
    }

    private func assertion(_ metadata: ProviderMetadata) throws(AuthFailure) -> ClientCredential {
        guard let path = configuration.clientKeyFile else {
            throw AuthFailure(
                .configuration, UserMessage("client.key_missing", ["provider": configuration.name]),
                hint: "hint.set_client_key_file")
        }
        let key = try ClientKeyFile.read(path, keyID: configuration.clientKeyID)
        var random = SystemRandomNumberGenerator()
        do {
            return try ClientAssertion.credential(
                of: configuration.clientID, key: key, at: metadata, now: environment.time.now, using: &random)
        } catch {
            throw error.failure
        }
    }

    private func checkCertificate() throws(AuthFailure) {
        guard let certificate = configuration.clientCertificateFile else {
            throw AuthFailure(
                .configuration, UserMessage("client.certificate_missing", ["provider": configuration.name]),
                hint: "hint.set_client_certificate_file")
        }
        if let path = configuration.clientKeyFile { try ClientKeyFile.check(path) }
        try TransportPolicy.ClientCertificate(certificateFile: certificate, keyFile: configuration.clientKeyFile).check()
    }
}
