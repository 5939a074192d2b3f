/// What went wrong with the renewals of a session since its tokens came. New tokens begin with none.
public struct RenewalFailures: Equatable, Sendable {
    /// How often the refresh token was presented and the provider's answer was lost on its way, so that it may be spent.
    public var lostAnswers: Int
    /// Renewals in a row that failed and left the session as it was: the back-off grows with them.
    public var failures: Int

    /// A refresh token whose answers were lost this often is not presented again: a provider with a grace period answers the second time,
    /// and one without takes every further time for theft (RFC 9700 section 4.14.2).
    public static let lostAnswerLimit = 2

    public init(lostAnswers: Int = 0, failures: Int = 0) {
        self.lostAnswers = lostAnswers
        self.failures = failures
    }

    /// How long programs are refused a further renewal after this many failures: 2 s, doubling up to 30 s.
    public var backOff: Duration { failures > 0 ? .seconds(min(1 << min(failures, 5), 30)) : .zero }
}
