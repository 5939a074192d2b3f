import AuthEngine
import AuthModel
import OAuth
import SessionStore

/// The adapter for OpenID Connect and plain OAuth 2: kinds `oidc` and `oauth2`.
///
/// The `OAuth` library makes the decisions. This type carries them out in order, and does the input and output.
struct OpenIDAdapter: ProviderAdapter, RestrictedRenewal, SessionIntrospection {
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
        var policy = TransportPolicy(caFile: configuration.caFile)
        if presentingCertificate, authentication == .tls { policy.clientCertificate = .init(of: configuration) }
        return policy
    }

    /// Sends a request.
    ///
    /// - Parameter presentingCertificate: whether to present the client certificate, if there is one; false for servers of others.
    func send(_ request: WebRequest, presentingCertificate: Bool = true) async throws(AuthFailure) -> WebResponse {
        try await environment.transport.send(request, policy: policy(presentingCertificate: presentingCertificate))
    }

    var authentication: ProviderConfiguration.ClientAuthentication { configuration.resolvedAuthentication }

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
            return client(credential, secret: secret)
        } catch {
            throw error.failure
        }
    }

    private func client(_ credential: ClientCredential, secret: Secret? = nil) -> OAuthClient {
        OAuthClient(id: configuration.clientID, credential: credential, secret: secret, dialect: configuration.dialect)
    }

    /// Returns the credential of the configured client, if Yett registered it and the server gave it a secret; `nil` for any other client.
    private func registeredCredential() async throws(AuthFailure) -> ClientCredential? {
        guard configuration.registeredScopes != nil, configuration.clientSecret == nil, let issuer = configuration.issuer else {
            return nil
        }
        return try await registeredCredential(of: configuration.clientID, at: issuer)
    }

    /// Returns the credential of a client that Yett registered at an issuer, the configured or a former one; `nil` if it has no secret.
    func registeredCredential(of clientID: String, at issuer: Issuer) async throws(AuthFailure) -> ClientCredential? {
        guard let kept = try await environment.registration(clientID, issuer), let secret = kept.secret else { return nil }
        // Another registration helps, as for a client that the server forgot.
        if let end = kept.secretExpiresAt, end <= environment.time.now {
            throw AuthFailure(
                .unknownClient, "registration.client_secret_expired",
                hint: UserMessage("hint.register_again", ["provider": configuration.name]))
        }
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
                of: configuration.clientID, key: key, at: metadata, dialect: configuration.dialect, now: environment.time.now,
                using: &random)
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

    /// Sends a request with client authentication to the authorization server. With a key, it has a DPoP proof, and is sent again if the
    /// server requires a nonce in it.
    ///
    /// The client authentication is made again for each try, because an assertion is valid for one request.
    func ask(
        _ metadata: ProviderMetadata, proving prover: ProofSigner? = nil, _ build: (OAuthClient) throws(OAuthError) -> WebRequest
    ) async throws(AuthFailure) -> (response: WebResponse, client: OAuthClient) {
        typealias Try = (request: WebRequest, client: OAuthClient)
        return try await send(as: .authorizationServer, proving: prover) { () async throws(AuthFailure) -> Try in
            let client = try await client(metadata)
            do throws(OAuthError) { return (try build(client), client) } catch { throw error.failure }
        }
    }

    /// Sends a request with an access token to a resource, with a DPoP proof if the token is bound to a key.
    func fetch(_ request: WebRequest, with accessToken: Secret, proving prover: ProofSigner?) async throws(AuthFailure) -> WebResponse {
        try await send(as: .resourceServer, proving: prover, accessToken: accessToken) { (request, ()) }.response
    }

    /// Sends a request, with a DPoP proof if there is a key, and a second time if the server requires a nonce in the proof.
    ///
    /// - Parameter build: returns the request for each try, and the client that it is from.
    private func send<Client>(
        as role: ProofNonces.Role, proving prover: ProofSigner?, accessToken: Secret? = nil,
        _ build: () async throws(AuthFailure) -> (request: WebRequest, client: Client)
    ) async throws(AuthFailure) -> (response: WebResponse, client: Client) {
        var isRetry = false
        while true {
            let (plain, client) = try await build()
            guard let prover else { return (try await send(plain), client) }
            let request = try await prover.prove(plain, as: role, accessToken: accessToken)
            let response = try await send(request)
            guard await prover.nonces.wantsRetry(after: response, to: request, as: role, isRetry: isRetry) else {
                return (response, client)
            }
            isRetry = true
        }
    }

    /// Creates the key for a new session's tokens; `nil` if the provider binds none, or if DPoP is off.
    func newProver(_ metadata: ProviderMetadata) throws(AuthFailure) -> ProofSigner? {
        do { guard try ProofOfPossession.isUsed(configuration.proofs, at: metadata) else { return nil } } catch { throw error.failure }
        var random = SystemRandomNumberGenerator()
        return ProofSigner(key: ProofKeyPair(using: &random), nonces: nonces, time: environment.time)
    }

    /// Returns the key that a session's tokens are bound to.
    func prover(of record: SessionRecord) -> ProofSigner? {
        SessionExtras(record.extras).dpopKey.map { ProofSigner(key: $0, nonces: nonces, time: environment.time) }
    }

    /// Returns the failure for an error of the token endpoint. An unbound token instead of a requested bound one is a downgrade, not an
    /// unknown token type. A refusal because of a missing proof names the configuration key that enables proofs.
    func failure(_ error: OAuthError, proving prover: ProofSigner?) -> AuthFailure {
        if prover == nil, configuration.proofs == .off, error.wantsProof {
            return AuthFailure(
                .configuration, UserMessage("token.only_bound_tokens", ["host": error.host ?? address]),
                hint: UserMessage("hint.set_dpop_required", ["provider": configuration.name]))
        }
        guard prover != nil, error.kind == .tokenTypeNotUnderstood else { return error.failure }
        return AuthFailure(
            .security, UserMessage("token.not_bound_although_requested", ["host": error.host ?? address]),
            hint: UserMessage("hint.set_dpop_off", ["provider": configuration.name]))
    }
}

