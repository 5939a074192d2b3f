public import AuthModel

/// All that one kind of provider alone knows: its own keys of the configuration and how they are read, what it wants of the common ones,
/// and what speaks to its providers and their resources. One type in each kind's folder; ``AuthModel/ProviderKind/definition`` names it.
///
/// What of it depends on a provider's own settings stands in their type, an ``AuthModel/KindSettings``.
public protocol KindDefinition: Sendable {
    /// The kind's own keys, in the order to list and to explain them in. Every kind has the common ones as well.
    var keys: [KindKey] { get }

    /// Keys that somebody may write for a secret which is not this machine's to know, each with what to do instead.
    var foreignSecrets: [String: String] { get }

    /// Whether a browser comes back from a sign-in, to an address that may have to be registered.
    var hasRedirect: Bool { get }

    /// What to know of a provider's redirect addresses when they are registered; `nil` where they are sent as they are.
    func redirectNote(of configuration: ProviderConfiguration) -> String?

    /// Reads the kind's own keys, and refuses those common ones that have no place there; before the common ones are read.
    ///
    /// - Throws: `.configuration`, made by the table.
    func read(_ table: any SettingsTable) throws(AuthFailure) -> KindReading

    /// The session that the kind's own are made from, for a kind that makes them so; after the common keys were read.
    ///
    /// - Throws: `.configuration`, made by the table.
    func base(_ table: any SettingsTable) throws(AuthFailure) -> ProviderConfiguration.Exchange?

    /// What signs in at a provider of the kind.
    func makeAdapter(for configuration: ProviderConfiguration, environment: EngineEnvironment) -> any ProviderAdapter

    /// How the resources of a provider of the kind are spoken to.
    func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect

    /// Whether a normalized URL is a place of the provider itself, where its sessions' tokens go beside `api_hosts` and `resource`: only
    /// such a place may answer with a session's next token. ``CredentialGate`` asks it.
    ///
    /// - Parameter issuer: the issuer of the session; `nil` for the provider as it is configured.
    func isOwnPlace(_ url: WebURL, of configuration: ProviderConfiguration, issuer: String?) -> Bool

    /// Where the provider's own place is; `nil` for a kind whose sessions are for others' resources.
    func home(of configuration: ProviderConfiguration) -> WebURL?

    /// Whether servers that the configuration does not name may belong to a provider: each is asked without a credential, and has a token
    /// of its own that the provider makes for it.
    var findsServers: Bool { get }
}

extension KindDefinition {
    public var keys: [KindKey] { [] }
    public var foreignSecrets: [String: String] { [:] }
    public var hasRedirect: Bool { true }
    public func redirectNote(of configuration: ProviderConfiguration) -> String? { nil }
    public var findsServers: Bool { false }

    public func home(of configuration: ProviderConfiguration) -> WebURL? { nil }

    public func isOwnPlace(_ url: WebURL, of configuration: ProviderConfiguration, issuer: String?) -> Bool { false }

    public func base(_ table: any SettingsTable) throws(AuthFailure) -> ProviderConfiguration.Exchange? { nil }

    public func resourceDialect(of configuration: ProviderConfiguration) -> any ResourceDialect { BearerDialect() }
}

/// A key of the configuration that one kind alone has.
public struct KindKey: Sendable {
    public let name: String
    /// What it is for, in sentences: the manual has them.
    public let meaning: String

    init(_ name: String, _ meaning: String) {
        self.name = name
        self.meaning = meaning
    }
}

/// What a kind made of its own keys, and what it wants of the common ones.
public struct KindReading: Sendable {
    /// Whether there must be a `client_id`.
    public enum Client: Sendable {
        case required
        /// Without one something else than the client's own sign-in is offered.
        case optional
        /// Somebody else is the client, or says at each sign-in which one it is.
        case none
    }

    /// What says where the provider is.
    public enum Address: Equatable, Sendable {
        /// The issuer, and nothing else.
        case issuer
        /// The issuer, or else all endpoints of these keys.
        case endpoints([String])
        /// The kind's own keys, which were read.
        case own
    }

    /// `nil` for a kind that needs nothing of its own.
    public var settings: (any KindSettings)?
    public var client = Client.required
    public var address = Address.own
    /// What is asked for where the configuration does not say so.
    public var scopes: [String] = []
    /// What to do about scopes without `openid`; `nil` where it need not be among them.
    public var openIDHint: String?
}
