public import AuthModel

extension ProviderKind {
    /// The definition of the kind. This is the only list of all kinds.
    public var definition: any KindDefinition {
        switch self {
        case .oidc: OpenIDKind()
        case .oauth2: OAuthKind()
        case .exchange: ExchangeKind()
        case .mapsIndoors: MapsIndoorsKind()
        case .beyondIdentity: BeyondIdentityKind()
        case .arcGIS: ArcGISKind()
        case .openWeb: OpenWebKind()
        }
    }
}

extension ProviderConfiguration {
    /// How requests to this provider's resources are made.
    public var resourceDialect: any ResourceDialect { kind.definition.resourceDialect(of: self) }

    /// Asks the provider what its kind can ask without a user, and returns the result in a few words; `nil` if there is nothing to ask
    /// except published metadata.
    ///
    /// - Throws: the provider's refusal, or the reason why it could not be asked.
    public func finding(in environment: EngineEnvironment) async throws(AuthFailure) -> String? {
        try await makeAdapter(in: environment).finding()
    }

    /// Creates the adapter for this provider.
    func makeAdapter(in environment: EngineEnvironment) -> any ProviderAdapter {
        kind.definition.makeAdapter(for: self, environment: environment)
    }
}
