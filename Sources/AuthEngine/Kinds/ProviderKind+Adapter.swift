internal import AuthModel

/// The adapter for a provider of that kind.
func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter {
    switch configuration.kind {
    case .oidc, .oauth2: OpenIDAdapter(configuration: configuration, environment: environment)
    case .beyondIdentity:
        // A configuration of this kind always has its settings; without any there is nothing that could be asked.
        configuration.beyondIdentity.map {
            BeyondIdentityAdapter(configuration: configuration, environment: environment, settings: $0)
        } ?? OpenIDAdapter(configuration: configuration, environment: environment)
    case .mapsIndoors: MapsIndoorsAdapter(configuration: configuration, environment: environment)
    case .exchange: ExchangeAdapter(configuration: configuration, environment: environment)
    }
}
