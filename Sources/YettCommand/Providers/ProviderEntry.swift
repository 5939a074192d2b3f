internal import AuthModel

/// A provider's table as it is to be written into the configuration.
struct ProviderEntry {
    var kind: ProviderKind
    var issuer: Issuer?
    var clientID: String
    var scopes: [String] = []
    var redirects: [String] = []
    var clientSecretFile: String?
    var apiHosts: [String] = []
    var resource: String?
    var extraParameters: [ProviderPreset.Setting] = []
    /// Endpoints written by hand, under their names in the configuration.
    var endpoints: [ProviderPreset.Setting] = []

    /// Keys with their values as TOML writes them.
    var settings: [(key: String, value: String)] {
        var values = [("kind", ConfigurationEditor.value(kind.rawValue))]
        if let issuer { values.append(("issuer", ConfigurationEditor.value(issuer.text))) }
        values += endpoints.map { ($0.key, ConfigurationEditor.value($0.value)) }
        values.append(("client_id", ConfigurationEditor.value(clientID)))
        if let clientSecretFile { values.append(("client_secret_file", ConfigurationEditor.value(clientSecretFile))) }
        if !scopes.isEmpty { values.append(("scopes", ConfigurationEditor.value(scopes))) }
        if !redirects.isEmpty { values.append(("redirect", ConfigurationEditor.value(redirects))) }
        if let resource { values.append(("resource", ConfigurationEditor.value(resource))) }
        if !apiHosts.isEmpty { values.append(("api_hosts", ConfigurationEditor.value(apiHosts))) }
        if !extraParameters.isEmpty {
            let members = extraParameters.map { "\($0.key) = \(ConfigurationEditor.value($0.value))" }
            values.append(("extra_params", "{ \(members.joined(separator: ", ")) }"))
        }
        return values
    }
}

extension ProviderName {
    /// The telling part of a host: `id.example.org` gives `example`, an address on this machine gives `local`.
    init(for origin: Origin) throws(AuthFailure) {
        let labels = origin.host.split(separator: ".")
        let isAddress = origin.isLoopback || labels.allSatisfy { $0.allSatisfy(\.isNumber) }
        let telling = isAddress ? "local" : labels.count > 1 ? String(labels[labels.count - 2]) : origin.host
        try self.init(argument: telling)
    }
}
