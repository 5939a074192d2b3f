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
        /// The motion on the screen; `nil` decides by the environment.
        public var motion: Motion?

        /// The language code of the app, such as `de`; `nil` uses the language of the environment.
        public var language: String?

        /// Creates the default interface settings.
        public init() {}
    }

    /// The motion on the screen (`ui.motion`).
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
    /// The providers, sorted by name.
    public var providers: [ProviderConfiguration] = []

    /// Creates the configuration that applies if there is no file.
    public init() {}

    /// Returns the provider with this name.
    public func provider(_ name: ProviderName) -> ProviderConfiguration? {
        providers.first { $0.name == name }
    }
}
