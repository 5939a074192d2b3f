/// The failed renewals of a session since it received its current tokens. New tokens reset the counts.
public struct RenewalFailures: Equatable, Sendable {
    /// The number of times that the response to the refresh token was lost, so that the token may be used up.
    public var lostResponses: Int
    /// The number of consecutive renewals that failed and left the session unchanged. The back-off grows with it.
    public var failures: Int

    /// The number of lost responses after which a refresh token is not sent again. A provider with a grace period answers the second
    /// attempt; a provider without one treats each further attempt as theft (RFC 9700 section 4.14.2).
    public static let lostResponseLimit = 2

    /// Creates failure counts. Default: zero.
    public init(lostResponses: Int = 0, failures: Int = 0) {
        self.lostResponses = lostResponses
        self.failures = failures
    }

    /// The time before programs can cause another renewal after this many failures: 2 s, doubling up to 30 s.
    public var backOff: Duration { failures > 0 ? .seconds(min(1 << min(failures, 5), 30)) : .zero }
}
