public import AuthModel

/// The static facts about one provider kind: its configuration keys and how to read them, its requirements for the common keys, and the
/// factories for its adapter and its resource dialect. Each kind's folder has one such type, which ``AuthModel/ProviderKind/definition``
/// returns.
///
/// Facts that depend on one provider's settings are in the type of these settings, an ``AuthModel/KindSettings``.
public protocol KindDefinition: Sendable {
    /// The kind's own keys, in the order in which they are listed and explained. Every kind has the common keys as well.
    var keys: [KindKey] { get }

    /// Keys that a user may write for a secret that this machine must not know. Each value is a hint that says what to do instead.
    var foreignSecrets: [String: String] { get }

    /// Whether a browser returns from a sign-in to a redirect address, which may have to be registered.
    var hasRedirect: Bool { get }

    /// Returns a note about registering the provider's redirect addresses; `nil` if they are used exactly as configured.
    func redirectNote(of configuration: ProviderConfiguration) -> String?

    /// Reads the kind's own keys, and refuses the common keys that do not apply. Runs before the common keys are read.
    ///
    /// - Throws: `.configuration`, made by the table.
    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading

    /// Reads how the kind makes its sessions from another session; returns `nil` if it does not. Runs after the common keys are read.
    ///
    /// - Throws: `.configuration`, made by the table.
    func base(_ table: any SettingsTable) throws(AuthFailure) -> ProviderConfiguration.Exchange?

    /// Creates the adapter for a provider of the kind.
    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter

    /// Returns how requests to the resources of a provider of the kind are made.
    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect

    /// Whether a normalized URL belongs to the provider itself. Tokens of the provider's sessions may be sent there, as to `api_hosts` and
    /// `resource`, and only an answer from there may replace a session's token. ``CredentialGate`` calls it.
    ///
    /// - Parameter issuer: the issuer of the session; `nil` for the provider as it is configured.
    func isProviderURL(_ url: WebURL, of configuration: ProviderConfiguration, issuer: String?) -> Bool

    /// Returns the provider's own URL; `nil` for a kind whose sessions are for resources of others.
    func home(of configuration: ProviderConfiguration) -> WebURL?

    /// Whether servers that the configuration does not name may belong to a provider. Each server is asked without a credential, and the
    /// provider issues a separate token for it.
    var discoversServers: Bool { get }
}

extension KindDefinition {
    /// Default: none.
    public var keys: [KindKey] { [] }
    /// Default: none.
    public var foreignSecrets: [String: String] { [:] }
    /// Default: true.
    public var hasRedirect: Bool { true }
    /// Default: `nil`.
    public func redirectNote(of configuration: ProviderConfiguration) -> String? { nil }
    /// Default: false.
    public var discoversServers: Bool { false }

    /// Default: `nil`.
    public func home(of configuration: ProviderConfiguration) -> WebURL? { nil }

    /// Default: false.
    public func isProviderURL(_ url: WebURL, of configuration: ProviderConfiguration, issuer: String?) -> Bool { false }

    /// Default: `nil`.
    public func base(_ table: any SettingsTable) throws(AuthFailure) -> ProviderConfiguration.Exchange? { nil }

    /// Default: ``BearerDialect``.
    public func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect { BearerDialect() }
}

/// A configuration key that belongs to one kind only.
public struct KindKey: Sendable {
    /// The key as written in the configuration file.
    public let name: String
    /// The description of the key in full sentences. The manual prints it.
    public let meaning: String

    init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }
}

/// The settings read from a kind's own keys, and the kind's requirements for the common keys.
public struct KindReading: Sendable {
    /// How the kind uses `client_id`.
    public enum Client: Sendable {
        /// `client_id` is required.
        case required
        /// Without `client_id`, the kind offers another sign-in method.
        case optional
        /// `client_id` does not apply: another party is the client, or each sign-in determines the client.
        case none
    }

    /// The keys that locate the provider.
    public enum Address: Equatable, Sendable {
        /// The issuer only.
        case issuer
        /// The issuer, or all endpoints of these keys.
        case endpoints([String])
        /// The kind's own keys, which have already been read.
        case own
    }

    /// The kind's own settings; `nil` for a kind without any.
    public var settings: (any KindSettings)?
    /// How the kind uses `client_id`. Default: required.
    public var client = Client.required
    /// The keys that locate the provider. Default: the kind's own keys.
    public var address = Address.own
    /// The scopes to request if the configuration sets none.
    public var scopes: [String] = []
    /// The hint for a configuration whose scopes lack `openid`; `nil` if `openid` is not needed.
    public var openIDHint: String?
}
