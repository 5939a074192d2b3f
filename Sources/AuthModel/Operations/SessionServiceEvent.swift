/// A change that the session service reports to its observers.
public enum SessionServiceEvent: Equatable, Sendable {
    /// The sessions changed; these are the current ones.
    case sessionsChanged([SessionSummary])
    /// The store was locked or unlocked.
    case sealChanged(SealState)
    /// A new entry for the activity log.
    case activity(Activity)
    /// The user must decide whether a token is issued. Sent only to observers that answer questions.
    case asked(TokenConsentRequest)
    /// A question no longer needs an answer.
    case settled(TokenConsentRequest.ID)
}
