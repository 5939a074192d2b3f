package import AuthModel
internal import TOML

/// A provider's table, ready to be written into the configuration.
package struct ProviderEntry {
    package var kind: ProviderKind
    package var issuer: Issuer?
    /// Empty if the provider chooses the client at each sign-in.
    package var clientID: String
    package var scopes: [String] = []
    package var redirects: [String] = []
    /// The page that the user pastes from, if the provider cannot redirect to this machine.
    package var pasteRedirect: String?
    package var postLogoutRedirects: [String] = []
    package var clientSecretFile: String?
    /// The scopes that the client was registered for; `nil` if the client was registered by hand.
    package var registeredScopes: [String]?
    package var apiHosts: [String] = []
    package var resource: String?
    /// Whether tokens must be bound to a key.
    package var requiresProof = false
    package var extraParameters: [ProviderPreset.Setting] = []
    /// The settings that locate the provider in addition to the issuer, by their keys in the configuration.
    package var location: [ProviderPreset.Setting] = []

    /// The keys, with their values in TOML syntax.
    package var settings: [(key: String, value: String)] {
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
    /// Derives a name from a host: `id.example.org` gives `example`, an IP address gives `local`.
    package init(for origin: Origin) throws(AuthFailure) {
        let labels = origin.host.split(separator: ".")
        let telling = origin.isAddress ? "local" : labels.count > 1 ? String(labels[labels.count - 2]) : origin.host
        try self.init(argument: telling)
    }
}

extension Configuration {
    /// Returns an unused provider name for this origin. A host may have many resources, and its authorization server is a provider as well.
    package func unusedName(for origin: Origin) throws(AuthFailure) -> ProviderName {
        let first = try ProviderName(for: origin)
        guard provider(first) != nil else { return first }
        // At least one of these candidates is unused, because there are more of them than providers.
        let others = (2...providers.count + 2).lazy.compactMap { ProviderName("\(first)-\($0)") }
        return others.first { provider($0) == nil } ?? first
    }
}
