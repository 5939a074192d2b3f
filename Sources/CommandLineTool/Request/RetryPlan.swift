internal import AuthModel
internal import OAuth

/// Decides whether a failed request is sent again, and when (RFC 9110 sections 9.2.2 and 10.2.3).
struct RetryPlan {
    /// How often a request is sent again.
    let limit: Int
    private(set) var count = 0

    /// The longest time to wait for a server, in seconds.
    private static let longestPause: Int64 = 300
    private static let idempotent: Set<String> = ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]

    init(limit: Int) { self.limit = limit }

    /// Returns how long to wait before the request is sent again; `nil` if it is not.
    ///
    /// - Parameters:
    ///   - response: the response; `nil` if there was none. A server that answers 429 or 503 did not carry the request out. After any other
    ///     failure, only a request that may be repeated is sent again.
    ///   - method: the request's method.
    mutating func pause(
        after failure: AuthFailure, _ response: WebResponse?, to method: WebRequest.Method, at now: Timestamp
    ) -> Duration? {
        guard case .unavailable = failure.kind, count < limit else { return nil }
        guard Self.idempotent.contains(method.rawValue) || response?.status == 429 || response?.status == 503 else { return nil }
        let wanted = response?.retryAfter(now: now)
        if let wanted, wanted > .seconds(Self.longestPause) { return nil }
        count += 1
        return max(wanted ?? .zero, .seconds(min(Int64(1) << min(count - 1, 5), 30)))
    }
}
