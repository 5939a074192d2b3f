import AuthModel
import OAuth
import SessionStore

/// Renews a session.
///
/// The steps in order:
/// 1. Decide. A token request renews if the token is not valid for long enough (``current(_:for:)``). The user and the agent renew directly
///    (``renewed(_:)``). During a pause after a failure, a token request does not renew.
/// 2. Share. Concurrent callers in this process get the answer of one renewal.
/// 3. Lock the session across processes, and read it again: another process may have renewed it.
/// 4. Reserve disk space for the response. Without space, the refresh token is not sent.
/// 5. Send the refresh token. The adapter validates the response; ``RenewalRetry`` repeats requests that may be repeated.
/// 6. Save the response, before any token of it is issued. A write that fails is repeated, or kept in memory for the next use.
/// 7. After a failure, update the stored session, and start a pause if a later renewal may succeed.
/// 8. Answer all callers, and report the renewal to the observers.
struct TokenRenewal: Sendable {
    let context: EngineContext
    let state: RenewalState
    /// The base sessions, for a session that is made from another one.
    let baseSessions: BaseSessions

    private var time: any TimeSource { context.time }
    /// Saves the responses.
    var saving: RenewalSaving {
        RenewalSaving(store: context.store, unsaved: state.unsaved, retry: SaveRetry(context.environment))
    }

    // MARK: 1. Decide

    /// Returns the record with a token that is valid for as long as requested; if it cannot be renewed now, with one that is still valid.
    /// Never with a token that the resource refused.
    func current(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        if let refused = request.refused, record.isCurrent(refused, as: request.wanted) { return try await recovered(record, for: request) }
        if record.hasToken(request.wanted, validFor: minimumValidity(of: record, for: request), now: time.now) { return record }
        guard record.tokens != nil else { throw .sessionEnded(record) }
        // The token was renewed a moment ago and had expired on arrival; another renewal would return the same.
        if record.expiredOnArrival, (.zero..<SessionRecord.expiredOnArrivalGrace).contains(time.now - record.summary.receivedAt) {
            return record
        }
        let isLive = record.hasToken(request.wanted, validFor: .milliseconds(1), now: time.now)
        guard request.mayRenew else { throw record.renewalNotAllowed(for: request, isLive: isLive) }
        guard record.summary.isRenewable else {
            // The session cannot be renewed, so issue the token for its remaining time.
            if isLive { return record }
            throw record.expiredAndNotRenewable(request.wanted)
        }
        // A refresh token that has ended brings nothing, and its refusal would end the session with the token.
        if isLive, let last = record.tokens?.refreshExpiresAt, last <= time.now { return record }
        if request.wanted == .id, SessionExtras(record.extras).isRenewedWithoutIDToken {
            if isLive { return record }
            throw record.renewedWithoutIDToken
        }
        let renewed: SessionRecord
        do {
            // A pause blocks programs that ask for tokens repeatedly, but not a user's explicit renewal.
            if state.inProgress[record.summary.name] == nil { try await state.pauses.requireNoPause(of: record) }
            if isLive, let renewalWait = context.environment.renewalWait {
                guard let soon = try await self.renewed(record, within: renewalWait) else { return record }
                renewed = soon
            } else {
                renewed = try await self.renewed(record)
            }
        } catch  where isLive && (error.isTransient || error.kind == .configuration) {
            // The provider is unreachable or the store cannot be written, but the current token still works.
            return record
        }
        guard request.wanted == .access || renewed.hasToken(.id, validFor: .milliseconds(1), now: time.now) else {
            throw renewed.renewedWithoutIDToken
        }
        return renewed
    }

    /// The validity below which a token is renewed. A session whose renewals end with its access token, or before it, is renewed from half
    /// of that time on, because nothing renews it later.
    private func minimumValidity(of record: SessionRecord, for request: TokenRequest) -> Duration {
        guard request.mayRenew, record.summary.isRenewable, let tokens = record.tokens, let end = tokens.accessExpiresAt,
            let last = tokens.refreshExpiresAt, last > time.now, last <= end
        else { return request.minimumValidity }
        return max(request.minimumValidity, end - (tokens.receivedAt + (last - tokens.receivedAt) / 2))
    }

    // MARK: 2. Share

    /// Renews `seen`, or joins a renewal of it that is in progress here or in another process.
    func renewed(_ seen: SessionRecord) async throws(AuthFailure) -> SessionRecord {
        let (task, isNew) = state.inProgress.join(seen.summary.name) { Task { await run(of: seen) } }
        if isNew { await context.events.announceSessions() }
        return try await task.value.get()
    }

