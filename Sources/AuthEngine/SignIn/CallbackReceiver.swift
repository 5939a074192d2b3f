internal import AuthModel
internal import OAuth

/// Says which answers of a browser are this attempt's, and what they bring.
protocol CallbackValidator: Sendable {
    /// What an answer brings.
    associatedtype Answer: Sendable

    /// Judges the raw query of a callback.
    func validator(_ query: String) -> CallbackOutcome<Answer>

    /// Reads what the person pasted.
    ///
    /// Throws what is wrong with text that cannot be an answer at all.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<Answer>

    /// What the person is told when what they pasted is not this attempt's answer.
    var strangePaste: AuthFailure { get }

    /// What the person is told when the time is over, and nothing came but what was refused.
    ///
    /// - Parameter answers: how many answers that were: "3 answers were".
    func timedOut(after answers: String) -> AuthFailure
}

/// What an answer comes to.
enum CallbackOutcome<Answer: Sendable>: Sendable {
    case accepted(Answer)
    /// This attempt's answer, which says no.
    case denied(AuthFailure)
    /// This attempt's answer, and not to be trusted.
    case refused(AuthFailure)
    /// Not this attempt's.
    case ignored(reason: String)
}

/// What was pasted.
enum Pasted<Answer: Sendable>: Sendable {
    /// The answer itself.
    case answer(Answer)
    /// A query, to be judged as the browser's would be.
    case query(String)
}

/// Takes the answers to one attempt, from the listener and from pasting, and settles on the first that counts.
///
/// An answer that is not this attempt's changes nothing (RFC 8252 section 8.9): nobody but the provider can end the attempt.
actor CallbackReceiver<Judge: CallbackValidator> {
    typealias Outcome = Result<Judge.Answer, AuthFailure>

    private let validator: Judge
    private let report: @Sendable (SignInEvent) -> Void
    private var outcome: Outcome?
    private var waiting: CheckedContinuation<Outcome, Never>?
    /// How many answers were not ours.
    private var ignoredCount = 0

    init(_ validator: Judge, report: @escaping @Sendable (SignInEvent) -> Void) {
        self.validator = validator
        self.report = report
    }

    /// Judges the raw query of a callback.
    func validator(_ query: String) -> CallbackDecision {
        guard outcome == nil else { return .ignored }
        switch validator.validator(query) {
        case .accepted(let answer):
            settle(.success(answer))
            return .accepted
        case .denied(let failure):
            settle(.failure(failure))
            return .denied
        case .refused(let failure):
            settle(.failure(failure))
            return .refused
        case .ignored(let reason):
            return ignore(reason)
        }
    }

    /// Another user of this machine sent an answer.
    func noteStranger() { _ = ignore(LoopbackListener.strangersReason) }

    private func ignore(_ reason: String) -> CallbackDecision {
        ignoredCount += 1
        // Whoever sends them by the thousand fills no terminal.
        if ignoredCount <= LoopbackListener.reportLimit { report(.ignoredCallback(reason: reason)) }
        return .ignored
    }

    /// Judges what the person pasted.
    ///
    /// Throws, and changes nothing, when it is not this attempt's answer.
    func validator(pasted text: Secret) throws(AuthFailure) {
        let pasted = try validator.read(pasted: text.reveal().filter { !$0.isWhitespace })
        guard outcome == nil else { return }
        switch pasted {
        case .answer(let answer): settle(.success(answer))
        case .query(let query): if validator(query) == .ignored { throw validator.strangePaste }
        }
    }

    /// The answer that counts. Never returns while there is none; a cancelled task gets a failure.
    func answer() async -> Outcome {
        if let outcome { return outcome }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { await self.settle(.failure(AuthFailure(.cancelled, "the sign-in was cancelled"))) }
        }
    }

    /// What the deadline means: nobody came, or only answers that were not this attempt's, which somebody may have forged.
    func timedOut() -> AuthFailure {
        guard ignoredCount > 0 else {
            return AuthFailure(
                .timedOut, "nobody came back from the browser in time", hint: "sign in again, or give it longer with --timeout SECONDS")
        }
        let answers = ignoredCount == 1 ? "one answer was" : "\(ignoredCount) answers were"
        var failure = validator.timedOut(after: answers)
        failure.rejectedCallbacks = ignoredCount
        return failure
    }

    private func settle(_ result: Outcome) {
        guard outcome == nil else { return }
        outcome = result
        waiting?.resume(returning: result)
        waiting = nil
    }
}

extension CallbackReceiver {
    /// The first of: an answer that counts, at the port or pasted, and trouble with the port.
    ///
    /// - Parameter watch: runs beside it, and is cancelled with it.
    func answer(
        at listener: LoopbackListener, beside watch: @escaping @Sendable () async -> Void = {}
    ) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.answer() }
            group.addTask {
                await watch()
                return nil
            }
            group.addTask {
                do throws(AuthFailure) {
                    try await listener.serve { await self.validator($0) }
                    return nil
                } catch {
                    return .failure(error)
                }
            }
            var outcome: Outcome?
            while outcome == nil, let next = await group.next() { outcome = next }
            group.cancelAll()
            return outcome ?? .failure(AuthFailure(.cancelled, "the sign-in was cancelled"))
        }
    }
}

extension AuthFailure {
    /// What was pasted is an address, and not the one that is awaited.
    static func pastedElsewhere(than redirectURI: String) -> AuthFailure {
        AuthFailure(
            .usage, "the pasted URL is not this sign-in's redirect",
            hint: "copy the whole address that begins with \(redirectURI) from the browser")
    }
}
