package import AuthModel

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
            Task { await self.settle(.failure(Self.cancelled)) }
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
        settle(.success(answers))
    }

    private func settle(_ result: Result<SignInForm.Answers, AuthFailure>) {
        waiting?.resume(returning: result)
        waiting = nil
    }

    private static let cancelled = AuthFailure(.cancelled, "sign_in.cancelled")
}
