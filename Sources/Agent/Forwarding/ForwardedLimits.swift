import AuthModel
import Synchronization

/// The limits on requests and renewals by the programs of another machine.
///
/// Another machine may have other administrators. Without limits it could fill the log, keep the provider busy, or use up refresh tokens.
final class ForwardedLimits: Sendable {
    private struct State {
        /// The requests that each connected process may still send, and when that was computed, on the boot clock.
        var requests: [Int32: (left: Double, at: Duration)] = [:]
        /// When a renewal of each session was last allowed, on the boot clock.
        var renewals: [SessionName: Duration] = [:]
    }

    private let time: any TimeSource
    private let state = Mutex(State())

    /// The number of requests at once.
    static let burst = 100.0
    /// The number of requests per second after that.
    static let rate = 10.0
    /// The minimum time between two renewals of a session.
    static let renewalInterval = Duration.seconds(60)
    /// Maximum number of processes that are remembered.
    private static let limit = 256

    init(time: any TimeSource) { self.time = time }

    /// Counts a request of a process. Throws `.unavailable` if there were too many.
    func count(_ process: Int32) throws(AuthFailure) {
        let now = time.bootTime
        let isAllowed = state.withLock { state in
            let known = state.requests[process] ?? (Self.burst, now)
            let left = min(Self.burst, known.left + Double((now - known.at).wholeMilliseconds) / 1000 * Self.rate)
            if state.requests[process] == nil, state.requests.count >= Self.limit { state.requests.removeAll() }
            state.requests[process] = (max(0, left - 1), now)
            return left >= 1
        }
        guard !isAllowed else { return }
        throw AuthFailure(
            .unavailable(retryAfter: .seconds(1)), "agent.too_many_requests", hint: UserMessage("hint.try_again_in_seconds", ["seconds": 1])
        )
    }

    /// Takes the session's turn for a renewal. Returns false if it was taken less than ``renewalInterval`` ago.
    func takeRenewal(of session: SessionName) -> Bool {
        let now = time.bootTime
        return state.withLock { state in
            state.renewals = state.renewals.filter { now - $0.value < Self.renewalInterval }
            guard state.renewals[session] == nil else { return false }
            state.renewals[session] = now
            return true
        }
    }

    /// Returns the failure of a request that needs a renewal now, whose turn was taken.
    func renewalTooSoon(_ session: SessionName) -> AuthFailure {
        let last = state.withLock { $0.renewals[session] } ?? time.bootTime
        let pause = max(.seconds(1), last + Self.renewalInterval - time.bootTime)
        return AuthFailure(
            .unavailable(retryAfter: pause), UserMessage("agent.forwarded_renewal_too_soon", ["session": session]),
            hint: UserMessage("hint.try_again_in_seconds", ["seconds": pause.wholeSeconds]))
    }
}