    /// Renews `seen` and waits at most `renewalWait` for the result; returns `nil` if it takes longer. The renewal continues even if the
    /// caller stops waiting.
    private func renewed(_ seen: SessionRecord, within renewalWait: Duration) async throws(AuthFailure) -> SessionRecord? {
        let deadline = time.bootTime + renewalWait
        let (outcomes, outcome) = AsyncStream.makeStream(of: Result<SessionRecord, AuthFailure>.self)
        Task {
            do throws(AuthFailure) { outcome.yield(.success(try await renewed(seen))) } catch { outcome.yield(.failure(error)) }
            outcome.finish()
        }
        let soon = await time.outcome(until: deadline) { () -> Result<SessionRecord, AuthFailure>? in
            for await outcome in outcomes { return outcome }
            return nil
        }
        return try soon.value?.get()
    }

    /// Runs the renewal that all callers share, from the lock to the answer.
    private func run(of seen: SessionRecord) async -> Result<SessionRecord, AuthFailure> {
        let name = seen.summary.name
        // 3. Lock, and read again.
        let outcome = await context.sessions.locked(name) { (lock) throws(AuthFailure) in
            // Another process may have renewed while we waited for the lock. Then its result is the answer, and our refresh token is spent.
            let current = try await saving.savingDeferredResponse(try await context.sessions.record(name), holding: lock)
            if current.summary.receivedAt != seen.summary.receivedAt, current.tokens != nil { return current }
            // If another process tried and failed, its failure is the answer during the back-off.
            if current.renewalFailures != seen.renewalFailures { try await state.pauses.requireNoPause(of: current) }
            return try await renew(current, holding: lock)
        }
        // 8. Answer. The pause ends before the next caller can start a renewal.
        if case .success = outcome { state.pauses.clear(for: name) }
        state.inProgress.remove(name)
        switch outcome {
        case .success:
            await state.pauses.clearStored(for: seen)
            await context.events.announce(.renewed, name, "renewal.done")
        case .failure(let failure): await context.events.announce(.renewalFailed, name, failure.message)
        }
        await context.events.announceSessions()
        return outcome
    }

    // MARK: 4.-6. Reserve, send, save

    private func renew(_ record: SessionRecord, holding lock: SessionLock) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        let adapter = try context.providers.ownAdapter(of: record)
        guard record.tokens != nil else { throw .sessionEnded(record) }
        guard record.summary.isRenewable else {
            throw AuthFailure(
                .signInAgain, UserMessage("renewal.not_possible", ["session": name]),
                hint: UserMessage("hint.sign_in_again_offline_access", ["provider": name.provider]))
        }
        try await saving.reserveSpace(for: name, holding: lock)
        let renewal: Renewal
        do {
            renewal = try await RenewalRetry(time: time, lostResponses: record.renewalFailures.lostResponses).run {
                () async throws(RenewalFailure) in
                try await adapter.renew(record, sessions: baseSessions)
            }
        } catch {
            return try await saveFailure(of: record, holding: lock, after: error)
        }
        let isRenewable = adapter.canRenew(renewal.tokens)
        return try await saving.save(record, holding: lock) { $0.apply(renewal, isRenewable: isRenewable) }.record
    }

    // MARK: 7. After a failure

    /// Saves what a failed renewal of `sent` leaves of the session, and throws the failure. If a sign-in replaced the session meanwhile,
    /// returns the new session instead.
    func saveFailure(
        of sent: SessionRecord, holding lock: SessionLock, after error: RenewalFailure
    ) async throws(AuthFailure) -> SessionRecord {
        var failure = error.failure
        let saved: (record: SessionRecord, isNewer: Bool)
        switch error.outcome {
        case .kept, .inDoubt:
            let lost = sent.renewalFailures.lostResponses + error.lostResponses
            guard lost < RenewalFailures.lostResponseLimit || error.lostResponses == 0 else {
                failure = AuthFailure(
                    .signInAgain,
                    UserMessage("renewal.responses_lost", ["count": lost, "session": sent.summary.name, "detail": failure.message]))
                saved = try await saving.save(sent, holding: lock) { [failure] in $0.end(as: .needsSignIn, because: failure.message) }
                break
            }
            await state.pauses.start(after: error, of: sent, holding: lock)
            if failure.kind == .configuration, failure.message.code == SessionRecord.refusedRenewalCode {
                await warn(of: failure.message, in: sent, holding: lock)
            }
            throw failure
        case .rotated(let refreshToken, let expiresAt):
            saved = try await saving.save(sent, holding: lock) { record in
                record.tokens?.refreshToken = refreshToken
                record.tokens?.refreshExpiresAt = expiresAt
                record.summary.refreshExpiresAt = expiresAt
                record.renewalFailures.lostResponses = 0
            }
            if !saved.isNewer { await state.pauses.start(after: error, of: saved.record, holding: lock) }
        case .ended: saved = try await saving.save(sent, holding: lock) { $0.end(as: .needsSignIn, because: error.failure.message) }
        case .replaced(let lesser):
            let isRenewable = try context.providers.adapter(for: sent.summary.name.provider).canRenew(lesser.tokens)
            saved = try await saving.save(sent, holding: lock) { record in
                record.apply(lesser, isRenewable: isRenewable)
                record.summary.warnings = [error.failure.message]
            }
        case .untrustedAnswer: saved = try await saving.save(sent, holding: lock) { $0.end(as: .error, because: error.failure.message) }
        }
        guard saved.isNewer else { throw failure.naming(sent.summary.name.provider) }
        return saved.record
    }

    /// Adds a warning to a session that cannot be renewed until the user acts, so that the list of sessions shows why. The next renewal
    /// removes it.
    private func warn(of reason: UserMessage, in sent: SessionRecord, holding lock: SessionLock) async {
        guard !sent.summary.warnings.contains(reason) else { return }
        _ = try? await context.store.update(sent.summary.name, holding: lock) { record in
            guard record?.tokens == sent.tokens else { return }
            record?.summary.warnings.removeAll { $0.code == SessionRecord.refusedRenewalCode }
            record?.summary.warnings.append(reason)
        }
    }
}

