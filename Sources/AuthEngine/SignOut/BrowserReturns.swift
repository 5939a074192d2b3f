internal import AuthModel
internal import Synchronization

/// The waits for the browser after sign-outs.
final class BrowserReturns: Sendable {
    private struct Running {
        let way: BrowserReturn
        let task: Task<SignOutReceipt.Outcome, Never>
    }

    private let time: any TimeSource
    private let returns = Mutex<[BrowserReturn.ID: Running]>([:])

    init(time: any TimeSource) { self.time = time }

    deinit {
        for running in returns.withLock({ $0 }).values { running.task.cancel() }
    }

    /// Starts waiting for the browser.
    func begin(_ wait: EndSessionWait, as way: BrowserReturn) {
        // Drop expired waits whose result was never requested; their ports are closed.
        let now = time.now
        returns.withLock { returns in
            returns = returns.filter { now < $0.value.way.endsAt + .seconds(60) }
            returns[way.id] = Running(way: way, task: Task { await wait.outcome() })
        }
    }

    /// Waits for the browser after a sign-out and returns the outcome. Cancelling the task ends the wait.
    func outcome(of id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        guard let task = returns.withLock({ $0[id]?.task }) else {
            throw AuthFailure(.usage, "sign_out.not_waiting_for_browser")
        }
        let outcome = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        returns.withLock { $0[id] = nil }
        if task.isCancelled { throw AuthFailure(.cancelled, "sign_out.browser_wait_cancelled") }
        return outcome
    }

    /// Ends the wait for a browser.
    func stopWaiting(for id: BrowserReturn.ID) async {
        guard let task = returns.withLock({ $0.removeValue(forKey: id)?.task }) else { return }
        task.cancel()
        _ = await task.value
    }
}
