internal import AuthModel

/// Asks the user whether a program gets a token, through the observers that can answer.
///
/// At most one question of a program about a session is open. All other requests wait. After a consent, the next one is asked about; any
/// other answer is given to all of them. After a refusal, the user is not asked again for ``TokenConsentRequest/mutedTime(isForwarded:)``.
actor ConsentQuestions {
    /// An answer, with the process that passed it on.
    typealias Answer = (consent: TokenRequest.Consent, witness: RequestingProcess?)

    /// A question that waits for its answer.
    private struct Pending {
        var question: TokenConsentRequest
        /// Resumed with the answer; with `nil` if no observer can answer any more.
        var answer: CheckedContinuation<Answer?, Never>
        /// Ends it at its deadline.
        var timer: Task<Void, Never>
    }

    /// A program and the session whose token it wants.
    private struct Subject: Hashable {
        var program: String
        var session: SessionName
        var isForwarded: Bool
    }

    /// The next step of a request that waited for an open question.
    private enum Turn {
        case ask
        case answered(Answer?)
    }

    private struct Waiter {
        var number: Int
        var turn: CheckedContinuation<Turn, Never>
    }

    private let observers: EventObservers
    private let time: any TimeSource
    private let prefix: String
    /// The observers that answer.
    private var answering: [Int: EventObservers.Continuation] = [:]
    private var questions: [TokenConsentRequest.ID: Pending] = [:]
    private var count = 0
    /// The requests that wait for the open question about their subject.
    private var waiting: [Subject: [Waiter]] = [:]
    /// When the user may be asked again, on the boot clock.
    private var muted: [Subject: Duration] = [:]

    /// Maximum number of requests that wait for one question, and of refusals that are remembered.
    static let limit = (waiting: 16, muted: 256)

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
    func answer(_ id: TokenConsentRequest.ID, allows: Bool, from witness: RequestingProcess?) throws(AuthFailure) {
        guard questions[id] != nil else { throw TokenConsentRequest.isOver }
        settle(id, allows ? .given : .refused, from: witness)
    }

    /// Asks for the user's consent and returns the answer; `nil` if no observer can answer. Throws if the user refused a short while ago.
    func consent(to request: TokenRequest, by service: any SessionService) async throws(AuthFailure) -> Answer? {
        let session = (try? await service.session(request.session))?.summary.name ?? request.session
        let subject = Subject(
            program: request.caller.map { $0.programPath ?? $0.description } ?? "", session: session, isForwarded: request.isForwarded)
        guard canAsk else { return nil }
        if let end = muted[subject], time.bootTime < end { throw .tokenRefusedBefore(session, pause: end - time.bootTime) }
        if case .answered(let answer) = await turn(of: subject) { return answer }
        count += 1
        let question = TokenConsentRequest(
            id: TokenConsentRequest.ID("\(prefix)-\(count)"), session: session, wanted: request.wanted, restrictions: request.restrictions,
            program: request.caller ?? "phrase.a_program", process: request.process, destination: request.recordedDestination,
            subject: request.subject, deadline: time.now + TokenConsentRequest.timeLimit)
        let answer = await answer(to: question)
        // A program that does not wait any longer decides nothing for the others.
        pass(answer, on: subject, asksNext: answer?.consent == .given || Task.isCancelled)
        return answer
    }

    /// Asks a question, and waits for its answer.
    private func answer(to question: TokenConsentRequest) async -> Answer? {
        guard canAsk else { return nil }
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

    /// Waits while a question about the subject is open. ``pass(_:on:asksNext:)`` must follow an `ask`.
    private func turn(of subject: Subject) async -> Turn {
        guard let others = waiting[subject] else {
            waiting[subject] = []
            return .ask
        }
        guard others.count < Self.limit.waiting else { return .answered(nil) }
        count += 1
        let number = count
        return await withTaskCancellationHandler {
            await withCheckedContinuation { turn in waiting[subject]?.append(Waiter(number: number, turn: turn)) }
        } onCancel: {
            Task { await self.leave(subject, number) }
        }
    }

    private func leave(_ subject: Subject, _ number: Int) {
        guard let index = waiting[subject]?.firstIndex(where: { $0.number == number }) else { return }
        waiting[subject]?.remove(at: index).turn.resume(returning: .answered((.unanswered, nil)))
    }

    /// Lets the next request about the subject ask, or gives all requests that wait the answer.
    private func pass(_ answer: Answer?, on subject: Subject, asksNext: Bool) {
        guard !asksNext else {
            guard waiting[subject]?.isEmpty == false, let next = waiting[subject]?.removeFirst() else {
                waiting[subject] = nil
                return
            }
            return next.turn.resume(returning: .ask)
        }
        if answer?.consent == .refused {
            if muted.count >= Self.limit.muted { muted = muted.filter { time.bootTime < $0.value } }
            if muted.count < Self.limit.muted {
                muted[subject] = time.bootTime + TokenConsentRequest.mutedTime(isForwarded: subject.isForwarded)
            }
        }
        for other in waiting.removeValue(forKey: subject) ?? [] { other.turn.resume(returning: .answered(answer)) }
    }

    /// Ends all questions, because no observer can answer.
    func endAll() {
        for id in questions.keys { settle(id, nil) }
    }

    private func settle(_ id: TokenConsentRequest.ID, _ consent: TokenRequest.Consent?, from witness: RequestingProcess? = nil) {
        guard let open = questions.removeValue(forKey: id) else { return }
        open.timer.cancel()
        open.answer.resume(returning: consent.map { ($0, witness) })
        observers.announce(.settled(id))
    }
}
