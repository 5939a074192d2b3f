package import AuthModel
package import TOML

/// The description of a service, so that a user can add it as a provider by its name. Each is one TOML file; ``PresetReader`` reads it.
package struct ProviderPreset: Equatable, Sendable {
    /// A value that only the user knows, such as a domain or a tenant. It stands for `{place}` in the preset.
    package struct Place: Equatable, Sendable {
        /// A noun phrase that completes "SERVICE needs".
        package var what: String
        package var example: String
        /// The default value.
        package var fallback: String?
    }

    /// The values that the user must give in addition to the place.
    package struct Needs: Equatable, Sendable {
        /// Whether the service has client secrets for its clients.
        package enum Secret: String, Sendable, CaseIterable {
            case none, optional, required
        }

        /// Whether the user must name a client. The kind decides.
        package var client = true
        package var secret = Secret.none
        /// Whether the service refuses redirects to this machine, so that the user must name a registered page of their own.
        package var pasteRedirect = false
        /// Whether Yett registers a client if the user names none (RFC 7591).
        package var registersClient = false
    }

    /// A provider key whose value only the user knows.
    package struct Setting: Equatable, Sendable {
        /// The keys that can hold the value; the default key is first.
        package var keys: [String]
        package var what: String
        package var example: String

        /// Returns the key for an answer: the first key for a URL, otherwise the last.
        package func key(for answer: String) -> String { answer.contains("://") ? keys[0] : keys.last ?? keys[0] }
    }

    /// The steps by which a user gets a client at the service.
    package struct Registration: Equatable, Sendable {
        /// The page of the service; may contain `{place}`.
        package var page: String?
        /// The steps there, in order. `{redirect}` stands for the redirect addresses.
        package var steps: [String] = []
    }

    /// The properties of the service's refresh tokens.
    package struct Renewal: Equatable, Sendable {
        /// Whether each refresh token works once.
        package var rotates: Bool?
        /// When the service issues no refresh token.
        package var mayBeMissing: String?
        /// The lifetime of a refresh token.
        package var endsAfter: String?
    }

    /// The name on the command line: the file's name without its extension.
    package var name: String
    /// The path of the file; `nil` for a shipped preset.
    package var file: String?
    /// The service's name, as the service writes it.
    package var title: String
    /// A description of the service in a few words.
    package var summary: String
    /// Other names on the command line.
    package var aliases: [String] = []
    /// The host suffixes of the service's addresses; empty if users have their own hosts.
    package var hosts: [String] = []
    /// Advice for the user, in sentences.
    package var hints: [String] = []
    package var place: Place?
    package var needs = Needs()
    package var settings: [Setting] = []
    /// The keys of `[providers.NAME]`, with `{place}` in their values.
    package var provider = TOMLValue.table([])
    package var registration: Registration?
    package var renewal = Renewal()
    /// The ways to use the service that the user must choose from, each a complete preset; empty if there is only one.
    package var modes: [ProviderPreset] = []
    /// For a mode: its name, the value of `--mode`.
    package var mode: String?
    /// For a mode: what it does, in a few words.
    package var meaning = ""

    package var kind: ProviderKind { provider["kind"]?.string.flatMap(ProviderKind.init) ?? .oidc }

    /// The scopes to request; empty for the kind's default.
    package var scopes: [String] { provider["scopes"]?.strings ?? [] }

    /// The redirect addresses to register; empty for the default one.
    package var redirects: [String] { provider["redirect"]?.string.map { [$0] } ?? provider["redirect"]?.strings ?? [] }

    /// Whether the user must name a client.
    package var asksForClient: Bool { needs.client && !needs.registersClient && provider["client_id"] == nil }

    /// Returns the preset in a mode; itself if it has no modes.
    ///
    /// - Throws: `.usage` if there is no such mode, or if `name` is `nil` and there are several modes.
    package func mode(named name: String?) throws(AuthFailure) -> ProviderPreset {
        let names = modes.compactMap(\.mode).joined(separator: ", ")
        guard let name else {
            guard modes.isEmpty else {
                throw AuthFailure(
                    .usage, UserMessage("provider.preset_several_modes", ["preset": title]),
                    hint: UserMessage("hint.choose_mode", ["modes": names]))
            }
            return self
        }
        if let mode = mode == name ? self : modes.first(where: { $0.mode == name }) { return mode }
        throw AuthFailure(
            .usage, UserMessage("provider.preset_unknown_mode", ["preset": title, "mode": name]),
            hint: modes.isEmpty ? "hint.remove_mode" : UserMessage("hint.choose_one_of", ["choices": names]))
    }

    /// Returns the steps by which a user registers a client with these redirect addresses.
    package func steps(at place: String?, redirects: [String]) -> [String] {
        let text = redirects.joined(separator: " and ")
        return (registration?.steps ?? []).map { filled($0, with: place ?? self.place?.example).replacing("{redirect}", with: text) }
    }

    /// Returns the page where a user registers a client; `nil` if none is known.
    package func page(at place: String?) -> String? { registration?.page.map { filled($0, with: place ?? self.place?.example) } }
}

/// A user's place at a service: in the preset's texts, and in an address of the service.
extension ProviderPreset {
    /// Returns the provider's table with the user's place filled in. Throws `.usage` if the place is missing, or makes no valid address.
    package func provider(at place: String?) throws(AuthFailure) -> TOMLValue {
        guard let own = self.place else {
            guard place == nil else {
                throw AuthFailure(.usage, UserMessage("provider.preset_fixed_address", ["preset": title]), hint: "hint.remove_at")
            }
            return provider
        }
        guard let place = place ?? own.fallback, !place.isEmpty else {
            throw AuthFailure(
                .usage, UserMessage("provider.preset_needs", ["preset": title, "value": own.what]),
                hint: UserMessage("hint.write_at", ["example": own.example]))
        }
        let parts = PlaceParts(place)
        guard isValid(provider, with: parts) else {
            throw AuthFailure(
                .usage, UserMessage("provider.preset_not_an_address", ["value": place, "expected": own.what]),
                hint: UserMessage("hint.write_at", ["example": own.example]))
        }
        return provider.mapTexts(parts.filled)
    }

