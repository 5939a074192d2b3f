internal import AuthModel

/// Tries a renewal again that the provider could not answer, for as long as a caller waits for a token.
///
/// What may have cost the refresh token is not repeated, and a request whose connection was dropped once only: see ``AuthFailure/Repetition``.
struct RenewalRetry {
    let time: any TimeSource

    /// How often a refresh token is presented for one caller, at most.
    static let limit = 3
    /// How long after the first try the last one begins, at most.
    static let deadline = Duration.seconds(30)

    /// What `attempt` comes to, at the first, second or third try.
    func run(
        isolation: isolated (any Actor)? = #isolation, _ attempt: () async throws(RenewalFailure) -> Renewal
    ) async throws(RenewalFailure) -> Renewal {
        let end = time.bootTime + Self.deadline
        var tries = 1
        var wasDropped = false
        while true {
            do {
                return try await attempt()
            } catch {
                guard tries < Self.limit, error.fate == .kept, case .unavailable(let wish) = error.failure.kind,
                    error.failure.repetition != .none, !wasDropped || error.failure.repetition == .freely
                else { throw error }
                wasDropped = wasDropped || error.failure.repetition == .once
                let next = time.bootTime + Self.pause(after: tries, wish: wish, jitter: Double.random(in: 0..<1))
                guard next < end, (try? await time.sleep(until: next)) != nil, !Task.isCancelled else { throw error }
                tries += 1
            }
        }
    }

    /// How long to wait: what the provider wishes (RFC 9110 section 10.2.3), else 1 s and then 3 s; and up to as much again, so that
    /// those who failed together do not come back together, but no more than 2 s.
    static func pause(after tries: Int, wish: Duration?, jitter: Double) -> Duration {
        let base = wish ?? .seconds(tries == 1 ? 1 : 3)
        return base + min(max(base, .milliseconds(500)), .seconds(2)) * jitter
    }
}
