import AuthModel
import Synchronization

extension EffectRunner {
    /// Starts a sign-in at the session service. A separate command follows its events, because they wait for the user and must not count as
    /// running work.
    func begin(_ request: SignInRequest, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        let mayBegin = state.withLock { state in
            guard !state.isClosed else { return false }
            state.runs[run] = .beginning
            state.requests[run] = request
            return true
        }
        guard mayBegin else { return }
        switch await result(try await service.signIn(request)) {
        case .success(let attempt):
            if keep(attempt, run) {
                post(.signInBegan(run))
            } else {
                await service.cancel(attempt.id)
            }
        case .failure(let failure):
            state.withLock { $0.end(run) }
            post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
    }

    /// Forwards the events of an attempt until the last one. If the server no longer knows the client, the client is registered again and a
    /// new attempt replaces this one, once.
    func follow(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let first = attempt(of: run), let refusal = await forwardEvents(of: first, run, holdingRefusals: true, post) else {
            return state.withLock { $0.end(run) }
        }
        switch await restartedAttempt(run) {
        case .success(let second?): _ = await forwardEvents(of: second, run, holdingRefusals: false, post)
        case .success(nil): post(.signInReported(run, .finished(.failure(refusal)), at: environment.time.now))
        case .failure(let failure): post(.signInReported(run, .finished(.failure(failure)), at: environment.time.now))
        }
        state.withLock { $0.end(run) }
    }

    /// Forwards events. With `holdingRefusals`, returns a refusal of the client (RFC 6749 section 5.2) that ended the attempt, instead of
    /// forwarding it.
    private func forwardEvents(
        of attempt: SignInAttempt, _ run: RunID, holdingRefusals: Bool, _ post: @Sendable (Message) -> Void
    ) async -> AuthFailure? {
        for await event in attempt.events {
            if holdingRefusals, case .finished(.failure(let failure)) = event, failure.kind == .unknownClient {
                return failure
            }
            post(.signInReported(run, event, at: environment.time.now))
        }
        return nil
    }

    /// Starts another attempt after registering the client again; nil if that is not possible.
    ///
    /// - Returns: a `.cancelled` failure if the user cancelled the run meanwhile.
    private func restartedAttempt(_ run: RunID) async -> Result<SignInAttempt?, AuthFailure> {
        guard let request = state.withLock({ $0.requests[run] }), let onboarding = environment.onboarding else { return .success(nil) }
        do throws(AuthFailure) {
            guard try await onboarding.renewClient(request.provider) else { return .success(nil) }
            let attempt = try await service.signIn(request)
            let isWanted = state.withLock { state in
                guard case .begun = state.runs[run] else { return false }
                state.runs[run] = .begun(attempt)
                return true
            }
            if isWanted { return .success(attempt) }
            await service.cancel(attempt.id)
            return .failure(.signInCancelled)
        } catch {
            return .failure(error)
        }
    }

    /// Cancels a sign-in, whether or not the session service has answered yet.
    func cancel(_ run: RunID) async {
        let attempt: SignInAttempt? = state.withLock { state in
            switch state.runs[run] {
            case .begun(let attempt):
                state.end(run)
                return attempt
            case .beginning:
                state.runs[run] = .unwanted
                return nil
            case .unwanted, nil: return nil
            }
        }
        if let attempt { await service.cancel(attempt.id) }
    }

    func paste(_ text: Secret, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(.pasteAnswered(run, await failure(try await service.paste(text, into: attempt.id))))
    }

    func answer(_ answers: SignInForm.Answers, _ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(.formAnswered(run, await failure(try await service.answer(answers, to: attempt.id))))
    }

    func requestDeviceCode(_ run: RunID, _ post: @Sendable (Message) -> Void) async {
        guard let attempt = attempt(of: run) else { return }
        post(
            .deviceCodeAnswered(
                run, await failure(try await service.requestDeviceCode(for: attempt.id))))
    }

    private func attempt(of run: RunID) -> SignInAttempt? {
        state.withLock { state in if case .begun(let attempt) = state.runs[run] { attempt } else { nil } }
    }

    /// Stores the session service's attempt; returns whether the run is still wanted.
    private func keep(_ attempt: SignInAttempt, _ run: RunID) -> Bool {
        state.withLock { state in
            guard case .beginning = state.runs[run] else {
                state.end(run)
                return false
            }
            state.runs[run] = .begun(attempt)
            return true
        }
    }
}

extension EffectRunner.State {
    /// Removes a run.
    fileprivate mutating func end(_ run: RunID) {
        runs[run] = nil
        requests[run] = nil
    }
}
