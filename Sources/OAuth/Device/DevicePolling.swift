public import AuthModel

/// When to ask for the tokens of a device authorization, and when to stop (RFC 8628 section 3.5).
///
/// A value without a clock: each event gives the ``Action`` to carry out next. Moments are those of ``AuthModel/TimeSource/bootTime``, so
/// that a sleeping machine does not stretch the provider's deadline.
///
/// - `authorization_pending`: wait the interval, and ask again.
/// - `slow_down`: the interval grows by five seconds, for this and all later polls.
/// - No answer, an overloaded server (408, 429, 5xx), a web page instead of an answer: the wait doubles each time, and is never shorter
///   than the interval or what `Retry-After` asks. The next proper answer ends the doubling.
/// - 400 or 401 that says nothing readable: as before, but twice in a row is final.
/// - Everything else ends it; so does the lifetime of the code. Starting over is the person's decision.
public struct DevicePolling: Equatable, Sendable {
    /// What to do next.
    public enum Action: Equatable, Sendable {
        /// Wait until then, and send ``TokenEndpoint/poll(_:at:client:headers:)``.
        case poll(at: Duration)
        /// Stop. There are tokens, or there is a reason why not.
        case finish(Result<TokenSet, OAuthError>)
    }

    public let authorization: DeviceAuthorization
    /// What must pass between two polls by now.
    public private(set) var interval: Duration
    /// When the codes end.
    public let deadline: Duration
    /// Polls in a row that came to nothing.
    private var failures = 0
    private var lastWasUnreadable = false

    /// A doubled wait grows no further than this, so that a code which was confirmed meanwhile is not waited away.
    static let longestBackOff: Duration = .seconds(60)
    /// RFC 8628 section 3.5.
    static let slowDownStep: Duration = .seconds(5)

    /// - Parameter now: when the answer with the codes came.
    public init(_ authorization: DeviceAuthorization, now: Duration) {
        self.authorization = authorization
        interval = authorization.interval
        deadline = now + authorization.lifetime
    }

    /// What to do first: the first poll waits the interval, too.
    public func begin(now: Duration) -> Action { wait(interval, now: now) }

    /// Judges the answer to a poll.
    ///
    /// - Parameters:
    ///   - requiresProof: only a DPoP-bound token will do.
    ///   - host: the token endpoint's.
    ///   - now: when the answer came.
    ///   - date: the same moment on the civil clock, from which the tokens' ends are counted.
    public mutating func answered(
        _ response: WebResponse, host: String?, requiresProof: Bool = false, now: Duration, date: Timestamp
    ) -> Action {
        do throws(OAuthError) {
            return .finish(
                .success(
                    try TokenResponse.tokens(
                        response, .devicePolling, host: host, requested: authorization.scopes, requiresProof: requiresProof, now: date)))
        } catch {
            return next(after: error, response: response, now: now)
        }
    }

    /// A poll got no answer: the connection failed or its time ran out.
    public mutating func unanswered(now: Duration) -> Action { backOff(atLeast: .zero, now: now) }

    private mutating func next(after error: OAuthError, response: WebResponse, now: Duration) -> Action {
        // An overloaded server may still say what it means: 429 with slow_down.
        if let code = ServerError(response)?.code, code == "authorization_pending" || code == "slow_down" {
            return paced(slowsDown: code == "slow_down", response: response, now: now)
        }
        switch error.kind {
        case .serverFailure(_, let delay):
            return backOff(atLeast: delay ?? .zero, now: now)
        case _ where response.looksLikeHTML && !(300..<400).contains(response.status):
            // A proxy or a sign-in page of the network stands in between; it may be gone at the next poll.
            return backOff(atLeast: .zero, now: now)
        case .refusedUnreadably where !lastWasUnreadable:
            let action = backOff(atLeast: .zero, now: now)
            lastWasUnreadable = true
            return action
        default:
            return .finish(.failure(error))
        }
    }

    private mutating func paced(slowsDown: Bool, response: WebResponse, now: Duration) -> Action {
        if slowsDown {
            interval += Self.slowDownStep
            // Some servers name the interval they want now; a shorter one is not taken.
            let named = (try? JSONValue(strict: response.body))?["interval"]?.integer ?? 0
            if named > interval.wholeSeconds { interval = .seconds(min(named, 86_400)) }
        }
        failures = 0
        lastWasUnreadable = false
        return wait(interval, now: now)
    }

    private mutating func backOff(atLeast delay: Duration, now: Duration) -> Action {
        failures = min(failures + 1, 16)
        lastWasUnreadable = false
        let doubled = min(interval * (1 << failures), Self.longestBackOff)
        return wait(max(interval, doubled, delay), now: now)
    }

    private func wait(_ pause: Duration, now: Duration) -> Action {
        let next = now + pause
        if next < deadline { return .poll(at: next) }
        return .finish(.failure(OAuthError(.devicePolling, .lifetimeOver, host: authorization.endpoint.origin.authority)))
    }
}
