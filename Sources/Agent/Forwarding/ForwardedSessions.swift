public import AuthModel
import Synchronization

/// Which sessions the restricted socket offers (`[agent] forward`), as the configuration says now.
public final class ForwardedSessions: Sendable {
    private let state: Mutex<[SessionPattern]>
    /// One element for each change.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// Creates the set with the patterns of the configuration.
    public init(_ patterns: [SessionPattern]) {
        state = Mutex(patterns)
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changed.yield()
    }

    /// The patterns, in the order of the configuration.
    var patterns: [SessionPattern] { state.withLock { $0 } }

    /// Takes the patterns of a changed configuration.
    public func set(_ patterns: [SessionPattern]) {
        let isChange = state.withLock { known in
            defer { known = patterns }
            return known != patterns
        }
        if isChange { changed.yield() }
    }
}
