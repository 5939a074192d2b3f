package import AuthModel

/// The predefined data of a well-known provider. All presets are in ``all``.
package struct ProviderPreset: Sendable {
    /// The address of the provider.
    package enum Address: Sendable {
        /// An issuer. `{}` stands for the user's place.
        case issuer(String, Place? = nil)
        /// Configuration keys that locate a provider without an issuer. `{}` stands for the user's place, `{parent}` for the part of the
        /// place before its last slash, `{last}` for the part after it.
        case settings([Setting], Place? = nil)

        /// The place that the user must give; `nil` if the address is the same for all users.
        package var place: Place? {
            switch self {
            case .issuer(_, let place), .settings(_, let place): place
            }
        }
    }

    /// A value that the user gives to locate their part of a provider, such as a domain or a tenant.
    package struct Place: Sendable {
        package var what: UserMessage
        package var example: String
        /// The default value.
        package var fallback: String?
    }

    package typealias Setting = (key: String, value: String)

    package let name: String
    package var address: Address
    package var kind = ProviderKind.oidc
    /// The useful scopes. If the provider lists its scopes, those that it does not offer are left out.
    package var scopes: [String] = []
    /// The redirect addresses to register, in the form that fits the provider's rule for loopback ports.
    package var redirects: [String] = []
    /// Whether the provider refuses redirects to this machine, so that the user must name a registered page of their own.
    package var requiresPasteRedirect = false
    /// Whether the provider chooses the client at each sign-in.
    package var choosesClient = false
    package var apiHosts: [String] = []
    package var extraParameters: [Setting] = []
    /// Configuration keys with the same value for all users.
    package var fixed: [Setting] = []
    /// The modes that the user chooses from; empty if there is only one way to use the provider.
    package var modes: [ProviderMode] = []
    /// The host suffixes of the provider's issuers, to recognise it by its address; empty if users have their own hosts.
    package var hosts: [String] = []
    /// Advice for the user, one line each.
    package var hints: [UserMessage] = []

    /// Returns the preset with this name.
    package static func named(_ text: String) -> ProviderPreset? { all.first { $0.name == text.asciiLowercased() } }

    /// Returns the preset whose issuers are at this host.
    package static func recognising(_ issuer: Issuer) -> ProviderPreset? {
        let host = issuer.url.origin.host
        return all.first { $0.hosts.contains { host == $0 || host.hasSuffix("." + $0) } }
    }

    /// Returns the mode with this name.
    ///
    /// - Throws: `.usage` if there is no such mode, or if `name` is `nil` and there are several modes.
    package func mode(named name: String?) throws(AuthFailure) -> ProviderMode? {
        let names = modes.map(\.name).joined(separator: ", ")
        guard let name else {
            guard modes.isEmpty else {
                throw AuthFailure(
                    .usage, UserMessage("provider.preset_several_modes", ["preset": self.name]),
                    hint: UserMessage("hint.choose_mode", ["modes": names]))
            }
            return nil
        }
        if let mode = modes.first(where: { $0.name == name }) { return mode }
        throw AuthFailure(
            .usage, UserMessage("provider.preset_unknown_mode", ["preset": self.name, "mode": name]),
            hint: modes.isEmpty ? "hint.remove_mode" : UserMessage("hint.choose_one_of", ["choices": names]))
    }

    /// The first mode that needs only the address; the app's form supports no other.
    package var plainMode: ProviderMode? { modes.first { $0.needs.isEmpty } }

    /// The location of a provider, as written into the configuration.
    package struct Location {
        package var issuer: Issuer?
        package var settings: [Setting] = []
    }

    /// Returns the location for the user's `place`. Throws `.usage`.
    package func location(at place: String?) throws(AuthFailure) -> Location {
        switch address {
        case .issuer(let template, let own):
            let text = try located([("issuer", template)], own, place)[0].value
            guard let issuer = Issuer(text) else { throw misplaced(place, own) }
            return Location(issuer: issuer)
        case .settings(let settings, let own):
            let settings = try located(settings, own, place)
            let addresses = settings.map(\.value).filter { $0.contains("://") }
            guard addresses.allSatisfy({ WebURL($0).map { $0.isRequestable && $0.query == nil && $0.fragment == nil } == true }),
                settings.allSatisfy({ !$0.value.isEmpty })
            else { throw misplaced(place, own) }
            return Location(settings: settings)
        }
    }

    private func located(_ settings: [Setting], _ own: Place?, _ place: String?) throws(AuthFailure) -> [Setting] {
        guard let own else {
            guard place == nil else {
                throw AuthFailure(.usage, UserMessage("provider.preset_fixed_address", ["preset": name]), hint: "hint.remove_at")
            }
            return settings
        }
        guard var place = place ?? own.fallback, !place.isEmpty else {
            throw AuthFailure(
                .usage, UserMessage("provider.preset_needs", ["preset": name, "value": own.what]),
                hint: UserMessage("hint.add_preset_at", ["preset": name, "example": own.example]))
        }
        // Plain http is allowed for this machine only, as everywhere.
        let isPlain = place.hasPrefix("http://")
        for scheme in ["https://", "http://"] where place.hasPrefix(scheme) { place.removeFirst(scheme.count) }
        while place.hasSuffix("/") { place.removeLast() }
        let slash = place.lastIndex(of: "/")
        let parent = slash.map { String(place[..<$0]) } ?? place
        let last = slash.map { String(place[place.index(after: $0)...]) } ?? ""
        return settings.map { setting in
            let value = setting.value.replacing("{parent}", with: parent).replacing("{last}", with: last).replacing("{}", with: place)
            return (setting.key, isPlain && value.hasPrefix("https://") ? "http" + value.dropFirst("https".count) : value)
        }
    }

    private func misplaced(_ place: String?, _ own: Place?) -> AuthFailure {
        AuthFailure(
            .usage, UserMessage("provider.preset_not_an_address", ["value": place ?? "", "expected": own?.what ?? "phrase.an_address"]),
            hint: own.map { UserMessage("hint.write_at", ["example": $0.example]) })
    }
}
