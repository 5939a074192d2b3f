import AuthModel
import Synchronization

extension KeeperPerformer {
    /// Asks the keeper to begin; its events are followed by a command of their own, for they wait for the person and are no work of ours.
    func begin(_ request: SignInRequest, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        let mayBegin = ledger.withLock { ledger in
            guard !ledger.isClosed else { return false }
            ledger.runs[run] = .beginning
            ledger.requests[run] = request
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
            ledger.withLock { $0.end(run) }
            post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
    }

    /// Passes the events of an attempt on until the last one. Where the server does not know the client any more, it is registered again and another
    /// attempt takes the place of this one, once.
    func follow(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let first = attempt(of: run), let refusal = await passEvents(of: first, run, holdingRefusals: true, post) else {
            return ledger.withLock { $0.end(run) }
        }
        switch await beganAgain(run) {
        case .success(let second?): _ = await passEvents(of: second, run, holdingRefusals: false, post)
        case .success(nil): post(.signInReported(run, .finished(.failure(refusal)), at: environment.time.now))
        case .failure(let failure): post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
        ledger.withLock { $0.end(run) }
    }

    /// Passes events on; returns the refusal of the client (RFC 6749 section 5.2) that ended the attempt, and does not pass it on, where that is wanted.
    private func passEvents(
        of attempt: SignInAttempt, _ run: RunID, holdingRefusals: Bool, _ post: @Sendable (Message) -> Void
    ) async -> AuthFailure? {
        for await event in attempt.events {
            if holdingRefusals, case .finished(.failure(let failure)) = event, failure.kind == .denied(code: "invalid_client") {
                return failure
            }
            post(.signInReported(run, event, at: environment.time.now))
        }
        return nil
    }

    /// Another attempt with a client that was registered again; `nil` where there is none, or the run is not wanted any more.
    private func beganAgain(_ run: RunID) async -> Result<SignInAttempt?, AuthFailure> {
        guard let request = ledger.withLock({ $0.requests[run] }), let onboarding = environment.onboarding else { return .success(nil) }
        do throws(AuthFailure) {
            guard try await onboarding.renewClient(request.provider) else { return .success(nil) }
            let attempt = try await keeper.signIn(request)
            let isWanted = ledger.withLock { ledger in
                guard case .begun = ledger.runs[run] else { return false }
                ledger.runs[run] = .begun(attempt)
                return true
            }
            if isWanted { return .success(attempt) }
            await keeper.cancel(attempt.id)
            return .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
        } catch {
            return .failure(error)
        }
    }

    /// Ends a sign-in, whether or not the keeper has answered yet.
    func cancel(_ run: RunID) async {
        let attempt: SignInAttempt? = ledger.withLock { ledger in
            switch ledger.runs[run] {
            case .begun(let attempt):
                ledger.end(run)
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
                ledger.end(run)
                return false
            }
            ledger.runs[run] = .begun(attempt)
            return true
        }
    }
}

extension KeeperPerformer.Ledger {
    /// Forgets a run.
    fileprivate mutating func end(_ run: RunID) {
        runs[run] = nil
        requests[run] = nil
    }
}
