public import AuthModel

extension AgentSessionService {
    /// Starts a sign-in attempt with the current configuration.
    public func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        touch()
        let service = try await current()
        let attempt = try await service.signIn(request)
        attempts[attempt.id] = service
        let (events, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let task = Task {
            for await event in attempt.events { continuation.yield(await self.planned(event, by: service)) }
            continuation.finish()
            self.attempts[attempt.id] = nil
        }
        continuation.onTermination = { _ in task.cancel() }
        return SignInAttempt(id: attempt.id, events: events)
    }

    /// Plans the new session's renewal before the caller gets its final event.
    private func planned(_ event: SignInEvent, by service: any SessionService) async -> SignInEvent {
        guard case .finished(.success(let session)) = event else { return event }
        if let sessions = try? await service.sessions() { notice(sessions) }
        return .finished(.success(planned([session])[0]))
    }

    /// Passes pasted text to an attempt.
    public func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await service(of: attempt).paste(text, into: attempt)
    }

    /// Requests a device code for an attempt.
    public func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await service(of: attempt).requestDeviceCode(for: attempt)
    }

    /// Passes the user's answers to an attempt.
    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await service(of: attempt).answer(answers, to: attempt)
    }

    /// Returns the service that the attempt started with; the configuration may have changed since.
    private func service(of attempt: SignInAttempt.ID) async throws(AuthFailure) -> any SessionService {
        if let known = attempts[attempt] { known } else { try await current() }
    }

    /// Returns a provider's details; `nil` if its kind has none.
    public func details(of provider: ProviderName) async throws(AuthFailure) -> ProviderDetails? {
        try await current().details(of: provider)
    }

    /// Cancels an attempt.
    public func cancel(_ attempt: SignInAttempt.ID) async { await attempts[attempt]?.cancel(attempt) }
}
