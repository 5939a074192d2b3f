import AuthModel

/// Access tokens that are good for less than their sessions are. They are kept here alone, and go with the keys and the process.
struct NarrowedTokens: Sendable {
    struct Key: Hashable {
        private let session: SessionName
        /// A session that was signed in anew is another one.
        private let grantedAt: Timestamp
        let terms: TokenRestrictions

        init(_ summary: SessionSummary, _ terms: TokenRestrictions) {
            session = summary.name
            grantedAt = summary.grantedAt
            self.terms = terms
        }
    }

    private var grants: [Key: IssuedToken] = [:]
    /// The keys, the oldest token first.
    private var order: [Key] = []

    /// How many are kept at most; the oldest goes first.
    static let limit = 64

    /// The token, where it is good for at least `validity` from `now`. One without an end is.
    func grant(_ key: Key, validFor validity: Duration, now: Timestamp) -> IssuedToken? {
        guard let grant = grants[key] else { return nil }
        return grant.expiresAt.map { $0 - now >= validity } ?? true ? grant : nil
    }

    mutating func insert(_ grant: IssuedToken, for key: Key) {
        order.removeAll { $0 == key }
        order.append(key)
        grants[key] = grant
        while order.count > Self.limit { grants[order.removeFirst()] = nil }
    }

    /// Forgets `token`, unless there is another one in its place.
    mutating func remove(_ token: Secret, for key: Key) {
        guard grants[key]?.token == token else { return }
        grants[key] = nil
        order.removeAll { $0 == key }
    }

    /// Whether `token` is one of them.
    func contains(_ token: Secret) -> Bool { grants.values.contains { $0.token == token } }

    mutating func clear() {
        grants.removeAll()
        order.removeAll()
    }
}
