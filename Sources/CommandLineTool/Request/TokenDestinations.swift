internal import AuthEngine
internal import AuthModel
internal import Localization
internal import OAuth
internal import UserConfiguration

/// Decides where a provider's tokens may be sent: applies the provider's credential gate, and names the provider that an address belongs to
/// instead.
struct TokenDestinations {
    let provider: ProviderConfiguration
    private var gate: CredentialGate { CredentialGate(provider) }

    /// Returns whether a token may be sent to `url`. A host without a port means the default port of its scheme.
    func includes(_ url: WebURL) -> Bool { gate.admits(url) }

    /// Returns whether a token may be sent to a full URL that a tool names.
    ///
    /// This is stricter than ``includes(_:)``: a `resource` allows itself and what is below it, not its whole origin. Another resource
    /// there can belong to someone else.
    func includesAddress(_ url: WebURL) -> Bool { ![provider].closest(to: url, orAtHost: true).isEmpty }

    /// Whether a token may be sent to `url` because it may be sent to every path of its host.
    fileprivate func includesHost(of url: WebURL) -> Bool {
        includes(url) && (gate.isAPIHost(url.origin) || gate.isProviderURL(url, issuer: nil))
    }

    /// Throws if a token must not be sent to a full URL that a tool names: to `http://localhost` either, because the tool connects by
    /// itself, and the name may lead elsewhere.
    func requireAddress(_ url: WebURL, in configuration: Configuration) throws(AuthFailure) {
        try requireClosest(to: url, in: configuration)
        guard url.isProtected, includesAddress(url) else {
            try require(url, in: configuration)
            throw gate.refusal(of: url)
        }
    }

    /// Throws if a token must not be sent to `url`. Call it before anything is sent.
    ///
    /// - Parameters:
    ///   - configuration: all providers, so that the error can name the one whose tokens are for `url`.
    ///   - mayBeOfSession: whether an address of no provider passes if each session of this provider has an API host of its own. Only for a
    ///     caller that requests a token for `url`: the session service then decides.
    func require(_ url: WebURL, in configuration: Configuration, mayBeOfSession: Bool = false) throws(AuthFailure) {
        try requireClosest(to: url, in: configuration)
        guard !includes(url) else { return }
        _ = try CredentialGate.normalized(url)
        let right = other(for: url, in: configuration)
        if mayBeOfSession, gate.learnsHosts, right == nil { return }
        let refusal = gate.refusal(of: url)
        throw right.map { naming($0, for: url, in: refusal) } ?? refusal
    }

    /// Throws if `url` is of another provider's resource, and of none of this provider's that is as close: other paths and queries of an
    /// origin may belong to another tenant. For a host in `api_hosts`, the user has allowed all of them.
    func requireClosest(to url: WebURL, in configuration: Configuration) throws(AuthFailure) {
        let closest = configuration.providers.closest(to: url)
        guard let right = closest.first, !closest.contains(where: { $0.name == provider.name }), !includesHost(of: url) else { return }
        throw naming(right, for: url, in: gate.refusal(of: url))
    }

    /// Throws if `url` belongs to another provider. An address that belongs to no provider passes, because it may turn out to belong to
    /// this one.
    ///
    /// - Parameter isSignIn: whether the address is for a sign-in and no request is sent.
    func refuseOthers(_ url: WebURL, in configuration: Configuration, isSignIn: Bool = false) throws(AuthFailure) {
        guard !includes(url), let right = other(for: url, in: configuration) ?? kindSpecificOwner(of: url, in: configuration) else {
            return
        }
        _ = try CredentialGate.normalized(url)
        throw naming(right, for: url, in: gate.refusal(of: url), isSignIn: isSignIn)
    }

    private func naming(
        _ right: ProviderConfiguration, for url: WebURL, in refusal: AuthFailure, isSignIn: Bool = false
    ) -> AuthFailure {
        var refusal = refusal
        refusal.message = .verbatim("\(refusal.summary): it belongs to the provider \(right.name)")
        refusal.hint = .verbatim(
            isSignIn
                ? "sign in with: yett login \(right.name) --resource \(ShellWord(url.description))"
                : "use \(right.name): yett request \(right.name) \(ShellWord(url.description))")
        return refusal
    }

    private func other(for url: WebURL, in configuration: Configuration) -> ProviderConfiguration? {
        configuration.providers.first { $0.name != provider.name && CredentialGate($0).admits(url) }
    }

    /// Returns the other provider whose own host the address is at, among those that find further servers by themselves.
    private func kindSpecificOwner(of url: WebURL, in configuration: Configuration) -> ProviderConfiguration? {
        guard !gate.namesOrigin(of: url) else { return nil }
        return configuration.providers.first { other in
            other.name != provider.name && CredentialGate(other).discoversServers && CredentialGate(other).namesOrigin(of: url)
        }
    }
}

extension [ProviderConfiguration] {
    /// Returns the providers whose tokens are for a resource at an address. If resources of several are, these are the ones of the closest:
    /// the resource with most of the address's path, then one with its query.
    ///
    /// Call it before asking for sessions: if the closest one has none, the token of another one must not be sent.
    ///
    /// - Parameter orAtHost: whether a provider also counts, with an empty path, whose `api_hosts` or own address has the host.
    func closest(to address: WebURL, orAtHost: Bool = false) -> [ProviderConfiguration] {
        let known = compactMap { provider in
            provider.closeness(to: address, orAtHost: orAtHost).map { (provider: provider, closeness: $0) }
        }
        let best = known.map(\.closeness).max()
        return known.filter { $0.closeness == best }.map(\.provider)
    }
}

extension ProviderConfiguration {
    /// Returns how much of an address the closest of the provider's resources has; `nil` if none is for it.
    func closeness(to address: WebURL, orAtHost: Bool = false) -> Int? {
        let hosts = orAtHost && TokenDestinations(provider: self).includesHost(of: address) ? [0] : []
        return (resources.compactMap { Self.closeness(of: $0, to: address) } + hosts).max()
    }

    /// Returns how much of an address a resource has, for comparisons; `nil` if it is not for the address.
    ///
    /// A resource is for its own address, with or without a slash at its end, and for what is below it, in whole path segments. With a
    /// query, it is for addresses with that query alone.
    static func closeness(of resource: String, to address: WebURL) -> Int? {
        guard let resource = WebURL(resource)?.normalized, let address = address.normalized, address.isRequestable,
            address == resource || address.lies(in: resource), resource.query == nil || resource.query == address.query
        else { return nil }
        let path = resource.path.hasSuffix("/") ? resource.path.utf8.count - 1 : resource.path.utf8.count
        return 2 * path + (resource.query == nil ? 0 : 1)
    }
}
