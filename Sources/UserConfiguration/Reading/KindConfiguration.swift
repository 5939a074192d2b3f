package import AuthModel

/// The configuration of one provider kind: its keys and how to read them, and its requirements for the common keys.
///
/// Facts that depend on one provider's settings are in the type of these settings, an ``AuthModel/KindSettings``.
package protocol KindConfiguration: Sendable {
    /// The kind's own keys, in the order in which they are listed and explained. Every kind has the common keys as well.
    var keys: [KindKey] { get }

    /// Keys that a user may write for a secret that this machine must not know. Each value is a hint that says what to do instead.
    var foreignSecrets: [String: UserMessage] { get }

    /// Whether a browser returns from a sign-in to a redirect address, which may have to be registered.
    var hasRedirect: Bool { get }

    /// Returns a note about registering the provider's redirect addresses; `nil` if they are used exactly as configured.
    func redirectNote(of configuration: ProviderConfiguration) -> UserMessage?

    /// Reads the kind's own keys, and refuses the common keys that do not apply. Runs before the common keys are read.
    ///
    /// - Throws: `.configuration`, made by the table.
    func read(_ table: ConfigurationSection) throws(AuthFailure) -> KindReading

    /// Reads how the kind makes its sessions from another session; returns `nil` if it does not. Runs after the common keys are read.
    ///
    /// - Throws: `.configuration`, made by the table.
    func base(_ table: ConfigurationSection) throws(AuthFailure) -> ProviderConfiguration.Exchange?
}

extension KindConfiguration {
    /// Default: none.
    package var keys: [KindKey] { [] }
    /// Default: none.
    package var foreignSecrets: [String: UserMessage] { [:] }
    /// Default: true.
    package var hasRedirect: Bool { true }
    /// Default: `nil`.
    package func redirectNote(of configuration: ProviderConfiguration) -> UserMessage? { nil }
    /// Default: `nil`.
    package func base(_ table: ConfigurationSection) throws(AuthFailure) -> ProviderConfiguration.Exchange? { nil }
}

/// A configuration key that belongs to one kind only.
package struct KindKey: Sendable {
    /// The key as written in the configuration file.
    package let name: String
    /// The description of the key in full sentences. The manual prints it.
    package let meaning: String

    /// Creates a key; `meaning` is one or more full sentences.
    package init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }
}

/// The settings read from a kind's own keys, and the kind's requirements for the common keys.
package struct KindReading: Sendable {
    /// The kind's use of `client_id`.
    package enum Client: Sendable {
        /// `client_id` is required.
        case required
        /// Without `client_id`, the kind offers another sign-in method.
        case optional
        /// `client_id` does not apply: another party is the client, or each sign-in determines the client.
        case none
    }

    /// The keys that locate the provider.
    package enum Address: Equatable, Sendable {
        /// The issuer only.
        case issuer
        /// The issuer, or all endpoints of these keys.
        case endpoints([String])
        /// The kind's own keys, which have already been read.
        case own
    }

    /// The kind's own settings; `nil` for a kind without any.
    package var settings: (any KindSettings)?
    /// The kind's use of `client_id`. Default: required.
    package var client = Client.required
    /// The keys that locate the provider. Default: the kind's own keys.
    package var address = Address.own
    /// The scopes to request if the configuration sets none.
    package var scopes: [String] = []
    /// The hint for a configuration whose scopes lack `openid`; `nil` if `openid` is not needed.
    package var openIDHint: UserMessage?
    /// The differences of the service from the standards.
    package var dialect = ProviderDialect()

    /// Creates a reading with the kind's own settings.
    package init(
        settings: (any KindSettings)? = nil, client: Client = .required, address: Address = .own, scopes: [String] = [],
        openIDHint: UserMessage? = nil
    ) {
        self.settings = settings
        self.client = client
        self.address = address
        self.scopes = scopes
        self.openIDHint = openIDHint
    }
}
