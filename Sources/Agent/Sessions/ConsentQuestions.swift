internal import AuthModel

/// Asks the user whether a program gets a token, through the observers that can answer.
actor ConsentQuestions {
    /// An answer, with the process that passed it on.
    typealias Answer = (consent: TokenRequest.Consent, witness: ConsentConfirmation?)

    /// A question that waits for its answer.
    private struct Pending {
        var question: TokenConsentRequest
        /// Resumed with the answer; with `nil` if no observer can answer any more.
        var answer: CheckedContinuation<Answer?, Never>
        /// Ends it at its deadline.
        var timer: Task<Void, Never>
    }

    private let observers: EventObservers
    private let time: any TimeSource
    private let prefix: String
    /// The observers that answer.
    private var answering: [Int: EventObservers.Continuation] = [:]
    private var questions: [TokenConsentRequest.ID: Pending] = [:]
    private var count = 0

    /// Creates the questions of one agent.
    ///
    /// - Parameters:
    ///   - observers: get the end of each question.
    ///   - prefix: the first part of the questions' identifiers. A late answer must not match a question of a later agent.
    init(observers: EventObservers, time: any TimeSource, prefix: String) {
        self.observers = observers
        self.time = time
        self.prefix = prefix
    }

    /// Whether an observer can answer.
    var canAsk: Bool { !answering.isEmpty }

    /// Adds an observer that answers, and sends it the open questions.
    func join(_ id: Int, _ observer: EventObservers.Continuation) {
        answering[id] = observer
        for open in questions.values { observer.yield(.asked(open.question)) }
    }

    /// Removes an observer. Ends all questions if no observer can answer.
    func leave(_ id: Int) {
        answering[id] = nil
        if !canAsk { endAll() }
    }

    /// Answers an open question. Throws if it is no longer open.
    func answer(_ id: TokenConsentRequest.ID, allows: Bool, from witness: ConsentConfirmation?) throws(AuthFailure) {
        guard questions[id] != nil else { throw TokenConsentRequest.isOver }
        settle(id, allows ? .given : .refused, from: witness)
    }

    /// Asks for the user's consent and returns the answer; `nil` if no observer can answer.
    func consent(to request: TokenRequest, by service: any SessionService) async -> Answer? {
        let session = (try? await service.session(request.session))?.summary.name ?? request.session
        guard canAsk else { return nil }
        count += 1
        let question = TokenConsentRequest(
            id: TokenConsentRequest.ID("\(prefix)-\(count)"), session: session, wanted: request.wanted, restrictions: request.restrictions,
            program: request.caller ?? "phrase.a_program", process: request.process, destination: request.recordedDestination,
            deadline: time.now + TokenConsentRequest.timeLimit)
        let deadline = time.bootTime + TokenConsentRequest.timeLimit
        let timer = Task { [weak self, time] in
            guard (try? await time.sleep(until: deadline)) != nil else { return }
            await self?.settle(question.id, .unanswered)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { answer in
                questions[question.id] = Pending(question: question, answer: answer, timer: timer)
                for observer in answering.values { observer.yield(.asked(question)) }
            }
        } onCancel: {
            Task { await self.settle(question.id, .unanswered) }
        }
    }

    /// Ends all questions, because no observer can answer.
    func endAll() {
        for id in questions.keys { settle(id, nil) }
    }

    private func settle(_ id: TokenConsentRequest.ID, _ consent: TokenRequest.Consent?, from witness: ConsentConfirmation? = nil) {
        guard let open = questions.removeValue(forKey: id) else { return }
        open.timer.cancel()
        open.answer.resume(returning: consent.map { ($0, witness) })
        observers.announce(.settled(id))
    }
}
