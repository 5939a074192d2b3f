public import AuthModel
import Synchronization

/// A sign-in attempt from its adapter's side: reports progress and receives the user's input.
public struct AttemptChannel: Sendable {
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
                    continuation.resume(returning: .failure(.signInCancelled))
                } else {
                    waiting = continuation
                    ask()
                }
            }
        } onCancel: {
            Task { await self.finish(.failure(.signInCancelled)) }
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
}

/// Passes the user's request for a device code to the attempt in progress, and the attempt's reply to the user.
///
/// | from | by | to |
/// |---|---|---|
/// | closed | `setOffer(_:)`: a code is requested automatically, or is available | asked, offered, open |
/// | offered | `request()` | asked |
/// | asked | `finish(_:)`: the code is shown, or there is none | open, offered |
/// | open | `setOffer(.offered)`: the code has expired | offered |
/// | any | `close(_:)` | closed |
package actor DeviceCodeRequests {
    /// One element for each code to request. Finishes when this actor is deallocated.
    package nonisolated let requests: AsyncStream<Void>
    private let requestContinuation: AsyncStream<Void>.Continuation
    private var state: State
    private var waiting: [CheckedContinuation<Result<Void, AuthFailure>, Never>] = []

    private enum State {
        case closed(AuthFailure)
        case waiting(Offer)
    }

    /// The state of the device code for the user.
    package enum Offer {
        /// The user may request one.
        case offered
        /// One is requested.
        case requested
        /// One is shown.
        case open
    }

    package init() {
        (requests, requestContinuation) = AsyncStream.makeStream(of: Void.self)
        state = .closed(
            AuthFailure(
                .usage, "sign_in.not_waiting_now", hint: "hint.request_device_code_while_waiting"))
    }

    /// Sets the current state.
    package func setOffer(_ offer: Offer) { state = .waiting(offer) }

    /// Refuses requests from now on. Waiting and later callers get `reason`.
    package func close(_ reason: AuthFailure) {
        state = .closed(reason)
        answer(.failure(reason))
    }

    /// Completes the request.
    package func finish(_ outcome: Result<Void, AuthFailure>) {
        guard case .waiting(.requested) = state else { return }
        state = if case .success = outcome { .waiting(.open) } else { .waiting(.offered) }
        answer(outcome)
    }

    /// Requests a code and returns once it is shown. Requests no second one if a code is shown or requested.
    package func request() async throws(AuthFailure) {
        switch state {
        case .closed(let reason): throw reason
        case .waiting(.open): return
        case .waiting(.offered):
            state = .waiting(.requested)
            requestContinuation.yield()
        case .waiting(.requested): break
        }
        // There is no suspension in between, so the reply cannot arrive before this waits for it.
        try await withCheckedContinuation { waiting.append($0) }.get()
    }

    private func answer(_ outcome: Result<Void, AuthFailure>) {
        let answered = waiting
        waiting = []
        for continuation in answered { continuation.resume(returning: outcome) }
    }
}

/// Creates identifiers for operations that wait for the user, unique in this process. They are not secret: the state parameter and the port
/// protect an attempt.
package enum AttemptIdentifiers {
    package enum Kind: String {
        case signIn = "attempt"
        case signOut = "return"
    }

    private static let count = Atomic<Int>(0)

    package static func next(_ kind: Kind = .signIn) -> String {
        "\(kind.rawValue)-\(count.wrappingAdd(1, ordering: .relaxed).newValue)"
    }
}
