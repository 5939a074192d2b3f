internal import AuthModel
internal import SessionStore

/// A wish of a provider in trouble not to be asked again before a moment (RFC 9110 section 10.2.3).
struct RenewalPause {
    /// On the boot-time clock.
    let end: Duration
    /// The tokens it is about, by when they came: a new sign-in knows nothing of it.
    let receivedAt: Timestamp
    let failure: AuthFailure

    /// A provider's wish counts up to here; a person who waits longer wants to know whether it is still so.
    static let limit: Duration = .seconds(300)

    /// Whether so much of it is left; more than there can be is the work of a clock.
    static func counts(_ rest: Duration) -> Bool { rest > .zero && rest <= limit }
}

extension Engine {
    /// Throws what the last renewal came to while the provider wants to be left alone. However many ask meanwhile, here or in other processes, it
    /// hears of none.
    func requireNoPause(of record: SessionRecord) throws(AuthFailure) {
        let name = record.summary.name
        if let pause = pauses[name] {
            let rest = pause.end - environment.time.bootTime
            if pause.receivedAt == record.summary.receivedAt, RenewalPause.counts(rest) { throw Self.paused(pause.failure.summary, rest) }
            pauses[name] = nil
        }
        guard let end = record.summary.nextRenewalAt else { return }
        let rest = end - environment.time.now
        if RenewalPause.counts(rest) { throw Self.paused("the provider \(name.provider) asked to be left alone for a while", rest) }
    }

    private static func paused(_ reason: String, _ rest: Duration) -> AuthFailure {
        AuthFailure(.unavailable(retryAfter: rest), reason, hint: "try again in \(max(1, rest.wholeSeconds)) s")
    }

    /// Remembers what the provider wished when it could not renew `record`, and writes it down for other processes.
    func notePause(after failure: AuthFailure, of record: SessionRecord) async {
        guard case .unavailable(let wish?) = failure.kind, wish > .zero else { return }
        let wait = min(wish, RenewalPause.limit)
        let (name, receivedAt) = (record.summary.name, record.summary.receivedAt)
        pauses[name] = RenewalPause(end: environment.time.bootTime + wait, receivedAt: receivedAt, failure: failure)
        let end = environment.time.now + wait
        // Where it cannot be written down, this process knows it all the same.
        _ = try? await store.update(name) { known in
            guard known?.summary.receivedAt == receivedAt else { return }
            known?.summary.nextRenewalAt = end
        }
    }
}