extension OAuthError {
    /// Whether the server refused a request because it carries no DPoP proof (RFC 9449 sections 5 and 8).
    fileprivate var wantsProof: Bool {
        switch kind {
        case .nonceRequired: true
        case .refused(let error, _): error.code == "invalid_dpop_proof"
        default: false
        }
    }
}

/// Signs DPoP proofs that a session's requests come from the holder of its key (RFC 9449).
struct ProofSigner: Sendable {
    let key: ProofKeyPair
    /// The nonces of the provider, shared by all its sessions.
    let nonces: NonceStore
    let time: any TimeSource

    /// Returns `request` with a new proof, which has the newest nonce of the server that the request is sent to.
    func prove(_ request: WebRequest, as role: ProofNonces.Role, accessToken: Secret? = nil) async throws(AuthFailure) -> WebRequest {
        let nonce = await nonces.nonce(for: request.url, as: role)
        var random = SystemRandomNumberGenerator()
        do {
            return try request.proved(by: key, accessToken: accessToken, nonce: nonce, now: time.now, using: &random)
        } catch {
            throw error.failure
        }
    }
}

/// The newest nonce of each of a provider's servers.
actor NonceStore {
    private var nonces = ProofNonces()

    func nonce(for url: WebURL, as role: ProofNonces.Role) -> String? { nonces.nonce(for: url, as: role) }

    /// Stores the nonce of an answer. Returns whether to send the request again with a new proof.
    func wantsRetry(after response: WebResponse, to request: WebRequest, as role: ProofNonces.Role, isRetry: Bool) -> Bool {
        nonces.retryNonce(after: response, to: request, as: role, isRetry: isRetry) != nil
    }
}
