internal import AuthModel

/// One of the ways to work with a well-known provider: `mode` in the configuration, and what goes with it.
struct ProviderMode: Sendable {
    /// Something that the person has to say beside the place.
    struct Need: Sendable {
        /// The keys of the configuration that would say it, the usual one first.
        var keys: [String]
        var what: String
        var example: String

        /// The key that an answer is for: of two, the second one takes what is no address.
        func key(for answer: String) -> String { answer.contains("://") ? keys[0] : keys.last ?? keys[0] }
    }

    /// As it is written in the configuration.
    let name: String
    /// What it is, in a few words.
    let meaning: String
    var kind: ProviderKind
    var address: ProviderPreset.Address
    var fixed: [ProviderPreset.Setting] = []
    var needs: [Need] = []
    var namesTheClient = false
    var scopes: [String] = []
    var hints: [String] = []
    /// The ends of the hosts of issuers that are of this mode.
    var hosts: [String] = []

    /// The preset that it makes of the provider's own.
    func settled(_ preset: ProviderPreset) -> ProviderPreset {
        var preset = preset
        preset.address = address
        preset.kind = kind
        preset.fixed = [("mode", name)] + fixed
        preset.scopes = scopes
        preset.namesTheClient = namesTheClient
        preset.hints = hints
        preset.modes = []
        return preset
    }

    /// The settings with a place that stands for the first need, where the mode itself has none.
    func filled(_ settings: [ProviderPreset.Setting], place: inout String?) -> [ProviderPreset.Setting] {
        guard address.place == nil, let need = needs.first, let text = place else { return settings }
        place = nil
        return settings + [(need.keys[0], text)]
    }

    /// What is still to be said.
    func open(_ settings: [ProviderPreset.Setting]) -> [Need] {
        needs.filter { need in !settings.contains { need.keys.contains($0.key) } }
    }

    /// Whether an issuer is of this mode.
    func covers(_ issuer: Issuer) -> Bool {
        let host = issuer.url.origin.host
        return hosts.contains { host == $0 || host.hasSuffix("." + $0) }
    }
}
