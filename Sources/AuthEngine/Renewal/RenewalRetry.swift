package import AuthModel
import SessionStore
import Synchronization

/// Retries a renewal that failed temporarily, while a caller waits for a token.
///
/// A request that may have spent the refresh token is repeated at most once: see ``RenewalFailure/ResponseOutcome/inDoubt``.
package struct RenewalRetry {
    package let time: any TimeSource
    /// The number of responses that were lost before; see ``RenewalFailures/lostResponses``.
    package var lostResponses: Int

    /// Creates the rule for one caller.
    package init(time: any TimeSource, lostResponses: Int = 0) {
        self.time = time
        self.lostResponses = lostResponses
    }

    /// Maximum number of times that a refresh token is sent for one caller.
    package static let limit = 3
    /// Maximum time from the first try to the start of the last one.
    package static let deadline = Duration.seconds(30)

    /// Returns the result of `attempt` at the first, second or third try. A failure counts the responses that were lost.
    package func run(
        isolation: isolated (any Actor)? = #isolation, _ attempt: () async throws(RenewalFailure) -> Renewal
    ) async throws(RenewalFailure) -> Renewal {
        let end = time.bootTime + Self.deadline
        var tries = 1
        var lost = 0
        var wasInterrupted = lostResponses > 0
        while true {
            var failure: RenewalFailure
            do { return try await attempt() } catch { failure = error }
            if failure.outcome == .inDoubt {
                lost += 1
                wasInterrupted = wasInterrupted || failure.failure.retryPolicy != .once
            }
            // A connection that closed before the first byte usually means that the server did not act, so this alone ends no session.
            failure.lostResponses = wasInterrupted ? lost : 0
            guard tries < Self.limit, case .unavailable(let retryAfter) = failure.failure.kind, mayRepeat(failure, lost: lost) else {
                throw failure
            }
            let next = time.bootTime + Self.pause(after: tries, retryAfter: retryAfter, jitter: Double.random(in: 0..<1))
            guard next < end, (try? await time.sleep(until: next)) != nil, !Task.isCancelled else { throw failure }
            tries += 1
        }
    }

    private func mayRepeat(_ failure: RenewalFailure, lost: Int) -> Bool {
        switch failure.outcome {
        case .kept: [.once, .freely].contains(failure.failure.retryPolicy)
        case .inDoubt: failure.failure.retryPolicy == .once && lostResponses + lost < RenewalFailures.lostResponseLimit
        default: false
        }
    }

    /// Returns the wait before the next try: the provider's Retry-After (RFC 9110 section 10.2.3), else 1 s and then 3 s. A random time of
    /// up to the same length, at least 0.5 s and at most 2 s, is added, so that clients that failed together do not retry together.
    package static func pause(after tries: Int, retryAfter: Duration?, jitter: Double) -> Duration {
        let base = retryAfter ?? .seconds(tries == 1 ? 1 : 3)
        return base + min(max(base, .milliseconds(500)), .seconds(2)) * jitter
    }

    /// Waits before a grant that was refused without a readable reason is sent again: 1 s plus a random time of up to 1 s.
    ///
    /// A server that refuses a dead grant in this way does so again after the pause. A temporary fault, or a fault of a device in between,
    /// has time to pass.
    ///
    /// - Throws: `.cancelled`, which keeps the grant, if the task was cancelled.
    package func pauseBeforeSecondTry(isolation: isolated (any Actor)? = #isolation) async throws(RenewalFailure) {
        let pause = Self.pause(after: 1, retryAfter: nil, jitter: Double.random(in: 0..<1))
        guard (try? await time.sleep(until: time.bootTime + pause)) != nil, !Task.isCancelled else {
            throw RenewalFailure(CurlFailure.cancelled, .kept)
        }
    }
}

/// The pauses after failed renewals, known to this process and, through the store, to others.
///
/// A Retry-After (RFC 9110 section 10.2.3) applies to all sessions of the provider; our own back-off applies to one session.
final class RenewalPauses: Sendable {
    private let store: SessionStore
    private let time: any TimeSource
    private let known = Mutex(KnownPauses())

    init(store: SessionStore, time: any TimeSource) {
        self.store = store
        self.time = time
    }

