internal import AuthModel
internal import SessionStore

/// A time in which a provider in trouble is not asked for new tokens.
struct RenewalPause {
    /// On the boot-time clock.
    let end: Duration
    let failure: AuthFailure

    /// A provider's Retry-After counts up to here; a user who waits longer wants to know whether the trouble is over.
    static let limit: Duration = .seconds(300)

    /// Whether so much of it is left; more than there can be comes from a clock that was changed.
    static func counts(_ rest: Duration) -> Bool { rest > .zero && rest <= limit }
}

/// The pauses after failed renewals, known to this process and, through the store, to others.
///
/// A Retry-After (RFC 9110 section 10.2.3) holds for all sessions of the provider; the back-off of our own choice holds for the session.
struct RenewalPauses {
    /// By session, with the time at which its tokens came: a new sign-in is not concerned.
    private var sessions: [SessionName: (pause: RenewalPause, receivedAt: Timestamp)] = [:]
    private var providers: [ProviderName: RenewalPause] = [:]

    mutating func note(_ pause: RenewalPause, session: SessionSummary, isForProvider: Bool) {
        sessions[session.name] = (pause, session.receivedAt)
        if isForProvider { providers[session.name.provider] = pause }
    }

    /// The pause that holds for a session now; forgets those that are over.
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

    /// A renewal succeeded: the provider answers.
    mutating func clear(_ session: SessionName) {
        sessions[session] = nil
        providers[session.provider] = nil
    }
}

extension Engine {
    /// Throws the failure of the last renewal while its pause lasts, so that the provider gets no further request however many programs
    /// ask, here or in other processes.
    func requireNoPause(of record: SessionRecord) async throws(AuthFailure) {
        let session = record.summary
        if let pause = pauses.current(for: session, bootTime: environment.time.bootTime) {
            throw Self.paused(pause.failure.summary, pause.end - environment.time.bootTime)
        }
        if let end = session.nextRenewalAt {
            let rest = end - environment.time.now
            if RenewalPause.counts(rest) { throw Self.paused("the last renewal of \(session.name) failed", rest) }
        }
        guard let text = try? await store.sealedValue(for: Self.pauseKey(session.name.provider))?.reveal(), let end = Int64(text) else {
            return
        }
        let rest = Timestamp(milliseconds: end) - environment.time.now
        if RenewalPause.counts(rest) { throw Self.paused("the provider \(session.name.provider) asked to be left alone for a while", rest) }
    }

    private static func paused(_ reason: String, _ rest: Duration) -> AuthFailure {
        AuthFailure(.unavailable(retryAfter: rest), reason, hint: "try again in \(max(1, rest.wholeSeconds)) s")
    }

    private static func pauseKey(_ provider: ProviderName) -> String { "retry-after/\(provider)" }

    /// Forgets the pauses that held for a session, now that its provider answers.
    func endPause(of session: SessionRecord) async {
        pauses.clear(session.summary.name)
        guard session.renewalFailures.failures > 0 else { return }
        try? await store.setSealedValue(nil, for: Self.pauseKey(session.summary.name.provider))
    }

    /// Remembers that a renewal of `sent` failed, and when the next one may begin, in this process and in the store.
    func noteFailure(_ error: RenewalFailure, of sent: SessionRecord, holding lock: SessionLock) async {
        guard case .unavailable(let wish) = error.failure.kind else { return }
        var trouble = sent.renewalFailures
        trouble.failures += 1
        trouble.lostAnswers += error.lostAnswers
        let isRequest = (wish ?? .zero) > .zero
        let wait = isRequest ? min(wish ?? .zero, RenewalPause.limit) : trouble.backOff
        let pause = RenewalPause(end: environment.time.bootTime + wait, failure: error.failure)
        pauses.note(pause, session: sent.summary, isForProvider: isRequest)
        let end = environment.time.now + wait
        let (name, receivedAt) = (sent.summary.name, sent.summary.receivedAt)
        // Where it cannot be written down, this process knows it all the same.
        _ = try? await store.update(name, holding: lock) { [trouble] known in
            guard known?.summary.receivedAt == receivedAt else { return }
            known?.summary.nextRenewalAt = end
            known?.renewalFailures = trouble
        }
        guard isRequest else { return }
        try? await store.setSealedValue(Secret(String(end.milliseconds)), for: Self.pauseKey(name.provider))
    }
}
