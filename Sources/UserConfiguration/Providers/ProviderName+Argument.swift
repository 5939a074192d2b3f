package import AuthModel

extension ProviderName {
    /// Parses a name from the command line. Throws `.usage`.
    package init(argument text: String) throws(AuthFailure) {
        guard let name = ProviderName(text) else {
            throw AuthFailure(
                .usage, UserMessage("config.invalid_provider_name", ["name": text]),
                hint: "hint.provider_name_characters")
        }
        self = name
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
