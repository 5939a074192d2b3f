public import AuthModel

/// A sign-in attempt as its adapter sees it: where progress goes, and where pasted answers come from.
public struct AttemptReporter: Sendable {
    private let events: AsyncStream<SignInEvent>.Continuation
    /// What the person pasted, for the adapter to judge.
    let pastes = PasteReceiver()
    /// The person's wish for a device code, for the adapter to fulfil.
    let deviceCodes = DeviceCodeRequests()
    /// The person's answers to what the adapter asked.
    let forms = FormAnswerReceiver()

    init(events: AsyncStream<SignInEvent>.Continuation) {
        self.events = events
    }

    /// Tells those who watch.
    public func report(_ event: SignInEvent) {
        events.yield(event)
    }

    /// Lets what the person pastes be judged by `desk`. Before any way in is reported: what follows from one may be pasted at once.
    func takePastes<Judge: CallbackValidator>(for desk: CallbackReceiver<Judge>) async {
        await pastes.open { (text) async throws(AuthFailure) in try await desk.validator(pasted: text) }
    }

    /// Asks the person for what must be known; where the request answers every required field, nobody is asked.
    ///
    /// - Throws: `.usage` or `.configuration` for an answer of the request that cannot be taken, `.cancelled` when the attempt is.
    func ask(_ form: SignInForm, given request: SignInRequest) async throws(AuthFailure) -> SignInForm.Answers {
        let known = request.answers.filter { answer in form.fields.contains { $0.id == answer.key } }
        if form.fields.allSatisfy({ !$0.isRequired || known[$0.id]?.isEmpty == false }), !known.isEmpty {
            if let fault = form.fault(in: known, allowsOthers: request.allowsOtherChoices) { throw fault }
            return known
        }
        return try await forms.answers(to: form) { events.yield(.asked(form)) }
    }

    /// Lets the person ask for a device code, and tells them that they may.
    func offerDeviceCode() async {
        await deviceCodes.note(.offered)
        report(.deviceCodeOffered)
    }

    /// Says that the provider gives no device code as one more way in, and why; a failure that may pass leaves the person the wish.
    func giveUpDeviceCode(_ failure: AuthFailure) async {
        // What a provider may not say is a warning also where nobody waits for it.
        report(failure.kind == .security ? .warning(failure.summary) : .deviceCodeRefused(reason: failure.summary))
        guard failure.isTransient else { return await deviceCodes.close(failure) }
        await deviceCodes.settle(.failure(failure))
        await offerDeviceCode()
    }

    /// Runs `work` as a step: begun before, completed after; a step that throws stays begun, which is how the screen knows where it broke.
    public func step<Value: Sendable>(
        _ step: SignInStep, isolation: isolated (any Actor)? = #isolation, _ work: () async throws(AuthFailure) -> Value
    ) async throws(AuthFailure) -> Value {
        events.yield(.began(step))
        let value = try await work()
        events.yield(.completed(step))
        return value
    }
}

/// Brings pasted text to the attempt that waits for it, and the attempt's answer back to the person.
///
/// While no adapter waits, a paste is refused in words; nothing is kept for later.
actor PasteReceiver {
    /// Looks at a pasted text; throws when it is not the answer the attempt waits for.
    typealias Judge = @Sendable (Secret) async throws(AuthFailure) -> Void

    private var validator: Judge?

    func open(_ validator: @escaping Judge) { self.validator = validator }

    func close() { validator = nil }

    func submit(_ text: Secret) async throws(AuthFailure) {
        guard let validator else {
            throw AuthFailure(.usage, "this sign-in does not wait for anything to be pasted", hint: "paste while it waits for your browser")
        }
        try await validator(text)
    }
}
