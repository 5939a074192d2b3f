internal import AuthModel
internal import SessionStore

/// Completes the summaries of the store with what the engine knows: renewals in progress and warnings.
struct SessionListing: Sendable {
    let store: SessionStore
    let providers: ProviderDirectory
    let renewals: TasksInProgress<SessionName, SessionRecord>
    let time: any TimeSource

    /// Returns all sessions, sorted by name.
    func sessions() async throws(AuthFailure) -> [SessionSummary] {
        do {
            let known = try await renewals.whileNoneEnds { () async throws(StoreError) in try await store.summaries() }
            return completed(known)
        } catch {
            throw error.failure
        }
    }

    /// Returns the summaries of all sessions with renewals in progress and warnings.
    private func completed(_ known: [SessionSummary]) -> [SessionSummary] {
        known.map { session in
            var summary = planned(session)
            summary.warnings += providers[session.name.provider]?.mismatches(of: session, among: known) ?? []
            return summary
        }
    }

    /// Returns the summary with this engine's own knowledge of renewals.
    func planned(_ summary: SessionSummary) -> SessionSummary {
        var summary = summary
        // The stored value is the earliest time of the next renewal; a past one has no effect.
        if let end = summary.nextRenewalAt, end <= time.now { summary.nextRenewalAt = nil }
        if renewals[summary.name] != nil { summary.recordedState = .renewing }
        return summary
    }
}
