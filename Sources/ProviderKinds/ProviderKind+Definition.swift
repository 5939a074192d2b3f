public import AuthEngine
public import AuthModel
public import OAuth

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
    /// The rules for requests to this provider's resources.
    public var resourceDialect: any ResourceDialect { kind.definition.resourceDialect(of: self) }
}

extension EngineEnvironment {
    /// Creates the adapters of all kinds.
    public static let allKinds: AdapterFactory = { $0.kind.definition.makeAdapter(for: $0, environment: $1) }
}
