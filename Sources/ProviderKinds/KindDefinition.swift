public import AuthEngine
public import AuthModel
public import OAuth
public import UserConfiguration

/// One provider kind: how it is configured, and the factories for its adapter and its resource dialect. Each kind's folder has one such
/// type, which ``AuthModel/ProviderKind/definition`` returns.
public protocol KindDefinition: KindConfiguration {
    /// Creates the adapter for a provider of the kind.
    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter

    /// Returns how requests to the resources of a provider of the kind are made.
    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect
}

extension KindDefinition {
    /// Default: ``OAuth/BearerDialect``.
    public func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect { BearerDialect() }
}

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
        case .awsSSO: IdentityCenterKind()
        }
    }
}

extension ProviderConfiguration {
    /// The form of requests to this provider's resources.
    public var resourceDialect: any ResourceDialect { kind.definition.resourceDialect(of: self) }
}

extension EngineEnvironment {
    /// Creates the adapters of all kinds.
    public static let allKinds: AdapterFactory = { $0.kind.definition.makeAdapter(for: $0, environment: $1) }
}
