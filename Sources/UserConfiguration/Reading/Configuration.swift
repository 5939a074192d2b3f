public import AuthModel

/// The validated content of `config.toml`.
public struct Configuration: Equatable, Sendable {
    /// The `[ui]` table.
    public struct Interface: Equatable, Sendable {
        /// The name of the theme.
        public var theme: String = "gate"
        /// Whether a file sets the theme.
        public var isThemeSet: Bool = false
        /// Whether guests see a banner that asks them to sign in.
        public var guestPrompt: Bool = true
        /// Whether the app handles mouse events instead of the terminal.
        public var mouse: Bool = true
        /// The amount of motion on the screen; `nil` decides by the environment.
        public var motion: Motion?

        /// The language code of the app, such as `de`; `nil` uses the language of the environment.
        public var language: String?

        /// Creates the default interface settings.
        public init() {}
    }

    /// The amount of motion on the screen (`ui.motion`).
    public enum Motion: String, Sendable, CaseIterable {
        /// Everything.
        case full
        /// Only what tells that something happened.
        case reduced
        /// Only times.
        case off
    }

    /// The source of the store's key (`store.seal`).
    public enum Seal: String, Sendable, CaseIterable {
        /// The best source that works on this machine.
        case auto
        /// A passphrase that the user enters.
        case passphrase
        /// The user's keyring.
        case secretService = "secret-service"
        /// systemd, which seals the key to this machine and user.
        case system
        /// A FIDO2 security key.
        case securityKey = "security-key"
        /// A key file.
        case keyFile = "key-file"
        /// Memory only: no session is saved.
        case memory
    }

    /// The `[agent]` table.
    public struct Agent: Equatable, Sendable {
        /// The time without a request that needs the keys, after which the agent locks the store; `nil`: never.
        public var lockAfter: Duration?
        /// The time without any work, after which the agent exits; `nil`: never.
        public var idleExit: Duration?
        /// The command to run, as an argument vector, when a session can no longer be renewed; empty for none.
        public var hook: [String] = []
        /// The sessions that the restricted socket offers to other machines.
        public var forward: [SessionPattern] = []
        /// Whether the agent also serves oidc-agent's clients, at a socket of its own.
        public var servesOIDCAgent: Bool = false
        /// The paths of the programs that get no token.
        public var blockedPrograms: [String] = []
        /// Whether to send a desktop notification as well.
        public var notifies: Bool = false

        /// Creates the default agent settings.
        public init() {}
    }

    /// The settings of the app (`[ui]`).
    public var interface = Interface()
    /// The settings of the agent (`[agent]`).
    public var agent = Agent()
    /// The key bindings that the user changed (`[keys]`).
    package var keys = KeyAssignments()
    /// The source of the store's key (`store.seal`).
    public var seal = Seal.auto
    /// The URL of this client's metadata, its identifier where a provider accepts such clients (`client_document`); `nil` for none.
    public var clientDocument: WebURL?
    /// The providers, sorted by name.
    public var providers: [ProviderConfiguration] = []

    /// Creates the configuration that applies if there is no file.
    public init() {}

    /// Returns the provider with this name.
    public func provider(_ name: ProviderName) -> ProviderConfiguration? {
        providers.first { $0.name == name }
    }

    /// The default theme on a light terminal.
    static let lightTheme = "daylight"

    /// Returns this configuration with the default theme for the terminal's background, if no file sets a theme.
    package func withDefaultTheme(onLightBackground isLight: Bool) -> Configuration {
        guard isLight, !interface.isThemeSet else { return self }
        var changed = self
        changed.interface.theme = Self.lightTheme
        return changed
    }

    /// Returns an unused provider name for this origin. A host may have many resources, and its authorization server is a provider as well.
    package func unusedName(for origin: Origin) throws(AuthFailure) -> ProviderName {
        let first = try ProviderName(for: origin)
        guard provider(first) != nil else { return first }
        // At least one of these candidates is unused, because there are more of them than providers.
        let others = (2...providers.count + 2).lazy.compactMap { ProviderName("\(first)-\($0)") }
        return others.first { provider($0) == nil } ?? first
    }
}

/// A configuration, with the files that it comes from.
package struct LoadedConfiguration: Sendable {
    /// The configuration in force.
    package var configuration: Configuration
    /// The administrator's files, most preferred first.
    package var systemFiles: [String] = []
    /// The keys that the administrator locked.
    package var locked: [LockedKey] = []
    /// The user's settings that have no effect, because their keys are locked.
    package var ignored: [IgnoredSetting] = []
    private let document: ConfigurationDocument

    init(_ configuration: Configuration, from document: ConfigurationDocument) {
        self.configuration = configuration
        self.document = document
    }

    /// Returns the files that define a provider, most preferred first.
    package func files(of provider: ProviderName) -> [String] { document.files(with: ["providers", provider.text]) }

    /// Returns the most preferred system file that defines a provider; `nil` if none does.
    package func systemFile(of provider: ProviderName) -> String? { files(of: provider).first(where: systemFiles.contains) }
}

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

    /// Derives a name from a host: `id.example.org` gives `example`, an IP address gives `local`.
    package init(for origin: Origin) throws(AuthFailure) {
        let labels = origin.host.split(separator: ".")
        let telling = origin.isAddress ? "local" : labels.count > 1 ? String(labels[labels.count - 2]) : origin.host
        try self.init(argument: telling)
    }
}
