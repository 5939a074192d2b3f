public import AuthModel
public import TerminalApp

/// What `config.toml` says, read and checked.
public struct Configuration: Equatable, Sendable {
    /// `[ui]`.
    public struct Interface: Equatable, Sendable {
        /// The name of a theme.
        public var theme: String = "gate"
        /// Whether guests see a banner that asks them to sign in.
        public var guestPrompt: Bool = true
        /// Whether the app takes the mouse from the terminal.
        public var mouse: Bool = true

        /// The code of the language that the app speaks, such as `de`; `nil` for the one of the environment.
        public var language: String?

        public init() {}
    }

    /// `store.seal`: where the key of the store comes from.
    public enum Seal: String, Sendable, CaseIterable {
        /// The best of the others that works on this machine.
        case auto
        case passphrase
        /// The person's keyring.
        case secretService = "secret-service"
        case keyFile = "key-file"
        /// Nothing is kept.
        case memory
    }

    /// `[agent]`.
    public struct Agent: Equatable, Sendable {
        /// After how long without a request that needs the keys they are put away; `nil`: never.
        public var lockAfter: Duration?
        /// After how long without anything to do for anybody the agent ends; `nil`: never.
        public var idleExit: Duration?
        /// A command, as an argument vector, that is told when a session cannot be renewed any more; empty for none.
        public var hook: [String] = []
        /// Whether the desktop is told as well.
        public var notifies: Bool = false

        public init() {}
    }

    public var interface = Interface()
    public var agent = Agent()
    /// `[keys]`.
    public var keys = KeyChanges()
    public var seal = Seal.auto
    /// By name.
    public var providers: [ProviderConfiguration] = []

    /// The configuration of a machine that has none.
    public init() {}

    /// The provider of that name.
    public func provider(_ name: ProviderName) -> ProviderConfiguration? {
        providers.first { $0.name == name }
    }
}
