import AuthModel

/// Whose sessions an agent keeps: the store and the configuration it works with.
///
/// One runtime folder may see commands with several homes, as in tests and in `sudo` sessions. A request says which home it means, and an
/// agent of another one refuses it, so that nobody is ever answered from a stranger's store.
public struct AgentHome: Equatable, Sendable {
    /// The folder of the store.
    public var store: String
    /// The configuration file.
    public var configuration: String

    public init(store: String, configuration: String) {
        self.store = store
        self.configuration = configuration
    }

    /// The header fields that carry it.
    static let storeField = "Yett-Store"
    static let configurationField = "Yett-Configuration"
}
