package import AuthModel
package import OAuth

/// The requests that planning a provider sends, without the user and without a credential.
package protocol ProviderDiscovery: Sendable {
    /// Returns the metadata of a provider that has an issuer.
    func metadata(of provider: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata

    /// Calls `url` without a token and returns the challenge of its answer; `nil` if it does not ask for a token.
    func challenge(at url: WebURL) async throws(AuthFailure) -> Challenge?

    /// Returns the metadata of the protected resource at `url` (RFC 9728).
    func resource(at url: WebURL, challenge: Challenge?) async throws(AuthFailure) -> DiscoveredResource

    /// Asks a provider without metadata in the way that its kind defines; returns `nil` if the kind defines none.
    func finding(of provider: ProviderConfiguration) async throws(AuthFailure) -> UserMessage?
}
