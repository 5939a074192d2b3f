import AuthModel

/// The store and the configuration that an agent uses.
///
/// Commands with several homes may share one runtime folder, for example in tests and in `sudo` sessions. Each request names its home, and
/// an agent of another home refuses it, so that no request is answered from the wrong store.
public struct AgentHome: Equatable, Sendable {
    /// The folder of the store.
    public var store: String
    /// The configuration file.
    public var configuration: String

    /// Creates a home.
    public init(store: String, configuration: String) {
        self.store = store
        self.configuration = configuration
    }

    /// The header fields that carry it.
    static let storeField = "Yett-Store"
    static let configurationField = "Yett-Configuration"
}
