internal import AuthModel

/// What is known of a well-known provider before it is asked: data, in one row each (``all``).
struct ProviderPreset: Sendable {
    /// Where it is.
    enum Address: Sendable {
        /// At an issuer. `{}` stands for the person's own place.
        case issuer(String, Place? = nil)
        /// It has no issuer to ask; these keys of the configuration say where it is. `{}` stands for the person's own place, `{parent}` for
        /// what is before that place's last slash, `{last}` for what is after it.
        case settings([Setting], Place? = nil)

        /// What the person has to say; `nil` where it is the same for everybody.
        var place: Place? {
            switch self {
            case .issuer(_, let place), .settings(_, let place): place
            }
        }
    }

    /// What the person gives to say where the provider is for them.
    struct Place: Sendable {
        var what: String
        var example: String
        /// Most people's.
        var usual: String?
    }

    typealias Setting = (key: String, value: String)

    let name: String
    var address: Address
    var kind = ProviderKind.oidc
    /// The scopes that are of use; those that the provider does not offer are left out where it lists its own.
    var scopes: [String] = []
    /// The redirect to register, by the provider's rule for ports on loopback.
    var redirects: [String] = []
    /// Whether it sends nobody to this machine, so that the person has to say which page of theirs is registered.
    var needsOwnPage = false
    /// Whether the provider itself says at each sign-in which client we are.
    var namesTheClient = false
    var apiHosts: [String] = []
    var extraParameters: [Setting] = []
    /// Keys of the configuration that are the same for everybody.
    var fixed: [Setting] = []
    /// The ways to work with it, of which the person chooses one; empty where there is one.
    var modes: [ProviderMode] = []
    /// The ends of the hosts of its issuers, to know it by its address; empty where hosts are the person's own.
    var hosts: [String] = []
    /// What to know, one line each.
    var hints: [String] = []

    /// The preset of that name.
    static func named(_ text: String) -> ProviderPreset? { all.first { $0.name == text.lowercased() } }

    /// The preset whose issuers are at this host.
    static func recognising(_ issuer: Issuer) -> ProviderPreset? {
        let host = issuer.url.origin.host
        return all.first { $0.hosts.contains { host == $0 || host.hasSuffix("." + $0) } }
    }

    /// The preset for one of its modes.
    ///
    /// - Throws: `.usage` for a mode that it does not have, and for none where it has several.
    func mode(named name: String?) throws(AuthFailure) -> ProviderMode? {
        let names = modes.map(\.name).joined(separator: ", ")
        guard let name else {
            guard modes.isEmpty else {
                throw AuthFailure(.usage, "\(self.name) works in several modes", hint: "choose one with --mode: \(names)")
            }
            return nil
        }
        if let mode = modes.first(where: { $0.name == name }) { return mode }
        throw AuthFailure(
            .usage, "\(self.name) has no mode '\(name)'", hint: modes.isEmpty ? "leave out --mode" : "choose one of: \(names)")
    }

    /// The mode that its address alone settles, as far as the app's form goes.
    var plainMode: ProviderMode? { modes.first { $0.needs.isEmpty } }

    /// Where a provider is, as it is written into the configuration.
    struct Location {
        var issuer: Issuer?
        var settings: [Setting] = []
    }

    /// Where it is for the person who gave `place`. Throws `.usage`.
    func location(at place: String?) throws(AuthFailure) -> Location {
        switch address {
        case .issuer(let template, let own):
            let text = try located([("issuer", template)], own, place)[0].value
            guard let issuer = Issuer(text) else { throw misplaced(place, own) }
            return Location(issuer: issuer)
        case .settings(let settings, let own):
            let settings = try located(settings, own, place)
            let addresses = settings.map(\.value).filter { $0.contains("://") }
            guard addresses.allSatisfy({ WebURL($0).map { $0.isProtected && $0.query == nil && $0.fragment == nil } == true }),
                settings.allSatisfy({ !$0.value.isEmpty })
            else { throw misplaced(place, own) }
            return Location(settings: settings)
        }
    }

    private func located(_ settings: [Setting], _ own: Place?, _ place: String?) throws(AuthFailure) -> [Setting] {
        guard let own else {
            guard place == nil else { throw AuthFailure(.usage, "\(name) is in the same place for everybody", hint: "leave out --at") }
            return settings
        }
        guard var place = place ?? own.usual, !place.isEmpty else {
            throw AuthFailure(
                .usage, "\(name) needs \(own.what)", hint: "add it with: yett providers add \(ShellWord(name)) --at \(own.example)")
        }
        // Plain http is for this machine itself, as everywhere.
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
        AuthFailure(.usage, "'\(place ?? "")' is not \(own?.what ?? "an address")", hint: own.map { "write it as: --at \($0.example)" })
    }
}
