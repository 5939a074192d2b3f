import AuthModel
import OAuth
import Synchronization

/// The waits for the browser after sign-outs.
final class BrowserReturns: Sendable {
    private struct Running {
        let browserReturn: BrowserReturn
        let task: Task<SignOutReceipt.Outcome, Never>
    }

    private let time: any TimeSource
    private let returns = Mutex<[BrowserReturn.ID: Running]>([:])

    init(time: any TimeSource) { self.time = time }

    deinit {
        for running in returns.withLock({ $0 }).values { running.task.cancel() }
    }

    /// Starts waiting for the browser.
    func begin(_ wait: EndSessionWait, as browserReturn: BrowserReturn) {
        // Drop expired waits whose result was never requested; their ports are closed.
        let now = time.now
        returns.withLock { returns in
            returns = returns.filter { now < $0.value.browserReturn.endsAt + .seconds(60) }
            returns[browserReturn.id] = Running(browserReturn: browserReturn, task: Task { await wait.outcome() })
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

/// Waits for the browser to leave for a provider's end-session page, or to return from it, until the deadline or cancellation.
///
/// The first request completes it, with any state parameter: the session is already deleted here, so a forged request gains nothing, and
/// a provider that drops the state has still ended its session.
struct EndSessionWait: Sendable {
    let listener: LoopbackListener
    let event: Event
    let time: any TimeSource
    /// The deadline, in time since boot.
    let deadline: Duration

    /// The awaited event.
    enum Event: Sendable {
        /// The browser returns with this state.
        case answer(Secret)
        /// The browser leaves. The outcome is then final, because nothing more can be learned.
        case leaving(AsyncStream<Never>, SignOutReceipt.Outcome)
    }

    private enum Finish: Sendable {
        case left(SignOutReceipt.Outcome)
        case answer(EndSessionResponse)
        case deadline
        case cancelled
    }

    /// Returns the outcome for the provider's session. The port is closed when this returns.
    func outcome() async -> SignOutReceipt.Outcome {
        let finish = await withTaskGroup(of: Finish.self) { group in
            group.addTask { await serve() }
            group.addTask {
                do { try await time.sleep(until: deadline) } catch { return .cancelled }
                return .deadline
            }
            let first = await group.next() ?? .cancelled
            group.cancelAll()
            return first
        }
        await listener.close()
        return switch finish {
        case .left(let outcome): outcome
        case .answer(.ours): .done
        case .answer(.missingState):
            .unconfirmed(reason: "browser.returned_without_state")
        case .answer(.wrongState):
            .unconfirmed(reason: "browser.returned_with_wrong_state")
        case .deadline: .failed(reason: UserMessage("browser.awaited_action_missing", ["action": awaitedAction]), isQueued: false)
        case .cancelled: .failed(reason: "browser.wait_ended", isQueued: false)
        }
    }

    private var awaitedAction: UserMessage {
        switch event {
        case .answer: UserMessage("phrase.come_back")
        case .leaving: UserMessage("phrase.request_page")
        }
    }

    private func serve() async -> Finish {
        switch event {
        case .answer(let state): return await serve(state)
        case .leaving(let left, let outcome):
            for await _ in left {}
            return Task.isCancelled ? .cancelled : .left(outcome)
        }
    }

    private func serve(_ state: Secret) async -> Finish {
        let (answers, answer) = AsyncStream.makeStream(of: EndSessionResponse.self, bufferingPolicy: .bufferingOldest(1))
        try? await listener.serve { query in
            let response = EndSessionResponse(query: query, state: state)
            answer.yield(response)
            return response == .ours ? .accepted : .refused
        }
        answer.finish()
        for await response in answers { return .answer(response) }
        return .cancelled
    }
}
