package import AuthModel

/// A change of the hosts that a provider's tokens may be sent to.
package struct HostChange: Equatable, Sendable {
    /// Whether the host is added to `api_hosts`, or removed from it.
    package enum Direction: Equatable, Sendable {
        case add
        case remove
    }

    /// The provider.
    package let provider: ProviderName
    /// The host, as `host` or `host:port`.
    package let host: String
    package let direction: Direction

    package init(_ direction: Direction, _ host: String, of provider: ProviderName) {
        (self.direction, self.host, self.provider) = (direction, host, provider)
    }
}

extension HostChange {
    /// Returns the configuration after the change.
    func wanted(from current: Configuration) -> Configuration {
        var wanted = current
        for index in wanted.providers.indices where wanted.providers[index].name == provider {
            wanted.providers[index].apiHosts.removeAll { $0 == host }
            if direction == .add { wanted.providers[index].apiHosts.append(host) }
        }
        return wanted
    }
}
