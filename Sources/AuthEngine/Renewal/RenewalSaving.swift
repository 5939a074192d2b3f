import AuthModel
import SessionStore
import Synchronization

/// Saves the responses to renewal requests, which no second request brings back.
struct RenewalSaving: Sendable {
    let store: SessionStore
    let unsaved: UnsavedResponses
    let retry: SaveRetry

    /// Throws if the store cannot be written now, so that a refresh token is not spent for a response that would be lost. Reserves disk
    /// space for the response until it is saved.
    func reserveSpace(for name: SessionName, holding lock: SessionLock) async throws(AuthFailure) {
        do { try await store.verifyWritable(name, holding: lock) } catch { throw error.failure }
    }

    /// Returns the record, after saving a response that the store could not save before. Throws if it still cannot be saved.
    func savingDeferredResponse(_ record: SessionRecord, holding lock: SessionLock) async throws(AuthFailure) -> SessionRecord {
        guard let change = unsaved.change(of: record) else { return record }
        return try await save(record, holding: lock, change).record
    }

    /// Writes a change to the renewed record durably. If a sign-in replaced the session's tokens during the renewal, returns the new record
    /// unchanged: the result of the old grant does not apply to it.
    func save(
        _ sent: SessionRecord, holding lock: SessionLock, _ change: @escaping UnsavedResponses.Change
    ) async throws(AuthFailure) -> (record: SessionRecord, isNewer: Bool) {
        let name = sent.summary.name
        let saved: (record: SessionRecord, isNewer: Bool)?
        do {
            saved = try await retry.run { () async throws(StoreError) in
                try await store.update(name, holding: lock) { record in
                    guard var known = record else { return nil }
                    guard known.tokens == sent.tokens else { return (known, true) }
                    change(&known)
                    record = known
                    return (known, false)
                }
            }
            unsaved.remove(name)
        } catch {
            unsaved.add(change, of: sent)
            throw failure(name, error)
        }
        guard let saved else { throw .signedOutMeanwhile(name) }
        return saved
    }

    /// Returns the failure for a response that could not be saved, with its consequence for the session: the refresh token is spent.
    private func failure(_ name: SessionName, _ error: StoreError) -> AuthFailure {
        let failure = error.failure
        guard error.mayPassLater else { return failure }
        return AuthFailure(
            failure.kind, UserMessage("renewal.response_not_saved", ["session": name, "detail": failure.message]),
            hint: retry.isResident
                ? "hint.fix_error_agent_keeps_response"
                : UserMessage("hint.fix_error_and_sign_in_again", ["provider": name.provider]))
    }
}

/// Providers' responses that the store could not save, one for each session.
///
/// The request spent the refresh token, so it is not sent again: the response is saved before the next request.
final class UnsavedResponses: Sendable {
    /// A change of a session that is still to be saved.
    typealias Change = @Sendable (inout SessionRecord) -> Void

    private struct Response {
        /// The session's tokens when the request was sent.
        let tokens: TokenSet?
        let change: Change
    }

    private let responses = Mutex<[SessionName: Response]>([:])

    /// Keeps the response to a request that was sent with the tokens of `sent`.
    func add(_ change: @escaping Change, of sent: SessionRecord) {
        responses.withLock { $0[sent.summary.name] = Response(tokens: sent.tokens, change: change) }
    }

    /// Returns the response that is to be saved into `record`; `nil` if there is none, or if a new sign-in has replaced the session.
    func change(of record: SessionRecord) -> Change? {
        responses.withLock { responses in
            let name = record.summary.name
            guard let response = responses[name] else { return nil }
            if response.tokens == record.tokens { return response.change }
            responses[name] = nil
            return nil
        }
    }

    func remove(_ session: SessionName) { responses.withLock { $0[session] = nil } }

    func removeAll() { responses.withLock { $0.removeAll() } }
}

/// Repeats a write of data that cannot be obtained again, while the store may accept it, up to ``RenewalRetry/deadline``.
struct SaveRetry: Sendable {
    let time: any TimeSource
    /// Whether the process continues to run (``EngineEnvironment/renewalWait`` is set). It does not repeat, and keeps the data in memory for
    /// the next use.
    let isResident: Bool

    init(_ environment: EngineEnvironment) {
        time = environment.time
        isResident = environment.renewalWait != nil
    }

    /// Returns the result of the first write that succeeds.
    func run<Value>(_ write: () async throws(StoreError) -> Value) async throws(StoreError) -> Value {
        let end = time.bootTime + RenewalRetry.deadline
        var pause = Duration.milliseconds(100)
        while true {
            do {
                return try await write()
            } catch {
                let next = time.bootTime + pause
                guard !isResident, error.mayPassLater, next < end, (try? await time.sleep(until: next)) != nil else { throw error }
                pause = min(pause * 2, .seconds(2))
            }
        }
    }
}

extension StoreError {
    /// Whether the same write may succeed later.
    var mayPassLater: Bool {
        switch kind {
        case .full, .readOnly, .busy, .system, .database: true
        default: false
        }
    }
}
