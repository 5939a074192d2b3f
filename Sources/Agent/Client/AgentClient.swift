public import AuthModel

/// A session service that forwards every call to the agent.
///
/// Every call is a request of its own. Failures are the agent's, with the same kind and text. If the agent was replaced
/// meanwhile, a call about something that the new one does not know (a sign-in attempt) fails as it would there.
public struct AgentClient: SessionService {
    let connection: AgentConnection
    /// Starts an agent if the last one has ended; `nil` if none may be started.
    let startAgent: (@Sendable () async throws(AuthFailure) -> Void)?
    /// The user's surroundings, for sign-ins that do not state them.
    let surroundings: Surroundings?
    /// Called with a message for each element of a response that could not be read and was skipped.
    let report: @Sendable (UserMessage) -> Void

    /// Creates a client for the agent at a location, whether or not it is running.
    ///
    /// - Parameters:
    ///   - location: the location of the agent's socket.
    ///   - home: the store and configuration that the agent must use; `nil` for any.
    ///   - surroundings: the user's surroundings. The agent does not know them, because it may have been started elsewhere.
    ///   - startAgent: starts an agent when none serves the socket; the request is then sent again.
    ///   - report: called with a message for each session, provider, token or log line that could not be read and was skipped.
    public init(
        location: AgentLocation, home: AgentHome?, surroundings: Surroundings? = nil,
        startAgent: (@Sendable () async throws(AuthFailure) -> Void)? = nil, report: @escaping @Sendable (UserMessage) -> Void = { _ in }
    ) {
        self.report = report
        connection = AgentConnection(location: location, home: home)
        self.startAgent = startAgent
        self.surroundings = surroundings
    }

    /// Creates the client of a command that runs in the agent for another process.
    init(service: AgentService, caller: Caller) {
        report = { _ in }
        connection = AgentConnection(location: AgentLocation(environment: [:]), home: service.facts.home, inProcess: (service, caller))
        startAgent = nil
        surroundings = nil
    }

    // MARK: The agent's status

    /// Returns the agent's status; `nil` if no agent is running. Starts none.
    public func status() async throws(AuthFailure) -> AgentStatus? {
        do throws(AgentConnection.Failure) {
            let answer = try await requestStatus()
            do throws(WireError) { return try AgentStatus(wire: answer) } catch { throw .unusable(AgentConnection.invalidAnswer) }
        } catch {
            guard case .unusable(let failure) = error else { return nil }
            throw failure
        }
    }

    /// Asks for the status. If the agent ends during the request, asks once more, because another agent may have replaced it.
    private func requestStatus() async throws(AgentConnection.Failure) -> JSONValue {
        do throws(AgentConnection.Failure) {
            return try await connection.ask(.agent)
        } catch .unusable(AgentConnection.endedBeforeAnswer) {
            return try await connection.ask(.agent)
        }
    }

    /// Stops the agent. Returns whether one was running. Starts none.
    public func stop() async throws(AuthFailure) -> Bool {
        do throws(AgentConnection.Failure) {
            _ = try await connection.ask(.stop)
            return true
        } catch {
            guard case .unusable(let failure) = error else { return false }
            throw failure
        }
    }

    // MARK: Operations

    package func perform<Operation: SessionOperation>(_ operation: Operation) async throws(AuthFailure) -> Operation.Reply {
        let route = Operation.route
        let (target, body) = route.request(operation.wire)
        let answer: JSONValue
        do throws(AuthFailure) {
            answer = try await withRestart(repeating: Self.mayRepeat(operation)) {
                (connection) async throws(AgentConnection.Failure) in
                try await connection.ask(route, target: target, body: body)
            }
        } catch {
            // The wait's port must be closed; in a separate task, because this one is cancelled.
            if error.kind == .cancelled, let wait = operation as? AwaitBrowserReturn {
                await Task { await stopWaiting(for: wait.id) }.value
            }
            throw error
        }
        do throws(WireError) { return try Operation.decode(WireReader(answer), skipped: reportSkipped) } catch {
            throw AgentConnection.invalidAnswer
        }
    }

    /// Whether to send an operation again if the agent ends before it answers. A wrong PIN would count twice.
    static func mayRepeat<Operation: SessionOperation>(_ operation: Operation) -> Bool {
        Operation.route.rules.contains(.isRepeatable) && (operation as? UnlockStore)?.isPIN != true
    }

    private func reportSkipped(_ element: SkippedElement) {
        report(
            UserMessage(
                "agent.skipped_list_entry",
                [
                    "entry": element.name.map(UserMessage.verbatim) ?? "phrase.an_entry", "list": element.list, "field": element.place,
                ]))
    }

    /// Does nothing, because the agent unlocks the store itself where that needs no user.
    package func unlockIfNoPassphraseNeeded() async throws(AuthFailure) {}

    /// Sends a request. If no agent serves the socket, nothing was sent: this starts an agent and sends the request again. It tries a few
    /// times, because an agent may end between its start and the request, and its socket may remain for a moment, during which no other
    /// agent can start.
    ///
    /// - Parameter isRepeatable: whether to send the request once more if the agent ends before it answers.
    func withRestart<Value>(
        repeating isRepeatable: Bool = false, _ body: (AgentConnection) async throws(AgentConnection.Failure) -> Value
    ) async throws(AuthFailure) -> Value {
        var mayRepeat = isRepeatable
        var starts = 0
        while true {
            var obstacle = Self.absent
            do throws(AgentConnection.Failure) {
                return try await body(connection)
            } catch {
                if case .unusable(let failure) = error {
                    guard mayRepeat, failure == AgentConnection.endedBeforeAnswer else { throw failure }
                    mayRepeat = false
                    obstacle = failure
                }
            }
            guard let startAgent, starts < Self.startLimit else { throw obstacle }
            starts += 1
            try await startAgent()
        }
    }

    /// Maximum number of agent starts for one request.
    private static let startLimit = 4

    static let absent = AuthFailure(
        .unavailable(retryAfter: nil), "agent.not_running", hint: "hint.start_agent_or_no_agent")
}

extension AgentClient {
    /// Returns the service's events from now on. The stream finishes when the agent ends.
    package func events(_ selection: SessionServiceEvent.Selection) async -> AsyncStream<SessionServiceEvent> {
        let query =
            switch selection {
            case .all: ""
            case .changes: "?activity=false"
            case .interactive: "?answers=true"
            }
        let (stream, continuation) = AsyncStream.makeStream(of: SessionServiceEvent.self)
        let task = Task {
            try? await connection.watch(.events, target: OperationRoute.events.path + query) { document in
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
    package func signIn(_ request: SignInRequest) async throws(AuthFailure) -> SignInAttempt {
        var request = request
        request.surroundings = request.surroundings ?? surroundings
        let body = request.wire
        let (stream, continuation) = AsyncStream.makeStream(of: SignInEvent.self)
        let (names, name) = AsyncStream.makeStream(of: Result<SignInAttempt.ID, AuthFailure>.self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            let relay = SignInRelay(events: continuation, name: name)
            do throws(AuthFailure) {
                try await withRestart { (connection) async throws(AgentConnection.Failure) in
                    try await connection.watch(.signIn, body: body) { await relay.handle($0) }
                }
                await relay.end(AgentConnection.endedBeforeAnswer)
            } catch {
                await relay.end(error)
            }
        }
        // No caller listens any more: close the connection, which cancels the attempt.
        continuation.onTermination = { _ in task.cancel() }
        for await name in names { return SignInAttempt(id: try name.get(), events: stream) }
        task.cancel()
        throw AuthFailure.signInCancelled
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
    func handle(_ document: JSONValue) -> Bool {
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
