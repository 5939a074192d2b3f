/// One entry of the activity log.
public struct Activity: Equatable, Sendable {
    /// The type of an entry.
    public enum Kind: String, Sendable {
        case signedIn = "signed_in"
        case signInFailed = "sign_in_failed"
        case renewed
        case renewalFailed = "renewal_failed"
        case issued = "handed_out"
        /// A program other than the caller confirmed that the user consented to a token.
        case consented
        /// The caller itself claimed that the user consented to a token. This claim was not checked.
        case consentedByCaller = "consented_by_caller"
        /// A policy or the user refused to issue a token.
        case tokenRefused = "token_refused"
        case signedOut = "signed_out"
    }

    /// When it happened.
    public var at: Timestamp
    /// The type of the entry.
    public var kind: Kind
    /// The session, if the entry is about one.
    public var session: SessionName?
    /// The event in one line, without secrets.
    public var message: UserMessage
    /// The number of occurrences: repeated uses within a short time are one entry, with the time of the last one.
    public var count: Int

    /// Creates a log entry.
    public init(at: Timestamp, kind: Kind, session: SessionName?, message: UserMessage, count: Int = 1) {
        self.at = at
        self.count = count
        self.kind = kind
        self.session = session
        self.message = message
    }
}
