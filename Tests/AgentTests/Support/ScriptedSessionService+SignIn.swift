import AuthModel

/// Sign-ins, which the test ends with ``report(_:)``.
extension ScriptedSessionService {
    func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        requests.append(request)
        let (stream, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        attempt = continuation
        continuation.onTermination = { [weak self] _ in Task { await self?.attemptEnded() } }
        settle()
        return SignInAttempt(id: SignInAttempt.ID("attempt-1"), events: stream)
    }

    private func attemptEnded() {
        endedAttempts += 1
        attempt = nil
        settle()
    }

    func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        self.answers.append(answers)
    }

    func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        pasted.append(text)
        settle()
    }

    func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        codesAskedFor.append(attempt)
        defer { settle() }
        if let deviceCodeFailure { throw deviceCodeFailure }
    }

    func cancel(_ attempt: SignInAttempt.ID) async {
        cancelled.append(attempt)
        report(.finished(.failure(AuthFailure(.cancelled, "sign_in.cancelled"))))
        settle()
    }
}
