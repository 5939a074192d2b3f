internal import AuthModel
internal import SessionStore

/// Facts that this process keeps from one renewal to the next.
struct RenewalState: Sendable {
    /// Renewals in progress. Concurrent callers share the result.
    let inProgress = TasksInProgress<SessionName, SessionRecord>()
    /// Pauses after failures.
    let pauses: RenewalPauses
    /// Responses that are still to be saved.
    let unsaved = UnsavedResponses()

    init(store: SessionStore, time: any TimeSource) { pauses = RenewalPauses(store: store, time: time) }
}
