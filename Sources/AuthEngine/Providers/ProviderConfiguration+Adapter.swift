public import AuthModel

extension ProviderConfiguration {
    /// Asks the provider what its kind can ask without a user, and returns the result in a few words; `nil` if there is nothing to ask
    /// except published metadata.
    ///
    /// - Throws: the provider's refusal, or the reason why it could not be asked.
    public func finding(in environment: EngineEnvironment) async throws(AuthFailure) -> UserMessage? {
        try await makeAdapter(in: environment).finding()
    }

    /// Creates the adapter for this provider.
    func makeAdapter(in environment: EngineEnvironment) -> any ProviderAdapter { environment.makeAdapter(self, environment) }
}
