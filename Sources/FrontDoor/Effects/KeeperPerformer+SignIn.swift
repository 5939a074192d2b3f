import AuthModel
import Synchronization

extension KeeperPerformer {
    /// Asks the keeper to begin; its events are followed by a command of their own, for they wait for the person and are no work of ours.
    func begin(_ request: SignInRequest, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        let mayBegin = ledger.withLock { ledger in
            guard !ledger.isClosed else { return false }
            ledger.runs[run] = .beginning
            return true
        }
        guard mayBegin else { return }
        switch await result({ keeper throws(AuthFailure) in try await keeper.signIn(request) }) {
        case .success(let attempt):
            if keep(attempt, run) {
                post(.signInBegan(run))
            } else {
                await keeper.cancel(attempt.id)
            }
        case .failure(let failure):
            ledger.withLock { $0.runs[run] = nil }
            post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
    }

    /// Passes the events of an attempt on until the last one.
    func follow(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        for await event in attempt.events { post(.signInReported(run, event, at: environment.time.now)) }
        ledger.withLock { $0.runs[run] = nil }
    }

    /// Ends a sign-in, whether or not the keeper has answered yet.
    func cancel(_ run: RunID) async {
        let attempt: SignInAttempt? = ledger.withLock { ledger in
            switch ledger.runs[run] {
            case .begun(let attempt):
                ledger.runs[run] = nil
                return attempt
            case .beginning:
                ledger.runs[run] = .unwanted
                return nil
            case .unwanted, nil: return nil
            }
        }
        if let attempt { await keeper.cancel(attempt.id) }
    }

    func paste(_ text: Secret, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(.pasteAnswered(run, await failure { keeper throws(AuthFailure) in try await keeper.paste(text, into: attempt.id) }))
    }

    func answer(_ answers: SignInForm.Answers, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(.formAnswered(run, await failure { keeper throws(AuthFailure) in try await keeper.answer(answers, to: attempt.id) }))
    }

    func requestDeviceCode(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(
            .deviceCodeAnswered(
                run, await failure { keeper throws(AuthFailure) in try await keeper.requestDeviceCode(for: attempt.id) }))
    }

    private func attempt(of run: RunID) -> SignInAttempt? {
        ledger.withLock { ledger in if case .begun(let attempt) = ledger.runs[run] { attempt } else { nil } }
    }

    /// Notes the keeper's answer; whether the run is still wanted.
    private func keep(_ attempt: SignInAttempt, _ run: RunID) -> Bool {
        ledger.withLock { ledger in
            guard case .beginning = ledger.runs[run] else {
                ledger.runs[run] = nil
                return false
            }
            ledger.runs[run] = .begun(attempt)
            return true
        }
    }
}
