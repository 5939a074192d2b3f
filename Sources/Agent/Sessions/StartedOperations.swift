internal import AuthModel
internal import Synchronization

/// The service that each sign-in attempt and each wait for the browser started with. The configuration may have changed since.
final class StartedOperations: Sendable {
    private struct State {
        var attempts: [SignInAttempt.ID: any SessionService] = [:]
        var returns: [BrowserReturn.ID: any SessionService] = [:]
    }

    private let state = Mutex(State())

    /// Whether a sign-in is in progress.
    var hasAttempts: Bool { state.withLock { !$0.attempts.isEmpty } }

    /// Whether a sign-in or a wait for the browser is in progress.
    var hasAny: Bool { state.withLock { !$0.attempts.isEmpty || !$0.returns.isEmpty } }

    /// The service of an attempt; `nil` after its end.
    subscript(attempt: SignInAttempt.ID) -> (any SessionService)? {
        get { state.withLock { $0.attempts[attempt] } }
        set { state.withLock { $0.attempts[attempt] = newValue } }
    }

    /// The service that waits for the browser; `nil` after the wait.
    subscript(wait: BrowserReturn.ID) -> (any SessionService)? {
        get { state.withLock { $0.returns[wait] } }
        set { state.withLock { $0.returns[wait] = newValue } }
    }

    /// Removes a wait for the browser and returns its service; `nil` if there is none.
    func remove(_ wait: BrowserReturn.ID) -> (any SessionService)? { state.withLock { $0.returns.removeValue(forKey: wait) } }

    /// Cancels all attempts and all waits for the browser.
    func cancelAll() async {
        let (attempts, returns) = state.withLock { ($0.attempts, $0.returns) }
        for (attempt, service) in attempts { await service.cancel(attempt) }
        for (id, service) in returns { await service.stopWaiting(for: id) }
    }
}
