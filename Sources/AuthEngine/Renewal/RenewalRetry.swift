package import AuthModel

/// Retries a renewal that failed temporarily, while a caller waits for a token.
///
/// A request that may have spent the refresh token is repeated at most once: see ``RenewalFailure/ResponseOutcome/inDoubt``.
package struct RenewalRetry {
    package let time: any TimeSource
    /// The number of responses that were lost before; see ``RenewalFailures/lostResponses``.
    package var lostResponses: Int

    /// Creates the rule for one caller.
    package init(time: any TimeSource, lostResponses: Int = 0) {
        self.time = time
        self.lostResponses = lostResponses
    }

    /// Maximum number of times that a refresh token is sent for one caller.
    package static let limit = 3
    /// Maximum time from the first try to the start of the last one.
    package static let deadline = Duration.seconds(30)

    /// Returns the result of `attempt` at the first, second or third try. A failure counts the responses that were lost.
    package func run(
        isolation: isolated (any Actor)? = #isolation, _ attempt: () async throws(RenewalFailure) -> Renewal
    ) async throws(RenewalFailure) -> Renewal {
        let end = time.bootTime + Self.deadline
        var tries = 1
        var lost = 0
        var wasInterrupted = lostResponses > 0
        while true {
            var failure: RenewalFailure
            do { return try await attempt() } catch { failure = error }
            if failure.outcome == .inDoubt {
                lost += 1
                wasInterrupted = wasInterrupted || failure.failure.retryPolicy != .once
            }
            // A connection that closed before the first byte usually means that the server did not act, so this alone ends no session.
            failure.lostResponses = wasInterrupted ? lost : 0
            guard tries < Self.limit, case .unavailable(let retryAfter) = failure.failure.kind, mayRepeat(failure, lost: lost) else {
                throw failure
            }
            let next = time.bootTime + Self.pause(after: tries, retryAfter: retryAfter, jitter: Double.random(in: 0..<1))
            guard next < end, (try? await time.sleep(until: next)) != nil, !Task.isCancelled else { throw failure }
            tries += 1
        }
    }

    private func mayRepeat(_ failure: RenewalFailure, lost: Int) -> Bool {
        switch failure.outcome {
        case .kept: [.once, .freely].contains(failure.failure.retryPolicy)
        case .inDoubt: failure.failure.retryPolicy == .once && lostResponses + lost < RenewalFailures.lostResponseLimit
        default: false
        }
    }

    /// Returns the wait before the next try: the provider's Retry-After (RFC 9110 section 10.2.3), else 1 s and then 3 s. A random time of
    /// up to the same length, at least 0.5 s and at most 2 s, is added, so that clients that failed together do not retry together.
    package static func pause(after tries: Int, retryAfter: Duration?, jitter: Double) -> Duration {
        let base = retryAfter ?? .seconds(tries == 1 ? 1 : 3)
        return base + min(max(base, .milliseconds(500)), .seconds(2)) * jitter
    }

    /// Waits before a grant that was refused without a readable reason is sent again: 1 s plus a random time of up to 1 s.
    ///
    /// A server that refuses a dead grant in this way does so again after the pause. A temporary fault, or a fault of a device in between,
    /// has time to pass.
    ///
    /// - Throws: `.cancelled`, which keeps the grant, if the task was cancelled.
    package func pauseBeforeSecondTry(isolation: isolated (any Actor)? = #isolation) async throws(RenewalFailure) {
        let pause = Self.pause(after: 1, retryAfter: nil, jitter: Double.random(in: 0..<1))
        guard (try? await time.sleep(until: time.bootTime + pause)) != nil, !Task.isCancelled else {
            throw RenewalFailure(CurlFailure.cancelled, .kept)
        }
    }
}
