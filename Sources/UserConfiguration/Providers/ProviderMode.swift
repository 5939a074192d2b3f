package import AuthModel

/// One mode of a well-known provider: the value of `mode` in the configuration, and the settings that belong to it.
package struct ProviderMode: Sendable {
    /// A setting that the user must give in addition to the place.
    package struct Need: Sendable {
        /// The keys that can hold the setting; the default key is first.
        package var keys: [String]
        package var what: UserMessage
        package var example: String

        /// Returns the key for an answer: the first key for a URL, otherwise the last.
        package func key(for answer: String) -> String { answer.contains("://") ? keys[0] : keys.last ?? keys[0] }
    }

    /// The name in the configuration.
    package let name: String
    /// What the mode does, in a few words.
    package let meaning: UserMessage
    package var kind: ProviderKind
    package var address: ProviderPreset.Address
    package var fixed: [ProviderPreset.Setting] = []
    package var needs: [Need] = []
    package var choosesClient = false
    package var scopes: [String] = []
    package var hints: [UserMessage] = []
    /// The host suffixes of the issuers that use this mode.
    package var hosts: [String] = []

    /// Returns the provider's preset with the values of this mode.
    package func settled(_ preset: ProviderPreset) -> ProviderPreset {
        var preset = preset
        preset.address = address
        preset.kind = kind
        preset.fixed = [("mode", name)] + fixed
        preset.scopes = scopes
        preset.choosesClient = choosesClient
        preset.hints = hints
        preset.modes = []
        return preset
    }

    /// Returns the settings, with `place` as the value of the first need if the mode's address needs no place.
    package func filled(_ settings: [ProviderPreset.Setting], place: inout String?) -> [ProviderPreset.Setting] {
        guard address.place == nil, let need = needs.first, let text = place else { return settings }
        place = nil
        return settings + [(need.keys[0], text)]
    }

    /// Returns the needs that no setting satisfies.
    package func open(_ settings: [ProviderPreset.Setting]) -> [Need] {
        needs.filter { need in !settings.contains { need.keys.contains($0.key) } }
    }

    /// Returns whether an issuer uses this mode.
    package func covers(_ issuer: Issuer) -> Bool {
        let host = issuer.url.origin.host
        return hosts.contains { host == $0 || host.hasSuffix("." + $0) }
    }
}
