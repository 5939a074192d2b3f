/// The end of a sign-in attempt that did not fail and made no session.
public struct NoSession: Equatable, Sendable {
    /// The reason why there is no session.
    public enum Reason: String, Sendable {
        /// No sign-in is needed.
        case notNeeded = "not_needed"
        /// A new account was requested, and the user must complete a step before signing in with it.
        case accountRequested = "account_requested"
    }

    /// The reason why there is no session.
    public var reason: Reason
    /// The message.
    public var message: UserMessage
    /// The next step for the user; `nil` if the message says it.
    public var hint: UserMessage?

    /// Creates an end without a session.
    public init(_ reason: Reason, _ message: UserMessage, hint: UserMessage? = nil) {
        self.reason = reason
        self.message = message
        self.hint = hint
    }

    /// The failure for a caller that cannot continue without a session.
    public var failure: AuthFailure { AuthFailure(.configuration, message, hint: hint) }
}
