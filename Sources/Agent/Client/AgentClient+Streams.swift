package import AuthModel

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

/// Splits incoming bytes into server-sent events and parses their data.
struct EventReader {
    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []
    /// How many bytes were searched for the end of a line, or moved.
    private(set) var stepCount = 0

    /// Returns the data of the events that these bytes complete. Throws if an event is too large or is not JSON.
    mutating func read(_ bytes: some Collection<UInt8>) throws(WireError) -> [JSONValue] {
        stepCount += bytes.count
        var events: [JSONValue] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[rest.index(after: end)...]
            if let event = try endLine() { events.append(event) }
        }
        line += rest
        guard line.count <= AgentProtocol.answerLimit else { throw WireError(place: "event") }
        return events
    }

    private mutating func endLine() throws(WireError) -> JSONValue? {
        defer { line.removeAll(keepingCapacity: true) }
        let data = Array("data: ".utf8)
        guard line.starts(with: data) else { return nil }
        guard let value = try? JSONValue(strict: line.dropFirst(data.count), limits: .answer) else { throw WireError(place: "event") }
        return value
    }
}

extension JSONValue.Limits {
    /// The limits for an agent's responses.
    static let answer = JSONValue.Limits(bytes: AgentProtocol.answerLimit, depth: 48, values: .max)
}
