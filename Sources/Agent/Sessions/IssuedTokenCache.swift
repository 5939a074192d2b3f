import AuthModel

/// A cache of recently issued tokens, so that a program that asks a thousand times a second causes few reads of the store.
///
/// The key is the whole request (session as named, kind of token, scopes and audience); the requested validity is compared with the
/// remaining time. A change of any session clears the cache. An entry expires after ``lifetime`` in any case, so that the store learns of
/// the use.
struct IssuedTokenCache: Sendable {
    private struct Key: Hashable {
        var session: SessionName
        var wanted: TokenRequest.Wanted
        var terms: TokenRestrictions

        init(_ request: TokenRequest) {
            session = request.session
            wanted = request.wanted
            terms = request.terms
        }
    }

    private struct Entry {
        var grant: IssuedToken
        var end: Duration
    }

    /// The properties of a session whose change means a new token.
    private struct Trait: Equatable {
        var receivedAt: Timestamp
        var state: SessionState
    }

    private var entries: [Key: Entry] = [:]
    private var traits: [SessionName: Trait] = [:]
    /// The number of changes so far.
    private(set) var generation = 0

    /// The lifetime of an entry, on the boot clock.
    static let lifetime = Duration.seconds(5)

    func grant(for request: TokenRequest, now: Timestamp, bootTime: Duration) -> IssuedToken? {
        guard request.isPlain, let entry = entries[Key(request)], bootTime < entry.end else { return nil }
        if let end = entry.grant.expiresAt, end - now < request.minimumValidity { return nil }
        return entry.grant
    }

    /// Caches a token, unless a session has changed since `generation`.
    mutating func insert(_ grant: IssuedToken, for request: TokenRequest, generation: Int, bootTime: Duration) {
        guard generation == self.generation, request.isPlain else { return }
        entries[Key(request)] = Entry(grant: grant, end: bootTime + Self.lifetime)
    }

    /// Clears the cache if a session has changed.
    mutating func update(_ sessions: [SessionSummary]) {
        let now = Dictionary(sessions.map { ($0.name, Trait(receivedAt: $0.receivedAt, state: $0.recordedState)) }) { first, _ in first }
        guard now != traits else { return }
        traits = now
        clear()
    }

    mutating func clear() {
        entries.removeAll()
        generation += 1
    }
}

extension TokenRequest {
    /// Whether the request is for the session's own token and not for a resource. Only these are cached.
    fileprivate var isPlain: Bool { resource == nil && refused == nil }
}
