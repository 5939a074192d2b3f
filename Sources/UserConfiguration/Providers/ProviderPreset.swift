package import AuthModel
package import TOML

/// A description of a service, so that a user can add it as a provider by its name. Each is one TOML file; ``PresetReader`` reads it.
package struct ProviderPreset: Equatable, Sendable {
    /// A value that only the user knows, such as a domain or a tenant. It stands for `{place}` in the preset.
    package struct Place: Equatable, Sendable {
        /// A noun phrase that completes "SERVICE needs".
        package var what: String
        package var example: String
        /// The default value.
        package var fallback: String?
    }

    /// Values that the user must give in addition to the place.
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

    /// Instructions for getting a client at the service.
    package struct Registration: Equatable, Sendable {
        /// The page of the service; may contain `{place}`.
        package var page: String?
        /// The steps there, in order. `{redirect}` stands for the redirect addresses.
        package var steps: [String] = []
    }

    /// Facts about the service's refresh tokens.
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

    /// The kind of provider.
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
