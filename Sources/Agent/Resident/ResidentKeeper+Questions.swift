public import AuthModel

/// A question that waits for its answer.
struct OpenQuestion {
    var question: HandOutQuestion
    /// `nil`: there is nobody left who could answer.
    var answer: CheckedContinuation<(consent: TokenRequest.Consent, witness: ConsentWitness?)?, Never>
    /// Ends it when its time is over.
    var timer: Task<Void, Never>
}

extension ResidentKeeper {
    public func answerQuestion(_ id: HandOutQuestion.ID, allows: Bool, from witness: ConsentWitness?) async throws(AuthFailure) {
        guard questions[id] != nil else { throw HandOutQuestion.isOver }
        settle(id, allows ? .given : .refused, from: witness)
    }

    /// The token, after a person consented where the policy is to ask. A policy that has no question is not asked about one.
    func consented(_ request: TokenRequest, by keeper: any Keeper) async throws(AuthFailure) -> (value: TokenGrant, isConsented: Bool) {
        var first = request
        // Whether nobody is there shows only below.
        if first.asking == .keeper { first.asking = .caller }
        do throws(AuthFailure) {
            return (try await demanded(first, from: keeper), request.consent != nil)
        } catch {
            guard error.wantsConsent, request.asking != .nobody else { throw error }
        }
        var second = request
        let answer = await consent(to: request, by: keeper)
        second.consent = answer?.consent
        second.consentWitness = answer?.witness
        return (try await demanded(second, from: keeper), true)
    }

    private func demanded(_ request: TokenRequest, from keeper: any Keeper) async throws(AuthFailure) -> TokenGrant {
        try await demanding(request.session) { () async throws(AuthFailure) in try await keeper.token(request) }
    }

    /// What those who watch and answer say; `nil` where there is nobody.
    private func consent(to request: TokenRequest, by keeper: any Keeper) async -> (
        consent: TokenRequest.Consent, witness: ConsentWitness?
    )? {
        let session = (try? await keeper.session(request.session))?.summary.name ?? request.session
        guard !answering.isEmpty else { return nil }
        nextQuestion += 1
        let question = HandOutQuestion(
            id: HandOutQuestion.ID("\(questionNames)-\(nextQuestion)"), session: session, wanted: request.wanted, terms: request.terms,
            program: request.caller ?? "a program", process: request.process, deadline: time.now + HandOutQuestion.timeLimit)
        let deadline = time.bootTime + HandOutQuestion.timeLimit
        let timer = Task { [weak self, time] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            await self?.settle(question.id, .unanswered)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                questions[question.id] = OpenQuestion(question: question, answer: answer, timer: timer)
                for id in answering { watchers[id]?.yield(.asked(question)) }
            }
        } onCancel: {
            Task { await self.settle(question.id, .unanswered) }
        }
    }

    private func settle(_ id: HandOutQuestion.ID, _ consent: TokenRequest.Consent?, from witness: ConsentWitness? = nil) {
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
