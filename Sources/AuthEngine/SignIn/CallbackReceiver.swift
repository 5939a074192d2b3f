package import AuthModel
internal import OAuth

/// Decides which callbacks belong to an attempt, and what they contain.
package protocol CallbackValidator: Sendable {
    /// The value of an accepted callback.
    associatedtype Answer: Sendable

    /// Validates the raw query of a callback.
    func validate(_ query: String) -> CallbackOutcome<Answer>

    /// Reads what the user pasted.
    ///
    /// - Throws: what is wrong with text that cannot be a response.
    func read(pasted text: String) throws(AuthFailure) -> Pasted<Answer>

    /// The failure for pasted text that is not this attempt's response.
    var unexpectedPaste: AuthFailure { get }

    /// The next step for the user if the browser does not return in time.
    var timeoutHint: UserMessage { get }

    /// Returns the failure for a deadline that passed with only ignored callbacks.
    ///
    /// - Parameter answers: the number of those callbacks as words: "3 responses were".
    func timedOut(after answers: UserMessage) -> AuthFailure
}

extension CallbackValidator {
    /// Default: sign in again, with more time.
    package var timeoutHint: UserMessage { "hint.sign_in_again_with_timeout" }
}

/// The result of validating a callback.
package enum CallbackOutcome<Answer: Sendable>: Sendable {
    case accepted(Answer)
    /// This attempt's response, which denies the sign-in.
    case denied(AuthFailure)
    /// This attempt's response, but it must not be trusted.
    case refused(AuthFailure)
    /// A callback that is incomplete or does not belong to this attempt.
    case ignored(reason: UserMessage)
}

/// Pasted text.
package enum Pasted<Answer: Sendable>: Sendable {
    /// The response itself.
    case answer(Answer)
    /// A query, to be validated like the browser's callback.
    case query(String)
}

/// Receives the callbacks of one attempt, from the listener and from pasting, until the first valid one.
///
/// A callback that is incomplete or does not belong to this attempt changes nothing (RFC 8252 section 8.9): only the provider can end the
/// attempt.
package actor CallbackReceiver<Validator: CallbackValidator> {
    package typealias Outcome = Result<Validator.Answer, AuthFailure>

    private let validator: Validator
    private let report: @Sendable (SignInEvent) -> Void
    private var outcome: Outcome?
    private var waiting: CheckedContinuation<Outcome, Never>?
    /// The number of callbacks that did not belong to this attempt.
    private var ignoredCount = 0

    package init(_ validator: Validator, report: @escaping @Sendable (SignInEvent) -> Void) {
        self.validator = validator
        self.report = report
    }

    /// Validates the raw query of a callback.
    package func validate(_ query: String) -> CallbackDecision {
        guard outcome == nil else { return .ignored }
        switch validator.validate(query) {
        case .accepted(let answer):
            finish(.success(answer))
            return .accepted
        case .denied(let failure):
            finish(.failure(failure))
            return .denied
        case .refused(let failure):
            finish(.failure(failure))
            return .refused
        case .ignored(let reason):
            return ignore(reason)
        }
    }

    /// Records a callback that another user of this machine sent.
    package func recordForeignCallback() { _ = ignore(LoopbackListener.foreignCallbackReason) }

    private func ignore(_ reason: UserMessage) -> CallbackDecision {
        ignoredCount += 1
        // Limit the reports, so that a flood of callbacks does not fill the terminal.
        if ignoredCount <= LoopbackListener.reportLimit { report(.ignoredCallback(reason: reason)) }
        return .ignored
    }

    /// Validates what the user pasted.
    ///
    /// Throws, and changes nothing, if it is not this attempt's response.
    package func validate(pasted text: Secret) throws(AuthFailure) {
        let pasted = try validator.read(pasted: text.reveal().filter { !$0.isWhitespace })
        guard outcome == nil else { return }
        switch pasted {
        case .answer(let answer): finish(.success(answer))
        case .query(let query): if validate(query) == .ignored { throw validator.unexpectedPaste }
        }
    }

    /// Returns the outcome, and waits until there is one. A cancelled task gets a failure.
    package func finalOutcome() async -> Outcome {
        if let outcome { return outcome }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { waiting = $0 }
        } onCancel: {
            Task { await self.finish(.failure(.signInCancelled)) }
        }
    }

    /// Returns the failure for a passed deadline: no callback arrived, or only callbacks that do not belong to this attempt and may be
    /// forged.
    package func timedOut() -> AuthFailure {
        guard ignoredCount > 0 else {
            return AuthFailure(.timedOut, "browser.did_not_return_in_time", hint: validator.timeoutHint)
        }
        let answers =
            ignoredCount == 1 ? UserMessage("phrase.one_response_was") : UserMessage("phrase.responses_were", ["count": ignoredCount])
        var failure = validator.timedOut(after: answers)
        failure.ignoredCallbackCount = ignoredCount
        return failure
    }

    private func finish(_ result: Outcome) {
        guard outcome == nil else { return }
        outcome = result
        waiting?.resume(returning: result)
        waiting = nil
    }

    /// Returns the first of: a valid response, at the port or pasted, or a failure of the port.
    ///
    /// - Parameter watch: runs at the same time, and is cancelled with it.
    package func answer(
        at listener: LoopbackListener, beside watch: @escaping @Sendable () async -> Void = {}
    ) async -> Outcome {
        await withTaskGroup(of: Outcome?.self) { group in
            group.addTask { await self.finalOutcome() }
            group.addTask {
                await watch()
                return nil
            }
            group.addTask {
                do throws(AuthFailure) {
                    try await listener.serve { await self.validate($0) }
                    return nil
                } catch {
                    return .failure(error)
                }
            }
            var outcome: Outcome?
            while outcome == nil, let next = await group.next() { outcome = next }
            group.cancelAll()
            return outcome ?? .failure(.signInCancelled)
        }
    }
}

extension AuthFailure {
    /// Returns the failure for pasted text that is neither an address with a query nor a query.
    package static func pastedNoAddress(insteadOf redirectURI: String) -> AuthFailure {
        AuthFailure(.usage, "callback.pasted_no_address", hint: UserMessage("hint.copy_whole_address", ["url": redirectURI]))
    }

    /// Returns the failure for pasted text that is a URL, but not the awaited redirect URI.
    package static func pastedWrongURL(than redirectURI: String) -> AuthFailure {
        AuthFailure(
            .usage, "callback.pasted_url_mismatch",
            hint: UserMessage("hint.copy_whole_address", ["url": redirectURI]))
    }
}