    /// Whether each text with a place in it becomes a valid one.
    private func isValid(_ value: TOMLValue, with parts: PlaceParts) -> Bool {
        switch value {
        case .string(let template):
            guard template.contains("{place") else { return true }
            guard !template.contains("{place.last}") || !parts.last.isEmpty else { return false }
            let text = parts.filled(template).replacing("{client_id}", with: "x")
            guard text.contains("://") else { return true }
            return WebURL(text).map { $0.isRequestable && $0.query == nil && $0.fragment == nil } == true
        case .array(let elements): return elements.allSatisfy { isValid($0, with: parts) }
        case .table(let members): return members.allSatisfy { isValid($0.value, with: parts) }
        case .integer, .float, .boolean, .moment: return true
        }
    }

    /// Returns a text of the preset with a place filled in; unchanged if the preset has no place.
    package func filled(_ text: String, with place: String?) -> String {
        guard self.place != nil, let place = place ?? self.place?.fallback else { return text }
        return PlaceParts(place).filled(text)
    }

    /// Whether an address is one where this service signs users in, and the place in it; `nil` if it belongs to something else, such as a
    /// protected resource on the service's host.
    package func match(_ address: WebURL) -> (place: String?, suffix: String)? {
        let host = address.origin.host
        guard let suffix = hosts.filter({ host == $0 || host.hasSuffix("." + $0) }).max(by: { $0.count < $1.count }) else { return nil }
        let issuer = provider["issuer"]?.string.map { [$0] }
        let templates = issuer ?? (provider.members ?? []).compactMap(\.value.string).filter { $0.hasPrefix("https://") }
        for template in templates + [provider["resource"]?.string].compactMap(\.self) {
            if let place = Self.place(in: address, by: template) { return (place, suffix) }
        }
        // The bare host of a service stands for the service.
        guard address.path.isEmpty || address.path == "/", address.query == nil else { return nil }
        let isHost = templates.contains { WebURL(PlaceParts("x").filled($0))?.origin == address.origin }
        return isHost ? (nil, suffix) : nil
    }

    /// Whether this is the issuer of the service itself. Where its host has a place, that may be any server's.
    func isFixed(_ issuer: Issuer) -> Bool {
        guard let template = provider["issuer"]?.string else { return false }
        let parts = template.split(separator: "{place", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return Issuer(template)?.isSameURL(as: issuer) == true }
        return parts[0].dropFirst("https://".count).contains("/") && issuer.text.hasPrefix(parts[0])
    }

    /// The origins of the service's endpoints, without those that have a place in them.
    var fixedOrigins: Set<Origin> {
        let keys = ["authorization_endpoint", "token_endpoint", "device_authorization_endpoint"]
        return Set(keys.compactMap { provider[$0]?.string.flatMap { WebURL($0)?.origin } })
    }

    /// Returns the place in an address, for a template such as `https://{place}/`; the whole address without its scheme for one with the
    /// parts of a place; `nil` if the address has another form.
    private static func place(in address: WebURL, by template: String) -> String?? {
        let text = PlaceParts(address.text).whole
        guard template.contains("{place") else { return PlaceParts(template).whole == text ? .some(nil) : nil }
        let pieces = PlaceParts(template).whole.split(separator: "{place}", omittingEmptySubsequences: false)
        guard pieces.count == 2 else { return template.contains("{place.") ? .some(text) : nil }
        guard text.hasPrefix(pieces[0]), text.hasSuffix(pieces[1]), text.count > pieces[0].count + pieces[1].count else { return nil }
        let place = String(text.dropFirst(pieces[0].count).dropLast(pieces[1].count))
        return .some(pieces[0].isEmpty && address.origin.scheme == .http ? "http://" + place : place)
    }
}

/// A place as the user gave it, without a scheme and without slashes at its end, and its parts.
private struct PlaceParts {
    let whole: String
    /// The part before the last slash.
    let parent: String
    /// The part after the last slash; empty if there is none.
    let last: String
    /// Whether the place is on plain http, which is allowed for this machine only, as everywhere.
    private let isPlain: Bool

    init(_ text: String) {
        var text = text
        isPlain = text.hasPrefix("http://")
        for scheme in ["https://", "http://"] where text.hasPrefix(scheme) { text.removeFirst(scheme.count) }
        while text.hasSuffix("/") { text.removeLast() }
        whole = text
        let slash = text.lastIndex(of: "/")
        parent = slash.map { String(text[..<$0]) } ?? text
        last = slash.map { String(text[text.index(after: $0)...]) } ?? ""
    }

    func filled(_ template: String) -> String {
        guard template.contains("{place") else { return template }
        let text = template.replacing("{place.parent}", with: parent).replacing("{place.last}", with: last)
            .replacing("{place}", with: whole)
        return isPlain && text.hasPrefix("https://") ? "http" + text.dropFirst("https".count) : text
    }
}

extension TOMLValue {
    /// Returns this value with its texts changed, and those in it.
    fileprivate func mapTexts(_ change: (String) -> String) -> TOMLValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let elements): .array(elements.map { $0.mapTexts(change) })
        case .table(let members): .table(members.map { Member($0.name, $0.value.mapTexts(change)) })
        case .integer, .float, .boolean, .moment: self
        }
    }
}
