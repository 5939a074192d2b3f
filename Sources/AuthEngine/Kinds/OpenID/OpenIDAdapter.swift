internal import AuthModel
internal import OAuth
internal import SessionStore

/// OpenID Connect and plain OAuth 2: kinds `oidc` and `oauth2`.
///
/// Decisions are the library's (`OAuth`): this type does what they say, in their order, at the edge.
struct OpenIDAdapter: ProviderAdapter {
    let configuration: ProviderConfiguration
    let environment: EngineEnvironment
    let documents: ProviderDocuments
    let nonces = NonceBook()
    /// Says where the browser goes for an authorization request, at providers that want to be asked first; `nil`: to the request itself.
    var entrance: (@Sendable (WebURL) async throws(AuthFailure) -> WebURL)?

    /// - Parameter requirement: what the provider's metadata must hold; `nil`: what a sign-in of its kind reads.
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
        if presentingCertificate, authentication == .tls, let certificate = configuration.clientCertificateFile {
            policy.clientCertificate = .init(certificateFile: certificate, keyFile: configuration.clientKeyFile)
        }
        return policy
    }

    /// - Parameter presentingCertificate: whether the client's certificate is shown, where it has one; not to servers of others.
    func send(_ request: WebRequest, presentingCertificate: Bool = true) async throws(AuthFailure) -> WebResponse {
        try await environment.transport.send(request, policy: policy(presentingCertificate: presentingCertificate))
    }

    var authentication: ProviderConfiguration.ClientAuthentication { configuration.settledAuthentication }

    /// The client as it shows itself in one request to the provider's endpoints.
    func client(_ metadata: ProviderMetadata) async throws(AuthFailure) -> OAuthClient {
        let authentication = authentication
        if authentication == .privateKeyJWT { return OAuthClient(id: configuration.clientID, credential: try assertion(metadata)) }
        if authentication == .tls { try checkCertificate() }
        var secret: Secret?
        if let source = configuration.clientSecret {
            secret = try await ClientSecretSource.read(source, environment: environment.commandEnvironment)
        }
        do {
            let credential = try ClientCredential.choose(authentication, secret: secret, methods: metadata.tokenAuthenticationMethods)
            return OAuthClient(id: configuration.clientID, credential: credential)
        } catch {
            throw error.failure
        }
    }

    private func assertion(_ metadata: ProviderMetadata) throws(AuthFailure) -> ClientCredential {
        guard let path = configuration.clientKeyFile else {
            throw AuthFailure(
                .configuration, "client_auth private_key_jwt of \(configuration.name) needs a key",
                hint: "set client_key_file to a PEM file with the client's private key")
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
                .configuration, "client_auth tls of \(configuration.name) needs a certificate",
                hint: "set client_certificate_file, and client_key_file where its key stands in another file")
        }
        if let path = configuration.clientKeyFile { try ClientKeyFile.check(path) }
        try TransportPolicy.ClientCertificate(certificateFile: certificate, keyFile: configuration.clientKeyFile).check()
    }
}
