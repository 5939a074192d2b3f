/// An OpenID provider that a test signs in at.
public protocol RunningProvider: Sendable {
    var issuer: String { get }
    /// The lines below `[providers.NAME]` that make it a provider of Yett's.
    var settings: String { get }
}

extension TemporaryHome {
    /// Configures one provider under a name.
    public func configure(_ provider: any RunningProvider, as name: String, more: String = "") throws {
        try configure("[providers.\(name)]\n\(provider.settings)\n\(more)\n")
    }
}
