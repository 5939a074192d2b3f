/// An OpenID provider to sign in at.
public protocol RunningProvider: Sendable {
    /// The provider's issuer.
    var issuer: String { get }
    /// The settings for its table `[providers.NAME]` in Yett's configuration.
    var settings: String { get }
}

extension TemporaryHome {
    /// Writes a configuration with one provider under the given name.
    public func configure(_ provider: any RunningProvider, as name: String, more: String = "") throws {
        try configure("[providers.\(name)]\n\(provider.settings)\n\(more)\n")
    }
}
