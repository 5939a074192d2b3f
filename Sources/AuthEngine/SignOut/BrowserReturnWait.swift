internal import AuthModel
internal import OAuth

/// Listens for the browser that leaves for a provider's end-session page, or comes back from there, until it is there, the time is up, or
/// nobody wants to know.
///
/// The first that comes settles it, whatever its state: the session is gone here already, so a forged answer gains nothing, and a provider
/// that loses the state has ended its session all the same.
struct BrowserReturnWait: Sendable {
    let listener: LoopbackListener
    let event: Event
    let time: any TimeSource
    /// In the time since boot.
    let deadline: Duration

    /// What is awaited.
    enum Event: Sendable {
        /// That the browser comes back with this state.
        case answer(Secret)
        /// That it leaves, after which there is no more to learn than the outcome says.
        case leaving(AsyncStream<Never>, SignOutReceipt.Outcome)
    }

    private enum Finish: Sendable {
        case left(SignOutReceipt.Outcome)
        case answer(EndSessionAnswer)
        case deadline
        case cancelled
    }

    /// What is known of the provider's session at the end; the port is closed when this returns.
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
            .unconfirmed(reason: "the browser came back without the state that it was sent with, so anybody may have sent it")
        case .answer(.wrongState):
            .unconfirmed(reason: "the browser came back with another state than it was sent with, so anybody may have sent it")
        case .deadline: .failed(reason: "the browser did not \(wish) in time, so the session there may go on", isQueued: false)
        case .cancelled: .failed(reason: "nobody waited for the browser, so the session there may go on", isQueued: false)
        }
    }

    private var wish: String {
        switch event {
        case .answer: "come back"
        case .leaving: "ask for the page"
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
        let (answers, answer) = AsyncStream.makeStream(of: EndSessionAnswer.self, bufferingPolicy: .bufferingOldest(1))
        try? await listener.serve { query in
            let judged = EndSessionAnswer(query: query, state: state)
            answer.yield(judged)
            return judged == .ours ? .accepted : .refused
        }
        answer.finish()
        for await judged in answers { return .answer(judged) }
        return .cancelled
    }
}
