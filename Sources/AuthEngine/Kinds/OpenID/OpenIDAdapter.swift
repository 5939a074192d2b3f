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

    init(configuration: ProviderConfiguration, environment: EngineEnvironment) {
        self.configuration = configuration
        self.environment = environment
        documents = ProviderDocuments(configuration: configuration, environment: environment)
    }

    var address: String {
        configuration.issuer?.text ?? configuration.endpoints.authorization?.origin.description ?? configuration.name.text
    }

    var policy: TransportPolicy {
        var policy = TransportPolicy.standard
        policy.caFile = configuration.caFile
        return policy
    }

    func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        try await environment.transport.send(request, policy: policy)
    }

    /// The client as it shows itself at the provider's endpoints.
    func client(_ metadata: ProviderMetadata) async throws(AuthFailure) -> OAuthClient {
        var secret: Secret?
        if let source = configuration.clientSecret {
            secret = try await ClientSecretSource.read(source, environment: environment.commandEnvironment)
        }
        do {
            let credential = try ClientCredential.choose(
                configuration.clientAuthentication, secret: secret, methods: metadata.tokenAuthenticationMethods)
            return OAuthClient(id: configuration.clientID, credential: credential)
        } catch {
            throw error.failure
        }
    }
}

/// The adapter for a provider of that kind.
func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
    switch configuration.kind {
    case .oidc, .oauth2: OpenIDAdapter(configuration: configuration, environment: environment)
    }
}
