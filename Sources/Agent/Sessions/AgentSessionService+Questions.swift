public import AuthModel

/// A question that waits for its answer.
struct PendingConsent {
    var question: TokenConsentRequest
    /// `nil`: there is nobody left who could answer.
    var answer: CheckedContinuation<(consent: TokenRequest.Consent, witness: ConsentConfirmation?)?, Never>
    /// Ends it when its time is over.
    var timer: Task<Void, Never>
}

extension AgentSessionService {
    public func answerQuestion(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) async throws(AuthFailure) {
        guard questions[id] != nil else { throw TokenConsentRequest.isOver }
        settle(id, allows ? .given : .refused, from: witness)
    }

    /// The token, after a person consented where the policy is to ask. A policy that has no question is not asked about one.
    func consented(_ request: TokenRequest, by service: any SessionService) async throws(AuthFailure) -> (
        value: IssuedToken, isConsented: Bool
    ) {
        var first = request
        // Whether nobody is there shows only below.
        if first.asking == .service { first.asking = .caller }
        do throws(AuthFailure) {
            return (try await demanded(first, from: service), request.consent != nil)
        } catch {
            guard error.wantsConsent, request.asking != .nobody else { throw error }
        }
        var second = request
        let answer = await consent(to: request, by: service)
        second.consent = answer?.consent
        second.consentWitness = answer?.witness
        return (try await demanded(second, from: service), true)
    }

    private func demanded(_ request: TokenRequest, from service: any SessionService) async throws(AuthFailure) -> IssuedToken {
        try await demanding(request.session) { () async throws(AuthFailure) in try await service.token(request) }
    }

    /// What those who watch and answer say; `nil` where there is nobody.
    private func consent(to request: TokenRequest, by service: any SessionService) async -> (
        consent: TokenRequest.Consent, witness: ConsentConfirmation?
    )? {
        let session = (try? await service.session(request.session))?.summary.name ?? request.session
        guard !answering.isEmpty else { return nil }
        nextQuestion += 1
        let question = TokenConsentRequest(
            id: TokenConsentRequest.ID("\(questionNames)-\(nextQuestion)"), session: session, wanted: request.wanted, terms: request.terms,
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

    /// Ends every question, for there is nobody who could answer.
    func settleQuestions() {
        for id in questions.keys { settle(id, nil) }
    }
}
