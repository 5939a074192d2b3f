internal import AuthModel
internal import SessionStore

/// A provider's response that the store could not save.
///
/// The request spent the refresh token, so it is not sent again: the response is saved before the next request.
struct UnsavedResponse: Sendable {
    /// The session's tokens when the request was sent.
    let tokens: TokenSet?
    let change: @Sendable (inout SessionRecord) -> Void
}

/// Saves the results of renewals.
extension Engine {
    /// Throws if the store cannot be written now, so that a refresh token is not spent for a response that would be lost.
    func requireSpace(for name: SessionName, holding lock: SessionLock) async throws(AuthFailure) {
        do { try await store.verifyWritable(name, holding: lock) } catch { throw error.failure }
    }

    /// Returns the record, after saving a response that the store could not save before. Throws if it still cannot be saved.
    func savingDeferredResponse(_ record: SessionRecord, holding lock: SessionLock) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        guard let answer = unsavedResponses[name] else { return record }
        guard answer.tokens == record.tokens else {
            // A new sign-in has replaced the session.
            unsavedResponses[name] = nil
            return record
        }
        return try await settle(record, holding: lock, answer.change).record
    }

    /// Saves what a failed renewal of `sent` leaves of the session, and throws the failure. If a sign-in replaced the session meanwhile,
    /// returns the new session instead.
    func settle(
        _ sent: SessionRecord, holding lock: SessionLock, after error: RenewalFailure
    ) async throws(AuthFailure) -> SessionRecord {
        var failure = error.failure
        let settled: (record: SessionRecord, isNewer: Bool)
        switch error.outcome {
        case .kept, .inDoubt:
            let lost = sent.renewalFailures.lostResponses + error.lostResponses
            guard lost < RenewalFailures.lostResponseLimit || error.lostResponses == 0 else {
                failure = AuthFailure(
                    .signInAgain, "the responses to \(lost) renewals of \(sent.summary.name) were lost: \(failure.summary)")
                settled = try await settle(sent, holding: lock) { [failure] in $0.end(as: .needsSignIn, because: failure.summary) }
                break
            }
            await recordRenewalFailure(error, of: sent, holding: lock)
            throw failure
        case .rotated(let refreshToken, let expiresAt):
            settled = try await settle(sent, holding: lock) { record in
                record.tokens?.refreshToken = refreshToken
                record.tokens?.refreshExpiresAt = expiresAt
                record.summary.refreshExpiresAt = expiresAt
                record.renewalFailures.lostResponses = 0
            }
            if !settled.isNewer { await recordRenewalFailure(error, of: settled.record, holding: lock) }
        case .ended: settled = try await settle(sent, holding: lock) { $0.end(as: .needsSignIn, because: error.failure.summary) }
        case .replaced(let lesser):
            let isRenewable = try adapter(for: sent.summary.name.provider).canRenew(lesser.tokens)
            settled = try await settle(sent, holding: lock) { record in
                record.take(lesser, isRenewable: isRenewable)
                record.summary.warnings = [error.failure.summary]
            }
        case .untrustedAnswer: settled = try await settle(sent, holding: lock) { $0.end(as: .error, because: error.failure.summary) }
        }
        guard settled.isNewer else { throw failure.naming(sent.summary.name.provider) }
        return settled.record
    }

    /// Writes a change to the renewed record durably. If a sign-in replaced the session's tokens during the renewal, returns the new record
    /// unchanged: the result of the old grant does not apply to it.
    func settle(
        _ sent: SessionRecord, holding lock: SessionLock, _ change: @escaping @Sendable (inout SessionRecord) -> Void
    ) async throws(AuthFailure) -> (record: SessionRecord, isNewer: Bool) {
        let name = sent.summary.name
        let settled: (record: SessionRecord, isNewer: Bool)?
        do {
            settled = try await saved { [store] () async throws(StoreError) in
                try await store.update(name, holding: lock) { record in
                    guard var known = record else { return nil }
                    guard known.tokens == sent.tokens else { return (known, true) }
                    change(&known)
                    record = known
                    return (known, false)
                }
            }
            unsavedResponses[name] = nil
        } catch {
            unsavedResponses[name] = UnsavedResponse(tokens: sent.tokens, change: change)
            throw saveFailure(name, error)
        }
        guard let settled else {
            throw AuthFailure(
                .notSignedIn, "the session \(name) was signed out in the meantime", hint: "sign in with: yett login \(name.provider)")
        }
        return settled
    }
}

extension Engine {
    /// Repeats a write of data that cannot be obtained again, while the store may accept it, up to ``RenewalRetry/deadline``. A process
    /// that continues to run (``EngineEnvironment/patience`` is set) does not repeat: it keeps the data in memory for the next use.
    func saved<Value>(_ write: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let end = environment.time.bootTime + RenewalRetry.deadline
        var pause = Duration.milliseconds(100)
        while true {
            do {
                return try await write()
            } catch {
                let next = environment.time.bootTime + pause
                guard environment.patience == nil, error.mayPassLater, next < end, (try? await environment.time.sleep(until: next)) != nil
                else {
                    throw error
                }
                pause = min(pause * 2, .seconds(2))
            }
        }
    }

    /// Returns the failure for a response that could not be saved, with its consequence for the session: the refresh token is spent.
    private func saveFailure(_ name: SessionName, _ error: StoreError) -> AuthFailure {
        let failure = error.failure
        guard error.mayPassLater else { return failure }
        return AuthFailure(
            failure.kind, "cannot save the provider's response for \(name): \(failure.summary)",
            hint: environment.patience == nil
                ? "fix the error, then sign in again with: yett login \(name.provider)"
                : "fix the error: the agent keeps the response in memory, and saves it at the next use")
    }
}

extension StoreError {
    /// Whether the same write may succeed later.
    fileprivate var mayPassLater: Bool {
        switch kind {
        case .full, .readOnly, .busy, .system, .database: true
        default: false
        }
    }
}

extension AuthFailure {
    /// Returns the failure with the command to run as its hint, if only a new sign-in helps.
    fileprivate func naming(_ provider: ProviderName) -> AuthFailure {
        guard kind == .signInAgain, hint?.contains("yett login") != true else { return self }
        return AuthFailure(kind, summary, hint: "sign in again with: yett login \(provider)")
    }
}

extension SessionRecord {
    /// Ends the session at once: a refresh token that was refused or is spent is never sent again.
    fileprivate mutating func end(as state: SessionState, because reason: String) {
        tokens = nil
        summary.recordedState = state
        summary.isRenewable = false
        summary.accessExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.nextRenewalAt = nil
        summary.warnings = [reason]
        renewalFailures = RenewalFailures()
    }
}
