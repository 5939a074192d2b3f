public import AuthModel

extension AgentClient {
    /// Returns the service's events from now on. The stream finishes when the agent ends.
    public func events() async -> AsyncStream<SessionServiceEvent> { events(target: nil) }

    /// Returns the events from now on, with consent requests that this process may answer.
    public func interactiveEvents() async -> AsyncStream<SessionServiceEvent> { events(target: Route.events.path + "?answers=true") }

    /// Returns the changes from now on, without the activity. The stream finishes when the agent ends.
    public func changes() async -> AsyncStream<SessionServiceEvent> { events(target: Route.events.path + "?activity=false") }

    private func events(target: String?) -> AsyncStream<SessionServiceEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let task = Task {
            try? await connection.watch(.events, target: target) { document in
                // Skip an event that only a newer agent knows.
                if let event = try? SessionServiceEvent(wire: document) { continuation.yield(event) }
                return true
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    /// Starts a sign-in attempt in the agent, with this process's environment. When the caller stops reading its events, the attempt is
    /// cancelled.
    public func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        var request = request
        request.userEnvironment = request.userEnvironment ?? userEnvironment
        let body = request.wire
        let (stream, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let (names, name) = AsyncStream.makeStream(of: Result<SignInAttempt.ID, AuthFailure>.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            let relay = SignInRelay(events: continuation, name: name)
            do throws(AuthFailure) {
                try await withRestart { (connection) async throws(AgentConnection.Failure) in
                    try await connection.watch(.signIn, body: body) { await relay.take($0) }
                }
                await relay.end(AgentConnection.gone)
            } catch {
                await relay.end(error)
            }
        }
        // No caller listens any more: close the connection, which cancels the attempt.
        continuation.onTermination = { _ in task.cancel() }
        for await name in names { return SignInAttempt(id: try name.get(), events: stream) }
        task.cancel()
        throw AuthFailure(.cancelled, "sign_in.cancelled")
    }

    /// Passes pasted text to an attempt.
    public func paste(_ text: Secret, into attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await ask(.paste, target: Route.paste.target(attempt: attempt.text), body: .members(("text", .string(text.reveal())))) { _ in }
    }

    /// Passes the user's answers to an attempt.
    public func answer(_ answers: SignInForm.Answers, to attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await ask(.answer, target: Route.answer.target(attempt: attempt.text), body: .members(("answers", answers.wire))) { _ in }
    }

    /// Requests a device code for an attempt.
    public func requestDeviceCode(for attempt: SignInAttempt.ID) async throws(AuthFailure) {
        try await ask(.deviceCode, target: Route.deviceCode.target(attempt: attempt.text)) { _ in }
    }

    /// Cancels an attempt. Does nothing if the agent cannot be reached.
    public func cancel(_ attempt: SignInAttempt.ID) async {
        // If the agent cannot be reached, the attempt has ended.
        try? await ask(.cancel, target: Route.cancel.target(attempt: attempt.text)) { _ in }
    }
}

extension AgentClient {
    /// Waits for the agent's answer. If the caller is cancelled, the agent closes the port.
    public func browserReturn(_ id: BrowserReturn.ID) async throws(AuthFailure) -> SignOutReceipt.Outcome {
        do throws(AuthFailure) {
            return try await value(.browserReturn, target: Route.browserReturn.target(attempt: id.text))
        } catch {
            // A separate task, because this one may be cancelled, and the port must be closed nevertheless.
            if error.kind == .cancelled { await Task { await stopWaiting(for: id) }.value }
            throw error
        }
    }

    /// Ends the wait for a browser. Does nothing if the agent cannot be reached.
    public func stopWaiting(for id: BrowserReturn.ID) async {
        try? await ask(.stopWaiting, target: Route.stopWaiting.target(attempt: id.text)) { _ in }
    }
}

/// Relays a sign-in's events: the attempt's id to the caller, the other events to the observer, and exactly one final event.
private actor SignInRelay {
    private let events: AsyncStream<SignInEvent>.Continuation
    private let name: AsyncStream<Result<SignInAttempt.ID, AuthFailure>>.Continuation
    private var isNamed = false
    private var isFinished = false

    init(
        events: AsyncStream<SignInEvent>.Continuation, name: AsyncStream<Result<SignInAttempt.ID, AuthFailure>>.Continuation
    ) {
        self.events = events
        self.name = name
    }

    /// Handles one event; returns false after the last one.
    func take(_ document: JSONValue) -> Bool {
        if !isNamed {
            isNamed = true
            guard let text = document["attempt"]?.string else {
                finishName(.failure(AgentConnection.invalidAnswer))
                return false
            }
            finishName(.success(SignInAttempt.ID(text)))
            return true
        }
        // Skip an event that only a newer agent knows.
        guard let event = try? SignInEvent(wire: document) else { return true }
        events.yield(event)
        guard event.isLast else { return true }
        isFinished = true
        events.finish()
        return false
    }

    /// Handles the end of the connection.
    func end(_ failure: AuthFailure) {
        guard isNamed else { return finishName(.failure(failure)) }
        guard !isFinished else { return }
        events.yield(.finished(.failure(failure)))
        events.finish()
    }

    private func finishName(_ result: Result<SignInAttempt.ID, AuthFailure>) {
        name.yield(result)
        name.finish()
    }
}
