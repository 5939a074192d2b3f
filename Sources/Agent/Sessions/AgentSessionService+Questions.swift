public import AuthModel

/// A consent request that waits for its answer.
struct PendingConsent {
    var question: TokenConsentRequest
    /// Resumed with the answer; with `nil` if no observer can answer any more.
    var answer: CheckedContinuation<(consent: TokenRequest.Consent, witness: ConsentConfirmation?)?, Never>
    /// Ends it at its deadline.
    var timer: Task<Void, Never>
}

extension AgentSessionService {
    /// Answers an open consent request. Throws if it is no longer open.
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        guard questions[id] != nil else { throw TokenConsentRequest.isOver }
        settle(id, allows ? .given : .refused, from: witness)
    }

    /// Requests a token. If the policy is `ask`, asks the user for consent first.
    func consented(_ request: TokenRequest, by service: any SessionService) async throws(AuthFailure) -> (
        value: IssuedToken, isConsented: Bool
    ) {
        var first = request
        // Whether an observer can answer is known only below.
        if first.asking == .service { first.asking = .caller }
        do throws(AuthFailure) {
            return (try await requestedToken(first, from: service), request.consent != nil)
        } catch {
            guard error.needsConsent, request.asking != .noPrompt else { throw error }
        }
        var second = request
        let answer = await consent(to: request, by: service)
        second.consent = answer?.consent
        second.consentConfirmation = answer?.witness
        return (try await requestedToken(second, from: service), true)
    }

    private func requestedToken(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken {
        try await countingCaller(request.session) { () async throws(AuthFailure) in try await service.token(request) }
    }

    /// Asks the observers that can answer for the user's consent; `nil` if there is none.
    private func consent(to request: TokenRequest, by service: any SessionService) async -> (
        consent: TokenRequest.Consent, witness: ConsentConfirmation?
    )? {
        let session = (try? await service.session(request.session))?.summary.name ?? request.session
        guard !answering.isEmpty else { return nil }
        nextQuestion += 1
        let question = TokenConsentRequest(
            id: TokenConsentRequest.ID("\(consentRequestPrefix)-\(nextQuestion)"), session: session, wanted: request.wanted,
            terms: request.terms,
            program: request.caller ?? "a program", process: request.process, deadline: time.now + TokenConsentRequest.timeLimit)
        let deadline = time.bootTime + TokenConsentRequest.timeLimit
        let timer = Task { [weak self, time] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            await self?.settle(question.id, .unanswered)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                questions[question.id] = PendingConsent(question: question, answer: answer, timer: timer)
                for id in answering { watchers[id]?.yield(.asked(question)) }
            }
        } onCancel: {
            Task { await self.settle(question.id, .unanswered) }
        }
    }

    private func settle(_ id: TokenConsentRequest.ID, _ consent: TokenRequest.Consent?, from witness: ConsentConfirmation? = nil) {
        guard let open = questions.removeValue(forKey: id) else { return }
        open.timer.cancel()
        open.answer.resume(returning: consent.map { ($0, witness) })
        announce(.settled(id))
    }

    /// Ends all consent requests, because no observer can answer.
    func endConsentRequests() {
        for id in questions.keys { settle(id, nil) }
    }
}
