public import AuthModel

/// A sign-in attempt from its adapter's side: reports progress and receives the user's input.
public struct AttemptReporter: Sendable {
    private let events: AsyncStream<SignInEvent>.Continuation
    /// Receives what the user pastes, for the adapter to validate.
    package let pastes = PasteReceiver()
    /// Receives the user's requests for a device code, for the adapter to fulfil.
    package let deviceCodes = DeviceCodeRequests()
    /// Receives the user's answers to the adapter's form.
    package let forms = FormAnswerReceiver()

    package init(events: AsyncStream<SignInEvent>.Continuation) {
        self.events = events
    }

    /// Sends an event to the observers of the attempt.
    public func report(_ event: SignInEvent) {
        events.yield(event)
    }

    /// Lets `receiver` validate what the user pastes. Call it before a sign-in method is reported, because its result may be pasted at
    /// once.
    package func acceptPastes<Validator: CallbackValidator>(for receiver: CallbackReceiver<Validator>) async {
        await pastes.open { (text) async throws(AuthFailure) in try await receiver.validate(pasted: text) }
    }

    /// Asks the user for the form's answers. If the request answers every required field, the user is not asked.
    ///
    /// - Throws: `.usage` or `.configuration` for an invalid answer in the request, `.cancelled` if the attempt is cancelled.
    package func ask(_ form: SignInForm, given request: SignInRequest) async throws(AuthFailure) -> SignInForm.Answers {
        let known = request.answers.filter { answer in form.fields.contains { $0.id == answer.key } }
        if form.fields.allSatisfy({ !$0.isRequired || known[$0.id]?.isEmpty == false }), !known.isEmpty {
            if let fault = form.fault(in: known, allowsOthers: request.allowsOtherChoices) { throw fault }
            return known
        }
        return try await forms.answers(to: form) { events.yield(.asked(form)) }
    }

    /// Allows the user to request a device code, and reports that.
    package func offerDeviceCode() async {
        await deviceCodes.setOffer(.offered)
        report(.deviceCodeOffered)
    }

    /// Reports why the provider gives no device code. After a transient failure the user may request one again.
    package func reportDeviceCodeFailure(_ failure: AuthFailure) async {
        // Report a security failure as a warning, even if the user has not requested a code.
        report(failure.kind == .security ? .warning(failure.message) : .deviceCodeRefused(reason: failure.message))
        guard failure.isTransient else { return await deviceCodes.close(failure) }
        await deviceCodes.finish(.failure(failure))
        await offerDeviceCode()
    }

    /// Runs `work` as a step: reports its begin and its completion. A step that throws is not reported as completed, so the screen knows
    /// where the attempt failed.
    public func step<Value: Sendable>(
        _ step: SignInStep, isolation: isolated (any Actor)? = #isolation, _ work: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        events.yield(.began(step))
        let value = try await work()
        events.yield(.completed(step))
        return value
    }
}

/// Passes pasted text to the waiting attempt, and the attempt's reply to the user.
///
/// While no adapter waits, a paste is refused with a message. Text is not kept for later.
package actor PasteReceiver {
    /// Validates pasted text. Throws if it is not the response that the attempt waits for.
    package typealias Validator = @Sendable (Secret) async throws(AuthFailure) -> Void

    private var validator: Validator?

    package func open(_ validator: @escaping Validator) { self.validator = validator }

    package func close() { validator = nil }

    package func submit(_ text: Secret) async throws(AuthFailure) {
        guard let validator else {
            throw AuthFailure(
                .usage, "sign_in.no_pasted_address_now", hint: "hint.paste_while_waiting")
        }
        try await validator(text)
    }
}

/// Passes the user's valid answers to the attempt that asked for them.
package actor FormAnswerReceiver {
    private var form: SignInForm?
    private var waiting: CheckedContinuation<Result<SignInForm.Answers, AuthFailure>, Never>?

    /// Waits for answers. Calls `ask` once answers can be submitted.
    package func answers(to form: SignInForm, ask: @Sendable () -> Void) async throws(AuthFailure) -> SignInForm.Answers {
        self.form = form
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<SignInForm.Answers, AuthFailure>, Never>) in
                if Task.isCancelled {
                    continuation.resume(returning: .failure(Self.cancelled))
                } else {
                    waiting = continuation
                    ask()
                }
            }
        } onCancel: {
            Task { await self.finish(.failure(Self.cancelled)) }
        }
        self.form = nil
        return try outcome.get()
    }

    /// Submits answers. If they do not fit the form, throws and keeps waiting.
    package func submit(_ answers: SignInForm.Answers) throws(AuthFailure) {
        guard let form, waiting != nil else {
            throw AuthFailure(.usage, "sign_in.no_question_now", hint: "hint.wait_for_question")
        }
        if let fault = form.fault(in: answers) { throw fault }
        finish(.success(answers))
    }

    private func finish(_ result: Result<SignInForm.Answers, AuthFailure>) {
        waiting?.resume(returning: result)
        waiting = nil
    }

    private static let cancelled = AuthFailure(.cancelled, "sign_in.cancelled")
}
