public import AuthModel
internal import SessionStore

extension Engine {
    public func renew(_ name: SessionName) async throws(AuthFailure) -> SessionSummary {
        let record = try await record(name)
        return try await renewed(record).summary
    }

    static func grantIsDead(_ record: SessionRecord) -> AuthFailure {
        AuthFailure(
            .signInAgain, record.summary.warnings.last ?? "the session \(record.summary.name) has ended",
            hint: "sign in again with: yett login \(record.summary.name.provider)")
    }

    /// Renews `seen`, or joins a renewal of it that is under way here or in another process.
    func renewed(_ seen: SessionRecord) async throws(AuthFailure) -> SessionRecord {
        let name = seen.summary.name
        let task: Task<Result<SessionRecord, AuthFailure>, Never>
        if let running = renewals[name] {
            task = running
        } else {
            task = Task { await self.runRenewal(of: seen) }
            renewals[name] = task
            await announceSessions()
        }
        return try await task.value.get()
    }

    private func runRenewal(of seen: SessionRecord) async -> Result<SessionRecord, AuthFailure> {
        let name = seen.summary.name
        let outcome = await locked(name) { (lock) throws(AuthFailure) in
            // Somebody may have renewed while we waited for the lock: then theirs is the answer, and the token we saw is spent.
            let current = try await self.record(name)
            if current.summary.receivedAt != seen.summary.receivedAt, current.tokens != nil { return current }
            return try await self.renew(current, holding: lock)
        }
        renewals[name] = nil
        switch outcome {
        case .success: announce(.renewed, name, "renewed")
        case .failure(let failure):
            await notePause(after: failure, of: seen)
            announce(.renewalFailed, name, failure.summary)
        }
        await announceSessions()
        return outcome
    }

    func locked<Value: Sendable>(
        _ name: SessionName, _ body: (SessionLock) async throws(AuthFailure) -> Value
    ) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) {
            let lock = try await lock(name)
            defer { lock.release() }
            return .success(try await body(lock))
        } catch {
            return .failure(error)
        }
    }

    /// The lock on a session across processes; waits a minute at most.
    func lock(_ name: SessionName) async throws(AuthFailure) -> SessionLock {
        do { return try await store.lock(name, until: environment.time.bootTime + .seconds(60)) } catch { throw error.failure }
    }

    private func renew(_ record: SessionRecord, holding lock: SessionLock) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        guard record.tokens != nil else { throw Self.grantIsDead(record) }
        guard record.summary.isRenewable else {
            throw AuthFailure(
                .signInAgain, "the session \(name) has nothing to renew with",
                hint: "sign in again with: yett login \(name.provider); the scope offline_access may help")
        }
        let adapter = try adapter(for: name.provider)
        let renewal: Renewal
        do {
            renewal = try await adapter.renew(record, sessions: self)
        } catch {
            return try await settle(record, holding: lock, after: error)
        }
        let isRenewable = adapter.canRenew(renewal.tokens)
        return try await settle(record, holding: lock) { $0.take(renewal, isRenewable: isRenewable) }.record
    }

    /// Writes what a failed renewal of `sent` leaves of the session, and throws why it failed; gives back the session that a sign-in put in
    /// its place meanwhile, if one did.
    func settle(
        _ sent: SessionRecord, holding lock: SessionLock, after error: RenewalFailure
    ) async throws(AuthFailure) -> SessionRecord {
        let settled: (record: SessionRecord, isNewer: Bool)
        switch error.fate {
        case .kept: throw error.failure
        case .rotated(let refreshToken, let expiresAt):
            settled = try await settle(sent, holding: lock) { record in
                record.tokens?.refreshToken = refreshToken
                record.tokens?.refreshExpiresAt = expiresAt
                record.summary.refreshExpiresAt = expiresAt
            }
        case .ended: settled = try await settle(sent, holding: lock) { $0.end(as: .needsSignIn, because: error.failure.summary) }
        case .replaced(let lesser):
            let isRenewable = try adapter(for: sent.summary.name.provider).canRenew(lesser.tokens)
            settled = try await settle(sent, holding: lock) { record in
                record.take(lesser, isRenewable: isRenewable)
                record.summary.warnings = [error.failure.summary]
            }
        case .spoilt: settled = try await settle(sent, holding: lock) { $0.end(as: .error, because: error.failure.summary) }
        }
        guard settled.isNewer else { throw error.failure.naming(sent.summary.name.provider) }
        return settled.record
    }

    /// Writes a change of the record that was renewed, durably. A session whose tokens are other ones by now, because somebody signed in
    /// while the provider was asked, is given back as it is: what became of the old grant is nothing to it.
    func settle(
        _ sent: SessionRecord, holding lock: SessionLock, _ change: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> (record: SessionRecord, isNewer: Bool) {
        let name = sent.summary.name
        let settled: (record: SessionRecord, isNewer: Bool)?
        do {
            settled = try await store.update(name, holding: lock) { record in
                guard var known = record else { return nil }
                guard known.tokens == sent.tokens else { return (known, true) }
                change(&known)
                record = known
                return (known, false)
            }
        } catch {
            throw error.failure
        }
        guard let settled else {
            throw AuthFailure(
                .notSignedIn, "the session \(name) was signed out meanwhile", hint: "sign in with: yett login \(name.provider)")
        }
        return settled
    }
}

extension AuthFailure {
    /// The same with the command to run, where only a new sign-in helps.
    fileprivate func naming(_ provider: ProviderName) -> AuthFailure {
        guard kind == .signInAgain, hint?.contains("yett login") != true else { return self }
        return AuthFailure(kind, summary, hint: "sign in again with: yett login \(provider)")
    }
}

extension SessionRecord {
    /// Final at once: a refresh token that was refused, or that may be spent, is never sent again.
    fileprivate mutating func end(as state: SessionState, because reason: String) {
        tokens = nil
        summary.settledState = state
        summary.isRenewable = false
        summary.accessExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.nextRenewalAt = nil
        summary.warnings = [reason]
    }
}
