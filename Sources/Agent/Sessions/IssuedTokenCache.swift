internal import AuthModel
internal import Synchronization

/// A cache of recently issued tokens, so that a program that asks a thousand times a second causes few reads of the store.
///
/// The key is the whole request (session as named, kind of token, scopes and audience); the requested validity is compared with the
/// remaining time. A change of any session clears the cache. An entry expires after ``lifetime`` in any case, so that the store learns of
/// the use.
final class IssuedTokenCache: Sendable {
    private struct Key: Hashable {
        var session: SessionName
        var wanted: TokenRequest.Wanted
        var restrictions: TokenRestrictions

        init(_ request: TokenRequest) {
            session = request.session
            wanted = request.wanted
            restrictions = request.restrictions
        }
    }

    private struct Entry {
        var issued: IssuedToken
        var end: Duration
    }

    /// The properties of a session whose change means a new token.
    private struct Trait: Equatable {
        var receivedAt: Timestamp
        var state: SessionState
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        var traits: [SessionName: Trait] = [:]
        /// The number of changes so far.
        var generation = 0

        mutating func clear() {
            entries.removeAll()
            generation += 1
        }
    }

    private let state = Mutex(State())

    /// The lifetime of an entry, on the boot clock.
    static let lifetime = Duration.seconds(5)

    /// The number of changes so far.
    var generation: Int { state.withLock { $0.generation } }

    /// Returns the cached token for a request; `nil` if there is none that is valid for long enough.
    func token(for request: TokenRequest, now: Timestamp, bootTime: Duration) -> IssuedToken? {
        guard request.isPlain, let entry = state.withLock({ $0.entries[Key(request)] }), bootTime < entry.end else { return nil }
        if let end = entry.issued.expiresAt, end - now < request.minimumValidity { return nil }
        return entry.issued
    }

    /// Caches a token, unless a session has changed since `generation`.
    func insert(_ issued: IssuedToken, for request: TokenRequest, generation: Int, bootTime: Duration) {
        guard request.isPlain else { return }
        state.withLock { state in
            guard generation == state.generation else { return }
            state.entries[Key(request)] = Entry(issued: issued, end: bootTime + Self.lifetime)
        }
    }

    /// Clears the cache if a session has changed.
    func update(_ sessions: [SessionSummary]) {
        let now = Dictionary(sessions.map { ($0.name, Trait(receivedAt: $0.receivedAt, state: $0.recordedState)) }) { first, _ in first }
        state.withLock { state in
            guard now != state.traits else { return }
            state.traits = now
            state.clear()
        }
    }

    /// Removes all tokens.
    func clear() { state.withLock { $0.clear() } }
}

extension TokenRequest {
    /// Whether the request is for the session's own token and not for a resource. Only these are cached.
    fileprivate var isPlain: Bool { resource == nil && refused == nil }
}
