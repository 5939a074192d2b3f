internal import AuthModel
internal import SessionStore
internal import Synchronization

/// Access tokens that are restricted further than their sessions: a cache, and the requests in progress.
///
/// The cache exists only in memory, and is cleared when the store is locked.
final class NarrowedTokens: Sendable {
    /// A session and the restrictions of a token.
    struct Key: Hashable, Sendable {
        private let session: SessionName
        /// Distinguishes a session from one of the same name after a new sign-in.
        private let grantedAt: Timestamp
        let restrictions: TokenRestrictions

        init(_ summary: SessionSummary, _ restrictions: TokenRestrictions) {
            session = summary.name
            grantedAt = summary.grantedAt
            self.restrictions = restrictions
        }
    }

    private struct Cache {
        var grants: [Key: IssuedToken] = [:]
        /// The keys, oldest token first.
        var order: [Key] = []
    }

    /// Requests in progress. Concurrent callers share the result.
    let inProgress = TasksInProgress<Key, IssuedToken>()
    private let cache = Mutex(Cache())

    /// Maximum number of tokens; the oldest is removed first.
    static let limit = 64

    /// Returns the token if it is valid for at least `validity` from `now`. A token without an expiry time is valid.
    func token(_ key: Key, validFor validity: Duration, now: Timestamp) -> IssuedToken? {
        guard let issued = cache.withLock({ $0.grants[key] }) else { return nil }
        return issued.expiresAt.map { $0 - now >= validity } ?? true ? issued : nil
    }

    /// Adds a token, unless `store` is locked. The check and the addition are one atomic step, so that a token that is added while the store
    /// is being locked is cleared with the others.
    func insert(_ issued: IssuedToken, for key: Key, whileUnlocked store: SessionStore) {
        cache.withLock { cache in
            guard store.sealState == .unlocked else { return }
            cache.order.removeAll { $0 == key }
            cache.order.append(key)
            cache.grants[key] = issued
            while cache.order.count > Self.limit { cache.grants[cache.order.removeFirst()] = nil }
        }
    }

    /// Removes `token`, unless another token has replaced it.
    func remove(_ token: Secret, for key: Key) {
        cache.withLock { cache in
            guard cache.grants[key]?.token == token else { return }
            cache.grants[key] = nil
            cache.order.removeAll { $0 == key }
        }
    }

    /// Returns whether the cache contains `token`.
    func contains(_ token: Secret) -> Bool { cache.withLock { $0.grants.values.contains { $0.token == token } } }

    /// Removes all tokens.
    func clear() { cache.withLock { $0 = Cache() } }
}
