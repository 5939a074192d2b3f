import AuthModel
internal import OAuth
internal import SessionStore

extension Engine {
    /// Issues a token with fewer scopes or another audience than the session's: a cached one with these restrictions, or a new one.
    ///
    /// A new one is made by a renewal, so the session's refresh token may change. The session's own access token does not.
    func narrowed(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> IssuedToken {
        let name = record.summary.name
        let terms = request.terms
        guard record.tokens != nil else { throw Self.sessionEnded(record) }
        let key = NarrowedTokens.Key(record.summary, terms)
        // The resource refused this token, even if its expiry time has not passed.
        if let refused = request.refused { narrowedTokens.remove(refused, for: key) }
        if let known = narrowedTokens.grant(key, validFor: request.minimumValidity, now: environment.time.now) { return known }
        guard request.mayRenew else {
            throw AuthFailure(
                .signInAgain, "no cached token of \(name)\(terms.note)", hint: "remove --no-renew to request one")
        }
        do throws(AuthFailure) {
            if narrowings[key] == nil { try await requireNoPause(of: record) }
            return try await narrowing(record, key).value.get()
        } catch {
            // The provider is unreachable, but the cached token still works.
            guard error.isTransient, let live = narrowedTokens.grant(key, validFor: .milliseconds(1), now: environment.time.now) else {
                throw error
            }
            return live
        }
    }

    /// Throws if no token can have these restrictions.
    func validateRestrictions(of request: TokenRequest, for record: SessionRecord) throws(AuthFailure) {
        guard request.wanted == .access else {
            throw AuthFailure(.usage, "an ID token's scopes and audience cannot be chosen", hint: "request the access token")
        }
        if let audience = request.terms.audience, !ResourceIndicator.isValid(audience) {
            throw AuthFailure(.usage, "'\(audience)' is not an audience", hint: "use an absolute URI without a fragment")
        }
        let missing = request.terms.scopes.values.filter { !record.summary.scopes.contains($0) }
        guard missing.isEmpty else {
            let (name, wanted) = (record.summary.name, (record.summary.scopes.values + missing).map { "--scope \(ShellWord($0))" })
            throw AuthFailure(
                .denied(code: "invalid_scope"), "the session \(name) has no scope \(missing.joined(separator: " "))",
                hint: "sign in with it: yett login \(name.provider) \(wanted.joined(separator: " "))")
        }
    }

    /// Returns the task in progress that makes the token, or starts one.
    private func narrowing(_ seen: SessionRecord, _ key: NarrowedTokens.Key) -> Task<Result<IssuedToken, AuthFailure>, Never> {
        if let running = narrowings[key] { return running }
        let task = Task {
            let outcome = await self.locked(seen.summary.name) { (lock) throws(AuthFailure) in
                try await self.narrow(seen, key, holding: lock)
            }
            self.narrowings[key] = nil
            return outcome
        }
        narrowings[key] = task
        return task
    }

    private func narrow(
        _ seen: SessionRecord, _ key: NarrowedTokens.Key, holding lock: SessionLock
    ) async throws(AuthFailure) -> IssuedToken {
        let name = seen.summary.name
        // Another caller may have renewed the session while we waited for the lock.
        let record = try await savingDeferredResponse(try await record(name), holding: lock)
        guard record.tokens != nil else { throw Self.sessionEnded(record) }
        if record.renewalFailures != seen.renewalFailures { try await requireNoPause(of: record) }
        guard record.summary.isRenewable else {
            throw AuthFailure(
                .configuration, "the session \(name) cannot get such a token",
                hint: "sign in with only these scopes, or with the scope offline_access")
        }
        let adapter = try ownAdapter(of: record)
        let superseded = AuthFailure(
            .unavailable(retryAfter: nil), "a new sign-in to \(name) replaced the session during the request", hint: "try again")
        try await requireSpace(for: name, holding: lock)
        let renewal: Renewal
        do {
            renewal = try await RenewalRetry(time: environment.time, lostResponses: record.renewalFailures.lostResponses).run {
                () async throws(RenewalFailure) in
                try await adapter.renew(record, to: key.terms, sessions: self)
            }
        } catch {
            _ = try await settle(record, holding: lock, after: error)
            throw superseded
        }
        // Write the refresh token durably before the access token is issued, as after every renewal.
        let settled = try await settle(record, holding: lock) { record in
            record.tokens?.refreshToken = renewal.tokens.refreshToken
            record.tokens?.refreshExpiresAt = renewal.tokens.refreshExpiresAt
            record.tokens?.idToken = renewal.tokens.idToken
            record.extras = renewal.extras
            record.renewalFailures = RenewalFailures()
            if let claims = renewal.idTokenClaims { record.identity.idTokenClaims = claims }
            record.summary.refreshExpiresAt = renewal.tokens.refreshExpiresAt
        }
        guard !settled.isNewer else { throw superseded }
        guard key.terms.scopes.isEmpty || renewal.tokens.scopes.values.allSatisfy(key.terms.scopes.contains) else {
            throw AuthFailure(
                .denied(code: "invalid_scope"), "the provider \(name.provider) issued a token with more scopes than requested",
                hint: "the provider may not support fewer scopes: use the session's token, without --scope")
        }
        let grant = IssuedToken(
            token: renewal.tokens.accessToken, tokenType: renewal.tokens.tokenType, expiresAt: renewal.tokens.accessExpiresAt,
            scopes: renewal.tokens.scopes, session: name)
        // Keep no token if the store was locked meanwhile.
        if store.sealState == .unlocked { narrowedTokens.insert(grant, for: key) }
        return grant
    }
}

extension SessionRecord {
    /// Returns whether the session's own token satisfies these restrictions.
    func isGood(for terms: TokenRestrictions) -> Bool {
        let hasScopes = terms.scopes.isEmpty || Set(terms.scopes.values) == Set(summary.scopes.values)
        return hasScopes && (terms.audience.map { SessionExtras(extras).resources == [$0] } ?? true)
    }
}
