public import AuthModel

/// A role of a provider.
public protocol ProviderRole: Sendable {
    /// The configuration of the provider.
    var configuration: ProviderConfiguration { get }
}
