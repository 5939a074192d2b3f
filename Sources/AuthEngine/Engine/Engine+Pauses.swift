internal import AuthModel

/// A wish of a provider in trouble not to be asked again before a moment (RFC 9110 section 10.2.3).
struct RenewalPause {
    /// On the boot-time clock.
    let end: Duration
    /// The tokens it is about, by when they came: a new sign-in knows nothing of it.
    let receivedAt: Timestamp
    let failure: AuthFailure

    /// A provider's wish counts up to here; a person who waits longer wants to know whether it is still so.
    static let limit: Duration = .seconds(300)
}

extension Engine {
    /// Throws what the last renewal came to while the provider wants to be left alone. However many ask meanwhile, it hears of none.
    func requireNoPause(of record: SessionRecord) throws(AuthFailure) {
        let name = record.summary.name
        guard let pause = pauses[name] else { return }
        let rest = pause.end - environment.time.bootTime
        guard pause.receivedAt == record.summary.receivedAt, rest > .zero, rest <= RenewalPause.limit else {
            pauses[name] = nil
            return
        }
        throw AuthFailure(.unavailable(retryAfter: rest), pause.failure.summary, hint: "try again in \(max(1, rest.wholeSeconds)) s")
    }

    /// Remembers what the provider wished when it could not renew `record`.
    func notePause(after failure: AuthFailure, of record: SessionRecord) {
        guard case .unavailable(let wait?) = failure.kind, wait > .zero else { return }
        pauses[record.summary.name] = RenewalPause(
            end: environment.time.bootTime + min(wait, RenewalPause.limit), receivedAt: record.summary.receivedAt, failure: failure)
    }
}
