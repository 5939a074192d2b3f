internal import AuthModel
internal import OAuth

/// Waits for the browser to leave for a provider's end-session page, or to return from it, until the deadline or cancellation.
///
/// The first request settles it, with any state parameter: the session is already deleted here, so a forged request gains nothing, and
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
