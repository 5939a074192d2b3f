package import AuthModel

/// Decides whether a page may sign the user in for the token endpoint of a provider that a resource named.
///
/// The metadata of such a provider are untrusted. They could name the page, or the device codes, of another server, where their own server
/// has registered the client, beside their own token endpoint: the code would go there, and with it the user's account at the other server
/// (RFC 9700 section 4.4). So both are of one site, or known to belong together: by this program, by endpoints of the configuration, or by
/// the user (`sign_in_hosts`). This is asked each time that a page is opened or a device code is shown, because metadata change.
package struct SignInSites: Sendable {
    /// Returns whether this program knows that a page and a token endpoint belong together, at the provider with an issuer.
    package typealias Knowledge = @Sendable (_ issuer: Issuer?, _ page: Origin, _ tokens: Origin) -> Bool

    private let provider: ProviderConfiguration
    private let isKnown: Knowledge

    /// Creates the rule for a provider.
    package init(_ provider: ProviderConfiguration, isKnown: @escaping Knowledge) {
        self.provider = provider
        self.isKnown = isKnown
    }

    /// Throws `.security` if nothing says that a page and the endpoint that gets the tokens belong together.
    ///
    /// - Parameters:
    ///   - page: the page, or an endpoint that leads to it.
    ///   - endpoint: the endpoint that named the page in its response; `nil` for a page of the metadata.
    package func require(_ page: WebURL, namedBy endpoint: WebURL? = nil, tokens: WebURL) throws(AuthFailure) {
        guard !accepts(page, namedBy: endpoint, tokens: tokens) else { return }
        throw .hostsNotConfirmed(page: page.origin, tokens: tokens.origin, at: provider.name)
    }

    /// Returns the hosts of metadata that ``require(_:namedBy:tokens:)`` would refuse, and that of the token endpoint last; empty if there
    /// are none.
    package func unconfirmedHosts(of metadata: ProviderMetadata) -> [String] {
        guard let tokens = metadata.tokenEndpoint else { return [] }
        let pages = [metadata.authorizationEndpoint, metadata.deviceAuthorizationEndpoint, metadata.pushedAuthorizationEndpoint]
        var hosts: [String] = []
        for case let page? in pages where !accepts(page, tokens: tokens) && !hosts.contains(page.origin.authority) {
            hosts.append(page.origin.authority)
        }
        return hosts.isEmpty ? [] : hosts + [tokens.origin.authority]
    }

    private func accepts(_ page: WebURL, namedBy endpoint: WebURL? = nil, tokens: WebURL) -> Bool {
        let isForResource = !provider.resources.isEmpty && [.oidc, .oauth2].contains(provider.kind)
        guard isForResource, !page.origin.isOnSite(of: tokens.origin) else { return true }
        let (source, target) = (page.origin, tokens.origin)
        // What the user set by hand for both is no claim of a server.
        if configured.contains((endpoint ?? page).origin), configured.contains(target) { return true }
        if provider.signInHosts.contains(where: source.isNamed), provider.signInHosts.contains(where: target.isNamed) { return true }
        return isKnown(provider.issuer, source, target)
    }

    /// The origins of the endpoints in the configuration.
    private var configured: Set<Origin> {
        let endpoints = provider.endpoints
        let urls = [endpoints.authorization, endpoints.deviceAuthorization, endpoints.token, provider.dialect.device.tokenEndpoint]
        return Set(urls.compactMap { $0?.origin })
    }
}

extension Origin {
    /// Whether a page is on the host that gets the tokens, with or without `www.`, or on a host below it: the owner of a host decides about
    /// those below it. The reverse is not true, because many sites give hosts below their own to users. Another port may be another user's
    /// program.
    fileprivate func isOnSite(of tokens: Origin) -> Bool {
        guard scheme == tokens.scheme, port == tokens.port else { return false }
        return host == tokens.host || host == "www." + tokens.host || "www." + host == tokens.host || host.hasSuffix("." + tokens.host)
    }
}
