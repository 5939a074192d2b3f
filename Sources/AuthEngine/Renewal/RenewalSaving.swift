import AuthModel
import OAuth
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
    /// Whether the process continues to run (``EngineEnvironment/renewalWait`` is set). It does not repeat, and keeps the data in memory
    /// for the next use.
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

/// The changes of a session's record by a renewal.
extension SessionRecord {
    /// Applies the result of a renewal.
    mutating func apply(_ renewal: Renewal, isRenewable: Bool) {
        formerClaims = Self.claims(of: tokens).filter { Self.claims(of: renewal.tokens)[$0.key] != $0.value }
        tokens = renewal.tokens
        extras = renewal.extras
        if let claims = renewal.idTokenClaims { identity.idTokenClaims = claims }
        summary.recordedState = renewal.state
        summary.accessExpiresAt = renewal.tokens.accessExpiresAt
        summary.refreshExpiresAt = renewal.tokens.refreshExpiresAt
        summary.isRenewable = isRenewable
        summary.scopes = renewal.tokens.scopes
        summary.receivedAt = renewal.tokens.receivedAt
        summary.nextRenewalAt = nil
        summary.warnings.removeAll { $0.code == Self.refusedRenewalCode }
        renewalFailures = RenewalFailures()
    }

    /// Ends the session at once: a refresh token that was refused or is spent is never sent again.
    mutating func end(as state: SessionState, because reason: UserMessage) {
        tokens = nil
        formerClaims = [:]
        derivedCredentials = []
        summary.recordedState = state
        summary.isRenewable = false
        summary.accessExpiresAt = nil
        summary.refreshExpiresAt = nil
        summary.nextRenewalAt = nil
        summary.warnings = [reason]
        renewalFailures = RenewalFailures()
    }

    /// Returns the unverified claims of the tokens that are JWTs.
    static func claims(of tokens: TokenSet?) -> [TokenView.Kind: JSONValue] {
        guard let tokens else { return [:] }
        let both: [(TokenView.Kind, Secret?)] = [(.access, tokens.accessToken), (.id, tokens.idToken)]
        return both.reduce(into: [:]) { claims, entry in
            guard let token = entry.1, let jwt = try? JSONWebSignature(compact: token.reveal()) else { return }
            claims[entry.0] = jwt.unverifiedClaims
        }
    }

    /// Whether the access token had expired, by this machine's clock, when it was received. Then one of the two clocks is wrong.
    var expiredOnArrival: Bool {
        guard let tokens, let end = tokens.accessExpiresAt else { return false }
        return end <= tokens.receivedAt
    }

    /// The time for which a token that had expired on arrival is issued before it is renewed again.
    static let expiredOnArrivalGrace = Duration.seconds(60)

    /// The code of the message that a provider refused a renewal and kept the grant.
    static let refusedRenewalCode = "renewal.refused_by_provider"

    /// The failure of the last renewal, if the provider did not accept the client; a warning of the session keeps its reason.
    var refusedRenewal: AuthFailure? {
        summary.warnings.first { $0.code == Self.refusedRenewalCode }.map {
            AuthFailure(.configuration, $0, hint: "hint.check_client_authentication")
        }
    }

    static let expiredOnArrivalWarning = UserMessage("token.expired_on_arrival")
}

extension SessionRecord {
    /// Returns whether the wanted token is valid for at least `validity` from `now`. True also for a token that does not expire, and for a
    /// missing ID token, which no renewal brings.
    func hasToken(_ wanted: TokenRequest.Wanted, validFor validity: Duration, now: Timestamp) -> Bool {
        guard let tokens else { return false }
        guard let end = wanted == .access ? tokens.accessExpiresAt : idTokenExpiresAt else { return true }
        return end - now >= validity
    }

    /// The expiry time of the ID token; `nil` if there is no ID token or it has no such time.
    var idTokenExpiresAt: Timestamp? {
        guard let idToken = tokens?.idToken else { return nil }
        let claims = (try? JSONWebSignature(compact: idToken.reveal()))?.unverifiedClaims ?? identity.idTokenClaims
        return claims["exp"]?.double.map(Timestamp.init(seconds:))
    }

    /// Returns whether a token is the session's current one of the wanted kind.
    func isCurrent(_ token: Secret, as wanted: TokenRequest.Wanted) -> Bool {
        (wanted == .access ? tokens?.accessToken : tokens?.idToken) == token
    }
}

/// The failures of tokens that are not valid for long enough.
extension SessionRecord {
    /// The failure for an expired ID token that renewals do not replace.
    var renewedWithoutIDToken: AuthFailure {
        let name = summary.name
        return AuthFailure(
            .signInAgain, UserMessage("id_token.expired_without_renewal", ["session": name]),
            hint: UserMessage("hint.sign_in_again", ["provider": name.provider]))
    }

    /// Returns the failure for a token that is not valid for long enough, if the request allows no renewal.
    func renewalNotAllowed(for request: TokenRequest, isLive: Bool) -> AuthFailure {
        let end =
            isLive
            ? UserMessage("phrase.expires_in_less_than", ["seconds": request.minimumValidity.wholeSeconds])
            : UserMessage("phrase.has_expired")
        let name = summary.name
        return AuthFailure(
            .signInAgain, UserMessage("token.not_valid_long_enough", ["kind": request.wanted.noun, "session": name, "state": end]),
            hint: summary.isRenewable ? "hint.allow_renewal" : UserMessage("hint.sign_in_again", ["provider": name.provider]))
    }

    /// Returns the failure for an expired token of a session that cannot be renewed.
    func expiredAndNotRenewable(_ wanted: TokenRequest.Wanted) -> AuthFailure {
        let name = summary.name
        if wanted == .access, summary.warnings.contains(.tokenRejected(name)) { return .tokenRejected(name, needsSignIn: true) }
        return AuthFailure(
            .signInAgain, UserMessage("token.expired_not_renewable", ["kind": wanted.noun, "session": name]),
            hint: UserMessage("hint.sign_in_again", ["provider": name.provider]))
    }
}

extension TokenRequest.Wanted {
    /// The token's name in messages.
    fileprivate var noun: UserMessage { self == .id ? "phrase.id_token" : "phrase.token" }
}
