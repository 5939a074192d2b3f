internal import AuthModel

/// Tries a renewal again that the provider could not answer, for as long as a caller waits for a token.
///
/// What may have cost the refresh token is not repeated, or only once: see ``RenewalFailure/ResponseOutcome/inDoubt``.
struct RenewalRetry {
    let time: any TimeSource
    /// How many answers were lost before; see ``RenewalFailures/lostAnswers``.
    var lostAnswers = 0

    /// How often a refresh token is presented for one caller, at most.
    static let limit = 3
    /// How long after the first try the last one begins, at most.
    static let deadline = Duration.seconds(30)

    /// The result of `attempt` at the first, second or third try. A failure counts the answers that were lost.
    func run(
        isolation: isolated (any Actor)? = #isolation, _ attempt: () async throws(RenewalFailure) -> Renewal
    ) async throws(RenewalFailure) -> Renewal {
        let end = time.bootTime + Self.deadline
        var tries = 1
        var lost = 0
        var wasCutOff = lostAnswers > 0
        while true {
            var failure: RenewalFailure
            do { return try await attempt() } catch { failure = error }
            if failure.outcome == .inDoubt {
                lost += 1
                wasCutOff = wasCutOff || failure.failure.repetition != .once
            }
            // A connection that was dropped without a byte is mostly a server that did not act: alone it ends no session.
            failure.lostAnswers = wasCutOff ? lost : 0
            guard tries < Self.limit, case .unavailable(let wish) = failure.failure.kind, mayRepeat(failure, lost: lost) else {
                throw failure
            }
            let next = time.bootTime + Self.pause(after: tries, wish: wish, jitter: Double.random(in: 0..<1))
            guard next < end, (try? await time.sleep(until: next)) != nil, !Task.isCancelled else { throw failure }
            tries += 1
        }
    }

    private func mayRepeat(_ failure: RenewalFailure, lost: Int) -> Bool {
        switch failure.outcome {
        case .kept: [.once, .freely].contains(failure.failure.repetition)
        case .inDoubt: failure.failure.repetition == .once && lostAnswers + lost < RenewalFailures.lostAnswerLimit
        default: false
        }
    }

    /// How long to wait: what the provider wishes (RFC 9110 section 10.2.3), else 1 s and then 3 s; and up to as much again, so that
    /// those who failed together do not come back together, but no more than 2 s.
    static func pause(after tries: Int, wish: Duration?, jitter: Double) -> Duration {
        let base = wish ?? .seconds(tries == 1 ? 1 : 3)
        return base + min(max(base, .milliseconds(500)), .seconds(2)) * jitter
    }
}
