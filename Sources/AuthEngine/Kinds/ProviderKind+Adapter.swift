internal import AuthModel

/// The adapter for a provider of that kind.
func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
    // A configuration of such a kind always has its settings; without any there is nothing that could be asked.
    switch configuration.own {
    case .arcGIS(let settings): return ArcGISAdapter(configuration: configuration, settings: settings, environment: environment)
    case .openWeb(let settings): return OpenWebAdapter(configuration: configuration, settings: settings, environment: environment)
    case .beyondIdentity(let settings):
        return BeyondIdentityAdapter(configuration: configuration, environment: environment, settings: settings)
    case .secureAccess(let settings):
        return SecureAccessAdapter(configuration: configuration, settings: settings, environment: environment)
    case .mapsIndoors, nil: break
    }
    return switch configuration.kind {
    case .oidc, .oauth2, .beyondIdentity, .arcGIS, .openWeb: OpenIDAdapter(configuration: configuration, environment: environment)
    case .mapsIndoors: MapsIndoorsAdapter(configuration: configuration, environment: environment)
    case .exchange: ExchangeAdapter(configuration: configuration, environment: environment)
    }
}
