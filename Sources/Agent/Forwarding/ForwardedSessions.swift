public import AuthModel
import Synchronization

/// The sessions that the restricted socket offers, as the configuration says now: those of `[agent] forward`, and the audiences that tokens
/// may have.
public final class ForwardedSessions: Sendable {
    private struct State: Equatable {
        var patterns: [SessionPattern] = []
        var audiences: [ProviderName: [String]] = [:]
    }

    private let state = Mutex(State())
    /// One element for each change.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// Creates the set with the patterns of the configuration.
    public init(_ patterns: [SessionPattern], audiences: [ProviderName: [String]] = [:]) {
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        set(patterns, audiences: audiences)
        changed.yield()
    }

    /// The patterns, in the order of the configuration.
    var patterns: [SessionPattern] { state.withLock(\.patterns) }

    /// Returns the audiences that the configuration lists for a provider's tokens: `resource`.
    func audiences(of provider: ProviderName) -> [String] { state.withLock { $0.audiences[provider] ?? [] } }

    /// Takes the patterns and the audiences of a changed configuration.
    public func set(_ patterns: [SessionPattern], audiences: [ProviderName: [String]] = [:]) {
        let new = State(patterns: patterns, audiences: audiences)
        let isChange = state.withLock { known in
            defer { known = new }
            return known != new
        }
        if isChange { changed.yield() }
    }
}
