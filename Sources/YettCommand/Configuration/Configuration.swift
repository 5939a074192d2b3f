public import AuthModel

/// What `config.toml` says, read and checked.
public struct Configuration: Equatable, Sendable {
    /// `[ui]`.
    public struct Interface: Equatable, Sendable {
        /// The name of a theme.
        public var theme: String = "gate"
        /// Whether guests see a banner that asks them to sign in.
        public var guestPrompt: Bool = true

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

    public var interface = Interface()
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
