import AuthModel

/// Grants that were handed out a moment ago, so that a program that asks a thousand times a second costs one look into the store.
///
/// The key is the whole question (session as it was named, kind of token, scopes and audience); the validity that is asked for is compared
/// with what is left. An entry goes with the first sign that its session changed, and after ``lifetime`` in any case, so that the store
/// learns of the use.
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

    /// What a change of means that a token is another one.
    private struct Trait: Equatable {
        var receivedAt: Timestamp
        var state: SessionState
    }

    private var entries: [Key: Entry] = [:]
    private var traits: [SessionName: Trait] = [:]
    /// Counts the changes that were seen.
    private(set) var generation = 0

    /// How long an entry is used, on the boot clock.
    static let lifetime = Duration.seconds(5)

    func grant(for request: TokenRequest, now: Timestamp, bootTime: Duration) -> IssuedToken? {
        guard request.isPlain, let entry = entries[Key(request)], bootTime < entry.end else { return nil }
        if let end = entry.grant.expiresAt, end - now < request.minimumValidity { return nil }
        return entry.grant
    }

    /// Keeps a grant, unless a session changed since `generation`.
    mutating func insert(_ grant: IssuedToken, for request: TokenRequest, generation: Int, bootTime: Duration) {
        guard generation == self.generation, request.isPlain else { return }
        entries[Key(request)] = Entry(grant: grant, end: bootTime + Self.lifetime)
    }

    /// Takes notice of the sessions as they are now.
    mutating func update(_ sessions: [SessionSummary]) {
        let now = Dictionary(sessions.map { ($0.name, Trait(receivedAt: $0.receivedAt, state: $0.settledState)) }) { first, _ in first }
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
    /// Whether it is for the session's own token, whatever it is used for: the only kind of answer that is kept.
    fileprivate var isPlain: Bool { resource == nil && refused == nil }
}
