package import AuthModel
package import OAuth

/// The network requests of planning a provider, without the user and without a credential.
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

extension ProviderDiscovery {
    /// Returns the metadata of an authorization server that a resource names, perhaps in another spelling of the same URL than its own:
    /// ``AuthModel/Issuer/isSameURL(as:)``. The document's spelling is the issuer.
    package func serverMetadata(of server: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata {
        do throws(AuthFailure) {
            return try await metadata(of: server)
        } catch {
            guard let issuer = server.issuer, let named = error.namedIssuer.flatMap(Issuer.init), issuer.isSameURL(as: named) else {
                throw error
            }
            var server = server
            server.issuer = named
            return try await metadata(of: server)
        }
    }
}
