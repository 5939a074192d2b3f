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
