internal import AuthModel
internal import UserConfiguration

/// Finds the provider whose tokens an entry gets.
struct SetupOwner {
    private let configuration: Configuration

    init(_ configuration: Configuration) { self.configuration = configuration }

    /// Returns the provider of the entry's session, otherwise the only one whose tokens may be sent to its host.
    func provider(of entry: SetupEntry) -> ProviderConfiguration? {
        if let session = entry.session { return configuration.provider(session.provider) }
        let owners = configuration.providers.filter { provider in
            entry.destination.map { TokenDestinations(provider: provider).includes($0) } ?? false
        }
        return owners.count == 1 ? owners[0] : nil
    }

    /// Returns whether an entry of `api_hosts` names an origin.
    static func isHost(_ text: String, of origin: Origin) -> Bool { WebURL("\(origin.scheme.rawValue)://\(text)")?.origin == origin }
}
