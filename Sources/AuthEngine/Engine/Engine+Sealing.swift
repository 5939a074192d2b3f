internal import AuthModel
internal import SessionStore

/// What a provider answered, and the store could not take.
///
/// What was sent for it is spent, so it is not sent again: the answer is sealed before anything else is asked for.
struct UnsavedResponse: Sendable {
    /// What was sent.
    let tokens: TokenSet?
    let change: @Sendable (inout SessionRecord) -> Void
}

/// Sealing what came of a renewal.
extension Engine {
    /// Throws where nothing can be written now: a refresh token is not spent for an answer that would be lost.
    func requireSpace(for name: SessionName, holding lock: SessionLock) async throws(AuthFailure) {
        do { try await store.verifyWritable(name, holding: lock) } catch { throw error.failure }
    }

    /// The record, once an answer was sealed that the store could not take before; throws where it still cannot.
    func sealedLate(_ record: SessionRecord, holding lock: SessionLock) async throws(AuthFailure) -> SessionRecord {
        let name = record.summary.name
        guard let answer = unsealed[name] else { return record }
        guard answer.tokens == record.tokens else {
            // Somebody signed in anew.
            unsealed[name] = nil
            return record
        }
        return try await settle(record, holding: lock, answer.change).record
    }

    /// Writes what a failed renewal of `sent` leaves of the session, and throws why it failed; gives back the session that a sign-in put in
    /// its place meanwhile, if one did.
    func settle(
        _ sent: SessionRecord, holding lock: SessionLock, after error: RenewalFailure
    ) async throws(AuthFailure) -> SessionRecord {
        var failure = error.failure
        let settled: (record: SessionRecord, isNewer: Bool)
        switch error.outcome {
        case .kept, .inDoubt:
            let lost = sent.renewalFailures.lostAnswers + error.lostAnswers
            guard lost < RenewalFailures.lostAnswerLimit || error.lostAnswers == 0 else {
                failure = AuthFailure(.signInAgain, "the answers to \(lost) renewals of \(sent.summary.name) were lost: \(failure.summary)")
                settled = try await settle(sent, holding: lock) { [failure] in $0.end(as: .needsSignIn, because: failure.summary) }
                break
            }
            await noteFailure(error, of: sent, holding: lock)
            throw failure
        case .rotated(let refreshToken, let expiresAt):
            settled = try await settle(sent, holding: lock) { record in
                record.tokens?.refreshToken = refreshToken
                record.tokens?.refreshExpiresAt = expiresAt
                record.summary.refreshExpiresAt = expiresAt
                record.renewalFailures.lostAnswers = 0
            }
            if !settled.isNewer { await noteFailure(error, of: settled.record, holding: lock) }
        case .ended: settled = try await settle(sent, holding: lock) { $0.end(as: .needsSignIn, because: error.failure.summary) }
        case .replaced(let lesser):
            let isRenewable = try adapter(for: sent.summary.name.provider).canRenew(lesser.tokens)
            settled = try await settle(sent, holding: lock) { record in
                record.take(lesser, isRenewable: isRenewable)
                record.summary.warnings = [error.failure.summary]
            }
        case .spoilt: settled = try await settle(sent, holding: lock) { $0.end(as: .error, because: error.failure.summary) }
        }
        guard settled.isNewer else { throw failure.naming(sent.summary.name.provider) }
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
            settled = try await saved { [store] () async throws(StoreError) in
                try await store.update(name, holding: lock) { record in
                    guard var known = record else { return nil }
                    guard known.tokens == sent.tokens else { return (known, true) }
                    change(&known)
                    record = known
                    return (known, false)
                }
            }
            unsealed[name] = nil
        } catch {
            unsealed[name] = UnsavedResponse(tokens: sent.tokens, change: change)
            throw unsaved(name, error)
        }
        guard let settled else {
            throw AuthFailure(
                .notSignedIn, "the session \(name) was signed out meanwhile", hint: "sign in with: yett login \(name.provider)")
        }
        return settled
    }
}

extension Engine {
    /// Repeats a write of something that is given once, while the store may yet take it: for as long as a caller waits for a token. A
    /// process that lives on need not let its caller wait: it keeps what it has for the next use.
    func saved<Value>(_ write: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let end = environment.time.bootTime + RenewalRetry.deadline
        var pause = Duration.milliseconds(100)
        while true {
            do {
                return try await write()
            } catch {
                let next = environment.time.bootTime + pause
                guard environment.patience == nil, error.mayPass, next < end, (try? await environment.time.sleep(until: next)) != nil else {
                    throw error
                }
                pause = min(pause * 2, .seconds(2))
            }
        }
    }

    /// Why an answer could not be saved, and what that means for the session: the refresh token that it came for is spent.
    private func unsaved(_ name: SessionName, _ error: StoreError) -> AuthFailure {
        let failure = error.failure
        guard error.mayPass else { return failure }
        return AuthFailure(
            failure.kind, "the provider's answer for \(name) could not be saved: \(failure.summary)",
            hint: environment.patience == nil
                ? "mend that, then sign in again with: yett login \(name.provider)"
                : "mend that: the agent keeps the answer in memory, and saves it at the next use")
    }
}

extension StoreError {
    /// Whether the same write may succeed later.
    fileprivate var mayPass: Bool {
        switch kind {
        case .full, .readOnly, .busy, .system, .database: true
        default: false
        }
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
    /// Final at once: a refresh token that was refused, or that is spent, is never sent again.
    fileprivate mutating func end(as state: SessionState, because reason: String) {
        tokens = nil
        summary.settledState = state
        summary.isRenewable = false
        summary.accessExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.nextRenewalAt = nil
        summary.warnings = [reason]
        renewalFailures = RenewalFailures()
    }
}
