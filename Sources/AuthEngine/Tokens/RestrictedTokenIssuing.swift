import AuthModel
import OAuth
import SessionStore
import Synchronization

/// Issues tokens with fewer scopes or another audience than their session's.
struct RestrictedTokenIssuing: Sendable {
    let context: EngineContext
    let renewal: TokenRenewal
    let tokens: RestrictedTokens

    /// Issues a token with fewer scopes or another audience than the session's: a cached one with these restrictions, or a new one.
    ///
    /// A new one is made by a renewal, so the session's refresh token may change. The session's own access token does not.
    func token(of record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        let name = record.summary.name
        let restrictions = request.restrictions
        guard record.tokens != nil else { throw .sessionEnded(record) }
        let key = RestrictedTokens.Key(record.summary, restrictions)
        // The resource refused this token, even if its expiry time has not passed.
        if let refused = request.refused { tokens.remove(refused, for: key) }
        if let known = tokens.token(key, validFor: request.minimumValidity, now: context.time.now) { return known }
        guard request.mayRenew else {
            throw AuthFailure(
                .signInAgain, UserMessage("token.none_cached", ["session": name, "terms": restrictions.note]), hint: "hint.remove_no_renew")
        }
        do throws(AuthFailure) {
            if tokens.inProgress[key] == nil { try await renewal.state.pauses.requireNoPause(of: record) }
            return try await tokens.inProgress.join(key) { Task { await run(of: record, key) } }.task.value.get()
        } catch {
            // The provider is unreachable, but the cached token still works.
            guard error.isTransient, let live = tokens.token(key, validFor: .milliseconds(1), now: context.time.now) else {
                throw error
            }
            return live
        }
    }

    /// Throws if no token can have these restrictions.
    func validateRestrictions(of request: TokenRequest, for record: SessionRecord) throws(AuthFailure) {
        guard request.wanted == .access else {
            throw AuthFailure(.usage, "id_token.scope_and_audience_fixed", hint: "hint.request_access_token")
        }
        if let audience = request.restrictions.audience, !ResourceIndicator.isValid(audience) {
            throw AuthFailure(.usage, UserMessage("token.not_an_audience", ["audience": audience]), hint: "hint.use_absolute_uri")
        }
        let missing = request.restrictions.scopes.values.filter { !record.summary.scopes.contains($0) }
        guard missing.isEmpty else {
            let (name, wanted) = (record.summary.name, (record.summary.scopes.values + missing).map { "--scope \(ShellWord($0))" })
            throw AuthFailure(
                .denied(code: "invalid_scope"),
                UserMessage("token.session_lacks_scope", ["session": name, "scope": missing.joined(separator: " ")]),
                hint: UserMessage("hint.sign_in_with_scope", ["provider": name.provider, "scope": wanted.joined(separator: " ")]))
        }
    }

    /// Runs the request that all callers share.
    private func run(of seen: SessionRecord, _ key: RestrictedTokens.Key) async -> Result<IssuedToken, AuthFailure> {
        let outcome = await context.sessions.locked(seen.summary.name) { (lock) throws(AuthFailure) in
            try await renewRestricted(seen, key, holding: lock)
        }
        tokens.inProgress.remove(key)
        return outcome
    }

