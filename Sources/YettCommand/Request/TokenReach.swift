internal import AuthModel

/// Where a provider's tokens may be sent: the hosts in `api_hosts`, and the origins of the resources they are for.
struct TokenReach {
    let provider: ProviderConfiguration

    /// Whether a token may go to `url`. A host that is written without a port is its scheme's own port.
    func includes(_ url: WebURL) -> Bool {
        guard url.isProtected else { return false }
        return provider.apiHosts.contains(url.origin.authority.lowercased())
            || provider.resources.contains { WebURL($0)?.origin == url.origin }
    }

    /// Refuses every address a token must not go to. Nothing is sent before this was asked.
    ///
    /// - Parameter configuration: all providers, to name the one whose tokens are for it.
    func require(_ url: WebURL, in configuration: Configuration) throws(AuthFailure) {
        guard !includes(url) else { return }
        let host = url.origin.authority
        let right = configuration.providers.first { $0.name != provider.name && TokenReach(provider: $0).includes(url) }
        throw AuthFailure(
            .security, "tokens of \(provider.name) are not sent to \(host)",
            hint: right.map { "those of \($0.name) are: yett request \($0.name) \(url)" }
                ?? "if they belong there, add it: api_hosts = [\"\(host)\"] in [providers.\(provider.name)]")
    }
}