extension AuthFailure {
    /// Returns the failure with the command to run as its hint, if only a new sign-in helps. A hint with arguments names it already.
    fileprivate func naming(_ provider: ProviderName) -> AuthFailure {
        guard kind == .signInAgain, hint?.arguments.isEmpty != false else { return self }
        return AuthFailure(kind, message, hint: UserMessage("hint.sign_in_again", ["provider": provider]))
    }
}

/// Renews a session whose token a resource refused.
extension TokenRenewal {
    /// Returns the record with a new token in place of one that a resource refused.
    func recovered(_ record: SessionRecord, for request: TokenRequest) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        // A refused ID token says nothing about the access token.
        let isAccess = request.wanted == .access
        let notRenewable = AuthFailure.tokenRejected(name, needsSignIn: isAccess && !record.summary.isRenewable)
        // Without a renewal, the token is of no more use, and the session needs a sign-in.
        if isAccess, !record.summary.isRenewable || !request.mayRenew { try await expire(record) }
        guard record.summary.isRenewable, request.mayRenew, isAccess || !SessionExtras(record.extras).isRenewedWithoutIDToken else {
            throw notRenewable
        }
        guard try context.providers.adapter(for: name.provider).mayRenewNow(record) else {
            throw AuthFailure(
                .signInAgain, UserMessage("token.rejected_after_renewal", ["session": name]),
                hint: UserMessage("hint.wait_or_sign_in_again", ["session": name]))
        }
        do throws(AuthFailure) {
            if state.inProgress[name] == nil { try await state.pauses.requireNoPause(of: record) }
            let renewed = try await renewed(record)
            guard isAccess || renewed.tokens?.idToken != request.refused else { throw notRenewable }
            return renewed
        } catch {
            // If the provider's own server refused the token, it is expired for every caller, and the next request renews it.
            let gate = CredentialGate(try context.providers.adapter(for: name.provider).configuration)
            if isAccess, error.isTransient, let resource = request.resource, gate.isProviderURL(resource, issuer: record.identity.issuer) {
                try? await expire(record)
            }
            throw error
        }
    }

    /// Marks a token that a resource refused as expired, so that the next caller gets a new one, or is told to sign in. Sends no request.
    private func expire(_ seen: SessionRecord) async throws(AuthFailure) {
        let now = context.time.now
        _ = try await context.sessions.change(seen.summary.name) { record in
            guard record.tokens?.accessToken == seen.tokens?.accessToken else { return }
            record.tokens?.accessExpiresAt = now
            record.summary.accessExpiresAt = now
            if !record.summary.isRenewable { record.summary.warnings.append(.tokenRejected(record.summary.name)) }
        }
        await context.events.announceSessions()
    }
}

/// The state of renewals in this process, from one to the next.
struct RenewalState: Sendable {
    /// Renewals in progress. Concurrent callers share the result.
    let inProgress = TasksInProgress<SessionName, SessionRecord>()
    /// Pauses after failures.
    let pauses: RenewalPauses
    /// Responses that are still to be saved.
    let unsaved = UnsavedResponses()

    init(store: SessionStore, time: any TimeSource) { pauses = RenewalPauses(store: store, time: time) }
}
