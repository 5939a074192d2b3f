package import AuthModel

/// Decides whether a page may sign the user in at a provider that a resource named.
///
/// The metadata of such a provider are untrusted, and change, so two rules are asked each time that a page is opened or a device code is
/// shown:
///
/// 1. The page and the token endpoint belong together. Otherwise the metadata could name the page, or the device codes, of another server,
///    where their own server has registered the client, beside their own token endpoint: the code would go there, and with it the user's
///    account at the other server (RFC 9700 section 4.4). So both are of one site, or known to belong together: by this program, by
///    endpoints of the configuration, or by the user (`sign_in_hosts`).
/// 2. The token endpoint belongs to the issuer. Otherwise the metadata could name the page and the token endpoint of another service
///    together, and the resource would get its tokens. So one of the two is of the issuer's domain, or known to belong to it.
package struct SignInSites: Sendable {
    /// Returns whether this program knows that a page and a token endpoint belong together, or an endpoint and the issuer, at the provider
    /// with this issuer.
    package typealias Knowledge = @Sendable (_ issuer: Issuer?, _ page: Origin, _ tokens: Origin) -> Bool

    private let provider: ProviderConfiguration
    private let isKnown: Knowledge

    /// Creates the rule for a provider.
    package init(_ provider: ProviderConfiguration, isKnown: @escaping Knowledge) {
        self.provider = provider
        self.isKnown = isKnown
    }

    /// Throws `.security` if nothing says that a page, the token endpoint and the issuer belong together.
    ///
    /// - Parameters:
    ///   - page: the page, or an endpoint that leads to it.
    ///   - endpoint: the endpoint that named the page in its response; `nil` for a page of the metadata.
    package func require(
        _ page: WebURL, namedBy endpoint: WebURL? = nil, tokens: WebURL, at metadata: ProviderMetadata
    ) throws(AuthFailure) {
        let pages = Self.pages(of: metadata).filter { accepts($0, tokens: tokens) }
        guard !accepts(page, namedBy: endpoint, tokens: tokens) || !isOfIssuer(pages + [tokens], tokens: tokens) else { return }
        let isRefused = !unanswered.accepts(page, namedBy: endpoint, tokens: tokens)
        let hosts = unanswered.refusedHosts(of: metadata, tokens: tokens, after: isRefused ? [page.origin.authority] : [])
        throw .hostsNotConfirmed(hosts, at: provider.name)
    }

    /// Returns the hosts of metadata that only the user can confirm: the pages, the host that gets the tokens, and last the issuer's if it
    /// is not known that the others are of its service. Empty if there are none.
    package func unconfirmedHosts(of metadata: ProviderMetadata) -> [String] {
        metadata.tokenEndpoint.map { unanswered.refusedHosts(of: metadata, tokens: $0) } ?? []
    }

    private func refusedHosts(of metadata: ProviderMetadata, tokens: WebURL, after first: [String] = []) -> [String] {
        var hosts = first
        let pages = Self.pages(of: metadata)
        for page in pages + [metadata.pushedAuthorizationEndpoint].compactMap(\.self) where !accepts(page, tokens: tokens) {
            if !hosts.contains(page.origin.authority) { hosts.append(page.origin.authority) }
        }
        if !hosts.isEmpty { hosts.append(tokens.origin.authority) }
        guard let own = provider.issuer?.url.origin.authority, !isOfIssuer(pages + [tokens], tokens: tokens) else { return hosts }
        if hosts.isEmpty { hosts.append((pages.first ?? tokens).origin.authority) }
        return hosts.filter { $0 != own } + [own]
    }

    /// Whether userinfo may get the token of a sign-in: it is of the domain of the issuer or of the token endpoint, or known to belong to
    /// the issuer.
    package func acceptsUserInfo(at endpoint: WebURL, tokens: WebURL?) -> Bool {
        provider.endpoints.userInfo == endpoint || tokens?.origin.hasDomain(of: endpoint.origin) == true
            || isOfIssuer([endpoint], tokens: tokens)
    }

    /// The rules before the user confirmed any hosts. An answer has all hosts of the metadata, so that one is enough.
    private var unanswered: SignInSites {
        var provider = provider
        provider.signInHosts = []
        return SignInSites(provider, isKnown: isKnown)
    }

    /// Whether the metadata of a resource's server name what it asks about, and not the user.
    private var isForResource: Bool { !provider.resources.isEmpty && [.oidc, .oauth2].contains(provider.kind) }

    private static func pages(of metadata: ProviderMetadata) -> [WebURL] {
        [metadata.authorizationEndpoint, metadata.deviceAuthorizationEndpoint].compactMap(\.self)
    }

    /// The first rule.
    private func accepts(_ page: WebURL, namedBy endpoint: WebURL? = nil, tokens: WebURL) -> Bool {
        guard isForResource, !page.origin.isOnSite(of: tokens.origin) else { return true }
        let (source, target) = (page.origin, tokens.origin)
        // What the user set by hand for both is no claim of a server. Only an endpoint for device codes names a page; that of a document
        // may be on the origin of another one, which is configured for each server without a document.
        let isConfigured = endpoint.map { $0.origin == provider.endpoints.deviceAuthorization?.origin } ?? configured.contains(source)
        if isConfigured, configured.contains(target) { return true }
        return isConfirmed(source, target) || isKnown(provider.issuer, source, target)
    }

    /// The second rule, for endpoints that belong together. One of them is enough.
    private func isOfIssuer(_ endpoints: [WebURL], tokens: WebURL?) -> Bool {
        let isByHand = tokens.map { configured.contains($0.origin) } ?? false
        guard isForResource, !isByHand, let own = provider.issuer?.url.origin else { return true }
        return endpoints.map(\.origin).contains { $0.hasDomain(of: own) || isConfirmed($0, own) || isKnown(provider.issuer, $0, own) }
    }

    /// Whether the user confirmed that two hosts belong together. The last host of an answer gets the tokens, and the others are not
    /// confirmed for each other; if it is the issuer's, all belong to it.
    private func isConfirmed(_ source: Origin, _ target: Origin) -> Bool {
        let hosts = provider.signInHosts
        guard let last = hosts.last, hosts.contains(where: source.isNamed), hosts.contains(where: target.isNamed) else { return false }
        return hosts.count == 2 || target.isNamed(by: last) || provider.issuer?.url.origin.isNamed(by: last) == true
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

extension Origin {
    /// Whether two hosts are of one domain, as far as their names tell it: `mcp.example.com` and `login.example.com` are, `a.co.uk` and
    /// `b.co.uk` are not, nor are those of two customers of the known hosting services. Another port may be another user's program, except
    /// on this machine.
    fileprivate func hasDomain(of other: Origin) -> Bool {
        guard !Set(["localhost", "127.0.0.1", "::1"]).isSuperset(of: [host, other.host]) else { return true }
        guard port == other.port || isThisMachine else { return false }
        guard host != other.host, !isAddress else { return host == other.host }
        if host.hasSuffix("." + other.host) || other.host.hasSuffix("." + host) { return true }
        let shared = zip(host.split(separator: ".").reversed(), other.host.split(separator: ".").reversed()).prefix { $0 == $1 }.map(\.0)
        // Some of these services put a region before the customer's host.
        let domain = "." + shared.reversed().joined(separator: ".")
        guard !Self.hostingDomains.contains(where: { domain.hasSuffix("." + $0) }) else { return false }
        return shared.count > 2 || shared.count == 2 && (shared[0].utf8.count > 2 || shared[1].utf8.count > 3)
    }

    /// The domains below which hosting services give hosts to their customers; not all of them.
    private static let hostingDomains: Set = [
        "amazonaws.com", "appspot.com", "auth0.com", "azurecontainerapps.io", "azurewebsites.net", "cloudapp.azure.com", "cloudfront.net",
        "deno.dev", "firebaseapp.com", "fly.dev", "github.io", "hana.ondemand.com", "herokuapp.com", "hf.space", "lovable.app",
        "netlify.app", "ngrok-free.app", "ngrok.io", "okta.com", "onrender.com", "oryapis.com", "pages.dev", "replit.app", "run.app",
        "trycloudflare.com", "up.railway.app", "vercel.app", "web.app", "workers.dev",
    ]
}
