public import AuthModel

/// The functions for adding providers, passed in by the composition root: this module accesses no network and no file.
public struct ProviderOnboarding: Sendable {
    /// The available presets.
    public var presets: ServiceChoices
    /// Reads the provider's metadata. Writes nothing.
    public var find: @Sendable (ProviderDraft) async throws(AuthFailure) -> ProviderFinding
    /// Registers the client if requested, and writes the provider to the configuration. Throws `.security` if the provider's metadata
    /// differs from what the user confirmed.
    public var add: @Sendable (ProviderOffer) async throws(AuthFailure) -> ProviderName
    /// Registers a provider's client again after the server has forgotten it, and writes it to the configuration; false for a manually
    /// registered client, which stays unchanged.
    public var renewClient: @Sendable (ProviderName) async throws(AuthFailure) -> Bool

    /// Creates the functions; by default no client can be registered again.
    public init(
        presets: ServiceChoices, find: @escaping @Sendable (ProviderDraft) async throws(AuthFailure) -> ProviderFinding,
        add: @escaping @Sendable (ProviderOffer) async throws(AuthFailure) -> ProviderName,
        renewClient: @escaping @Sendable (ProviderName) async throws(AuthFailure) -> Bool = { _ throws(AuthFailure) in false }
    ) {
        self.presets = presets
        self.find = find
        self.add = add
        self.renewClient = renewClient
    }
}
