internal import AuthModel

/// Flows that wait side by side: the first to succeed ends the others, and so do the deadline and the person's cancelling.
struct FlowRace<Outcome: Sendable>: Sendable {
    let flows: [any SignInFlow<Outcome>]
    let deadline: Duration
    let time: any TimeSource
    let attempt: AttemptReporter

    private enum Finish: Sendable {
        case flow(Int, Result<Outcome, AuthFailure>)
        case deadline
        case cancelled
    }

    /// Waits for the end, and closes every flow before it returns.
    func run() async throws(AuthFailure) -> Outcome {
        let outcome = await withTaskGroup(of: Finish.self) { group in
            for (index, flow) in flows.enumerated() {
                group.addTask { .flow(index, await flow.outcome()) }
            }
            group.addTask {
                do { try await time.sleep(until: deadline) } catch { return .cancelled }
                return .deadline
            }
            let outcome = await settle(&group)
            // The browser's page is on its way while the answer already counts; closing the listener lets it out first.
            group.cancelAll()
            return outcome
        }
        for flow in flows { await flow.close() }
        return try outcome.get()
    }

    private func settle(_ group: inout TaskGroup<Finish>) async -> Result<Outcome, AuthFailure> {
        var waiting = flows.count
        while let finish = await group.next() {
            switch finish {
            case .flow(_, .success(let outcome)): return .success(outcome)
            case .flow(let index, .failure(let failure)):
                waiting -= 1
                if waiting == 0 || Task.isCancelled || flows[index].endsAttempt(failure) { return .failure(failure) }
                attempt.report(.warning(failure.summary + "; the other ways are still open"))
            case .deadline: return .failure(await timedOut())
            case .cancelled: return .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
            }
        }
        return .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
    }

    private func timedOut() async -> AuthFailure {
        for flow in flows {
            if let failure = await flow.timedOut() { return failure }
        }
        return AuthFailure(.timedOut, "nobody signed in in time", hint: "sign in again, or give it longer with --timeout SECONDS")
    }
}
