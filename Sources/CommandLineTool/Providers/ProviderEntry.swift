internal import AuthModel
internal import TOML

/// A provider's table as it is to be written into the configuration.
struct ProviderEntry {
    var kind: ProviderKind
    var issuer: Issuer?
    /// Empty where the provider says at each sign-in which client we are.
    var clientID: String
    var scopes: [String] = []
    var redirects: [String] = []
    /// The page that the person pastes from, where nobody comes back to this machine.
    var pasteRedirect: String?
    var postLogoutRedirects: [String] = []
    var clientSecretFile: String?
    /// The scopes that the client was registered for; `nil` for a client that was registered by hand.
    var registeredScopes: [String]?
    var apiHosts: [String] = []
    var resource: String?
    /// Whether tokens must be bound to a key.
    var requiresProof = false
    var extraParameters: [ProviderPreset.Setting] = []
    /// What says where it is besides an issuer, under the names in the configuration.
    var location: [ProviderPreset.Setting] = []

    /// Keys with their values as TOML writes them.
    var settings: [(key: String, value: String)] {
        var values = [("kind", TOMLText.quoted(kind.rawValue))]
        if let issuer { values.append(("issuer", TOMLText.quoted(issuer.text))) }
        values += location.map { ($0.key, TOMLText.quoted($0.value)) }
        if !clientID.isEmpty { values.append(("client_id", TOMLText.quoted(clientID))) }
        if let clientSecretFile { values.append(("client_secret_file", TOMLText.quoted(clientSecretFile))) }
        if !scopes.isEmpty { values.append(("scopes", TOMLText.list(scopes))) }
        if !redirects.isEmpty { values.append(("redirect", TOMLText.list(redirects))) }
        if let pasteRedirect { values.append(("paste_redirect", TOMLText.quoted(pasteRedirect))) }
        if !postLogoutRedirects.isEmpty { values.append(("post_logout_redirect", TOMLText.list(postLogoutRedirects))) }
        if let registeredScopes { values.append(("registered_scopes", TOMLText.list(registeredScopes))) }
        if let resource { values.append(("resource", TOMLText.quoted(resource))) }
        if requiresProof { values.append(("dpop", TOMLText.quoted(ProofMode.required.rawValue))) }
        if !apiHosts.isEmpty { values.append(("api_hosts", TOMLText.list(apiHosts))) }
        if !extraParameters.isEmpty {
            let members = extraParameters.map { "\(TOMLText.key($0.key)) = \(TOMLText.quoted($0.value))" }
            values.append(("extra_params", "{ \(members.joined(separator: ", ")) }"))
        }
        return values
    }
}

extension ProviderName {
    /// The telling part of a host: `id.example.org` gives `example`, an address on this machine gives `local`.
    init(for origin: Origin) throws(AuthFailure) {
        let labels = origin.host.split(separator: ".")
        let telling = origin.isAddress ? "local" : labels.count > 1 ? String(labels[labels.count - 2]) : origin.host
        try self.init(argument: telling)
    }
}

extension Configuration {
    /// A name for what is at that origin that no provider has yet: a host may have many resources, and its authorization server is a
    /// provider as well.
    func freeName(for origin: Origin) throws(AuthFailure) -> ProviderName {
        let first = try ProviderName(for: origin)
        guard provider(first) != nil else { return first }
        // One of so many is free.
        let others = (2...providers.count + 2).lazy.compactMap { ProviderName("\(first)-\($0)") }
        return others.first { provider($0) == nil } ?? first
    }
}
