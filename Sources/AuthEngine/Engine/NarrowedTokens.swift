import AuthModel

/// A cache of access tokens that are restricted further than their sessions. It exists only in memory, and is cleared when the store is
/// locked.
struct NarrowedTokens: Sendable {
    struct Key: Hashable {
        private let session: SessionName
        /// Distinguishes a session from one of the same name after a new sign-in.
        private let grantedAt: Timestamp
        let terms: TokenRestrictions

        init(_ summary: SessionSummary, _ terms: TokenRestrictions) {
            session = summary.name
            grantedAt = summary.grantedAt
            self.terms = terms
        }
    }

    private var grants: [Key: IssuedToken] = [:]
    /// The keys, oldest token first.
    private var order: [Key] = []

    /// Maximum number of tokens; the oldest is removed first.
    static let limit = 64

    /// Returns the token if it is valid for at least `validity` from `now`. A token without an expiry time is valid.
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

    /// Removes `token`, unless another token has replaced it.
    mutating func remove(_ token: Secret, for key: Key) {
        guard grants[key]?.token == token else { return }
        grants[key] = nil
        order.removeAll { $0 == key }
    }

    /// Returns whether the cache contains `token`.
    func contains(_ token: Secret) -> Bool { grants.values.contains { $0.token == token } }

    mutating func clear() {
        grants.removeAll()
        order.removeAll()
    }
}