    /// Throws the failure of the last renewal during its pause, so that the provider gets no further request, however many programs ask, in
    /// this process or in others.
    func requireNoPause(of record: SessionRecord) async throws(AuthFailure) {
        let session = record.summary
        if let pause = known.withLock({ $0.current(for: session, bootTime: time.bootTime) }) {
            guard pause.failure.kind != .configuration else { throw pause.failure }
            throw Self.paused(pause.failure.message, pause.end - time.bootTime)
        }
        if let end = session.nextRenewalAt {
            let rest = end - time.now
            if RenewalPause.counts(rest), let reason = record.refusedRenewal { throw reason }
            if RenewalPause.counts(rest) { throw Self.paused(UserMessage("renewal.last_failed", ["session": session.name]), rest) }
        }
        guard let text = try? await store.sealedValue(for: Self.key(session.name.provider))?.reveal(), let end = Int64(text) else {
            return
        }
        let rest = Timestamp(milliseconds: end) - time.now
        if RenewalPause.counts(rest) {
            throw Self.paused(UserMessage("renewal.provider_asked_to_wait", ["provider": session.name.provider]), rest)
        }
    }

    /// Ends the pauses of a session and its provider in this process, after a successful renewal.
    func clear(for session: SessionName) { known.withLock { $0.clear(session) } }

    /// Ends the pause in the store, after a successful renewal of `session`.
    func clearStored(for session: SessionRecord) async {
        guard session.renewalFailures.failures > 0 else { return }
        try? await store.setSealedValue(nil, for: Self.key(session.summary.name.provider))
    }

    /// Records that a renewal of `sent` failed and when the next one may start, in this process and in the store.
    func start(after error: RenewalFailure, of sent: SessionRecord, holding lock: SessionLock) async {
        let requested: Duration?
        switch error.failure.kind {
        case .unavailable(let retryAfter): requested = retryAfter
        // Each request with a wrong secret is a guess to the provider, which may lock the client out for it (RFC 6749 section 5.2).
        case .configuration where error.failure.message.code == SessionRecord.refusedRenewalCode: requested = nil
        default: return
        }
        var renewalFailures = sent.renewalFailures
        renewalFailures.failures += 1
        renewalFailures.lostResponses += error.lostResponses
        let isRequest = (requested ?? .zero) > .zero
        let wait = isRequest ? min(requested ?? .zero, RenewalPause.limit) : renewalFailures.backOff
        let pause = RenewalPause(end: time.bootTime + wait, failure: error.failure)
        known.withLock { $0.add(pause, session: sent.summary, isForProvider: isRequest) }
        let end = time.now + wait
        let (name, receivedAt) = (sent.summary.name, sent.summary.receivedAt)
        // If the store cannot be written, this process still knows the pause.
        _ = try? await store.update(name, holding: lock) { [renewalFailures] known in
            guard known?.summary.receivedAt == receivedAt else { return }
            known?.summary.nextRenewalAt = end
            known?.renewalFailures = renewalFailures
        }
        guard isRequest else { return }
        try? await store.setSealedValue(Secret(String(end.milliseconds)), for: Self.key(name.provider))
    }

    private static func paused(_ reason: UserMessage, _ rest: Duration) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: rest), reason, hint: UserMessage("hint.try_again_in_seconds", ["seconds": max(1, rest.wholeSeconds)]))
    }

    private static func key(_ provider: ProviderName) -> String { "retry-after/\(provider)" }
}

/// The pauses that this process knows.
private struct KnownPauses {
    /// Pauses by session, with the time its tokens were received: a pause does not apply after a new sign-in.
    private var sessions: [SessionName: (pause: RenewalPause, receivedAt: Timestamp)] = [:]
    private var providers: [ProviderName: RenewalPause] = [:]

    mutating func add(_ pause: RenewalPause, session: SessionSummary, isForProvider: Bool) {
        sessions[session.name] = (pause, session.receivedAt)
        if isForProvider { providers[session.name.provider] = pause }
    }

    /// Returns the session's current pause and removes expired pauses.
    mutating func current(for session: SessionSummary, bootTime: Duration) -> RenewalPause? {
        if let pause = providers[session.name.provider] {
            if RenewalPause.counts(pause.end - bootTime) { return pause }
            providers[session.name.provider] = nil
        }
        guard let (pause, receivedAt) = sessions[session.name] else { return nil }
        if receivedAt == session.receivedAt, RenewalPause.counts(pause.end - bootTime) { return pause }
        sessions[session.name] = nil
        return nil
    }

    /// Removes the pauses of a session and its provider.
    mutating func clear(_ session: SessionName) {
        sessions[session] = nil
        providers[session.provider] = nil
    }
}

/// A period after a failure in which a provider gets no renewal request.
struct RenewalPause {
    /// The end, on the boot-time clock.
    let end: Duration
    let failure: AuthFailure

    /// Maximum length of a pause that a provider's Retry-After sets. A user who waits longer wants to know whether the provider works
    /// again.
    static let limit: Duration = .seconds(300)

    /// Returns whether the remaining time of a pause is valid. More than ``limit`` means that the clock was changed.
    static func counts(_ rest: Duration) -> Bool { rest > .zero && rest <= limit }
}
