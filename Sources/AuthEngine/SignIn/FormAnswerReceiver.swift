internal import AuthModel

/// Brings the person's answers to the attempt that asked for them, once they can be taken.
actor FormAnswerReceiver {
    private var form: SignInForm?
    private var waiting: CheckedContinuation<Result<SignInForm.Answers, AuthFailure>, Never>?

    /// Waits for answers. `ask` tells those who watch that they are wanted, when they can already be given.
    func answers(to form: SignInForm, ask: @Sendable () -> Void) async throws(AuthFailure) -> SignInForm.Answers {
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
            Task { await self.settle(.failure(Self.cancelled)) }
        }
        self.form = nil
        return try outcome.get()
    }

    /// Hands answers over. Throws, and waits on, where they do not fit the form.
    func submit(_ answers: SignInForm.Answers) throws(AuthFailure) {
        guard let form, waiting != nil else {
            throw AuthFailure(.usage, "this sign-in does not ask anything now", hint: "wait for its question")
        }
        if let fault = form.fault(in: answers) { throw fault }
        settle(.success(answers))
    }

    private func settle(_ result: Result<SignInForm.Answers, AuthFailure>) {
        waiting?.resume(returning: result)
        waiting = nil
    }

    private static let cancelled = AuthFailure(.cancelled, "the sign-in was cancelled")
}
