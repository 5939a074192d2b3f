public import AuthModel

extension ProviderKind {
    /// What the kind knows: the one place where kinds are put together.
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
    /// How the resources of this provider are spoken to.
    public var resourceDialect: any ResourceDialect { kind.definition.resourceDialect(of: self) }

    /// Asks the provider what its kind can ask without a person: what was found, in a few words; `nil` where there is nothing to ask beside
    /// published metadata.
    ///
    /// - Throws: What the provider refused, or why it could not be asked.
    public func finding(in environment: EngineEnvironment) async throws(AuthFailure) -> String? {
        try await makeAdapter(in: environment).finding()
    }

    /// What signs in at this provider.
    func makeAdapter(in environment: EngineEnvironment) -> any ProviderAdapter {
        kind.definition.makeAdapter(for: self, environment: environment)
    }
}