    private func renewRestricted(
        _ seen: SessionRecord, _ key: RestrictedTokens.Key, holding lock: SessionLock
    ) async throws(AuthFailure) -> IssuedToken {
        let name = seen.summary.name
        let saving = renewal.saving
        // Another caller may have renewed the session while we waited for the lock.
        let record = try await saving.savingDeferredResponse(try await context.sessions.record(name), holding: lock)
        guard record.tokens != nil else { throw .sessionEnded(record) }
        if record.renewalFailures != seen.renewalFailures { try await renewal.state.pauses.requireNoPause(of: record) }
        guard record.summary.isRenewable else {
            throw AuthFailure(
                .configuration, UserMessage("token.session_cannot_narrow", ["session": name]),
                hint: "hint.sign_in_with_only_these_scopes")
        }
        guard let provider = try context.providers.ownAdapter(of: record).restrictedRenewal else {
            throw AuthFailure(
                .configuration, UserMessage("token.no_restriction_at_provider", ["provider": name.provider]),
                hint: "hint.use_token_without_restriction")
        }
        let superseded = AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("token.session_replaced_meanwhile", ["session": name]), hint: "hint.try_again")
        try await saving.reserveSpace(for: name, holding: lock)
        let restricted: Renewal
        do {
            restricted = try await RenewalRetry(time: context.time, lostResponses: record.renewalFailures.lostResponses).run {
                () async throws(RenewalFailure) in
                try await provider.renew(record, to: key.restrictions, sessions: renewal.baseSessions)
            }
        } catch {
            _ = try await renewal.saveFailure(of: record, holding: lock, after: error)
            throw superseded
        }
        // Write the refresh token durably before the access token is issued, as after every renewal.
        let saved = try await saving.save(record, holding: lock) { record in
            record.tokens?.refreshToken = restricted.tokens.refreshToken
            record.tokens?.refreshExpiresAt = restricted.tokens.refreshExpiresAt
            record.tokens?.idToken = restricted.tokens.idToken
            record.extras = restricted.extras
            record.renewalFailures = RenewalFailures()
            if let claims = restricted.idTokenClaims { record.identity.idTokenClaims = claims }
            record.summary.refreshExpiresAt = restricted.tokens.refreshExpiresAt
        }
        guard !saved.isNewer else { throw superseded }
        guard key.restrictions.scopes.isEmpty || restricted.tokens.scopes.values.allSatisfy(key.restrictions.scopes.contains) else {
            throw AuthFailure(
                .denied(code: "invalid_scope"), UserMessage("token.more_scopes_than_requested", ["provider": name.provider]),
                hint: "hint.use_token_without_scope_option")
        }
        let issued = IssuedToken(
            token: restricted.tokens.accessToken, tokenType: restricted.tokens.tokenType, expiresAt: restricted.tokens.accessExpiresAt,
            scopes: restricted.tokens.scopes, session: name)
        tokens.insert(issued, for: key, whileUnlocked: context.store)
        return issued
    }
}

extension SessionRecord {
    /// Returns whether the session's own token satisfies these restrictions.
    func isGood(for restrictions: TokenRestrictions) -> Bool {
        let hasScopes = restrictions.scopes.isEmpty || Set(restrictions.scopes.values) == Set(summary.scopes.values)
        return hasScopes && (restrictions.audience.map { SessionExtras(extras).resources == [$0] } ?? true)
    }
}

/// Access tokens that are restricted further than their sessions: a cache, and the requests in progress.
///
/// The cache exists only in memory, and is cleared when the store is locked.
final class RestrictedTokens: Sendable {
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
        var tokens: [Key: IssuedToken] = [:]
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
        guard let issued = cache.withLock({ $0.tokens[key] }) else { return nil }
        return issued.expiresAt.map { $0 - now >= validity } ?? true ? issued : nil
    }

    /// Adds a token, unless `store` is locked. The check and the addition are one atomic step, so that a token that is added while the
    /// store is being locked is cleared with the others.
    func insert(_ issued: IssuedToken, for key: Key, whileUnlocked store: SessionStore) {
        cache.withLock { cache in
            guard store.storeState == .unlocked else { return }
            cache.order.removeAll { $0 == key }
            cache.order.append(key)
            cache.tokens[key] = issued
            while cache.order.count > Self.limit { cache.tokens[cache.order.removeFirst()] = nil }
        }
    }

    /// Removes `token`, unless another token has replaced it.
    func remove(_ token: Secret, for key: Key) {
        cache.withLock { cache in
            guard cache.tokens[key]?.token == token else { return }
            cache.tokens[key] = nil
            cache.order.removeAll { $0 == key }
        }
    }

    /// Returns whether the cache contains `token`.
    func contains(_ token: Secret) -> Bool { cache.withLock { $0.tokens.values.contains { $0.token == token } } }

    /// Removes all tokens.
    func clear() { cache.withLock { $0 = Cache() } }
}
