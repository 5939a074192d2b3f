import Synchronization

/// Whether the agent serves oidc-agent's clients (`[agent] oidc_agent_socket`), as the configuration says now.
public final class OIDCAgentSetting: Sendable {
    private let state: Mutex<Bool>
    /// One element for each change.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// Creates the setting with its value in the configuration.
    public init(_ isOn: Bool = false) {
        state = Mutex(isOn)
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changed.yield()
    }

    /// Whether the socket is wanted.
    var isOn: Bool { state.withLock { $0 } }

    /// Takes the value of a changed configuration.
    public func set(_ isOn: Bool) {
        let isChange = state.withLock { known in
            defer { known = isOn }
            return known != isOn
        }
        if isChange { changed.yield() }
    }
}
