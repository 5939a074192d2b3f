public import AuthModel

/// A session service that stands for the one in the agent.
///
/// Every call is a request on a connection of its own, and every failure is the agent's, kind and words alike. What an agent that was
/// replaced meanwhile no longer knows (a sign-in attempt) fails as it would there.
public struct AgentClient: SessionService {
    let connection: AgentConnection
    /// Brings an agent back that has ended since; `nil` where none may be started.
    let revive: (@Sendable () async throws(AuthFailure) -> Void)?
    /// Where the person is, for sign-ins that do not say so themselves.
    let surroundings: SignInEnvironment?
    /// Called with a sentence for each element of an answer that could not be read and was left out.
    let report: @Sendable (String) -> Void

    /// A client for the agent of a place, whether or not there is one.
    ///
    /// - Parameters:
    ///   - revive: called when nobody serves the socket; the request is sent again once it returns.
    ///   - surroundings: where the person is; the agent cannot know, for it was started from somewhere else.
    ///   - report: called with a sentence for each session, provider, token or line of the log that could not be read and was left out.
    public init(
        place: AgentLocation, home: AgentHome, surroundings: SignInEnvironment? = nil,
        revive: (@Sendable () async throws(AuthFailure) -> Void)? = nil, report: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.report = report
        connection = AgentConnection(place: place, home: home)
        self.revive = revive
        self.surroundings = surroundings
    }

    // MARK: The agent itself

    /// What the agent says of itself; `nil` where there is none. Starts none.
    public func status() async throws(AuthFailure) -> AgentStatus? {
        do throws(AgentConnection.Failure) {
            let answer = try await answerAboutItself()
            do throws(WireFault) { return try AgentStatus(wire: answer) } catch { throw .unusable(AgentConnection.nonsense) }
        } catch {
            guard case .unusable(let failure) = error else { return nil }
            throw failure
        }
    }

    /// Asks an agent that ended while it was asked once more: another one may have come in its place.
    private func answerAboutItself() async throws(AgentConnection.Failure) -> JSONValue {
        do throws(AgentConnection.Failure) {
            return try await connection.ask(.agent)
        } catch .unusable(AgentConnection.gone) {
            return try await connection.ask(.agent)
        }
    }

    /// Ends the agent; whether there was one. Starts none.
    public func stop() async throws(AuthFailure) -> Bool {
        do throws(AgentConnection.Failure) {
            _ = try await connection.ask(.stop)
            return true
        } catch {
            guard case .unusable(let failure) = error else { return false }
            throw failure
        }
    }

    // MARK: Asking

    func result<Value>(_ body: () async throws(AuthFailure) -> Value) async -> Result<Value, AuthFailure> {
        do throws(AuthFailure) { return .success(try await body()) } catch { return .failure(error) }
    }

    func value<Value: WireValue>(_ route: Route, target: String? = nil, body: JSONValue? = nil) async throws(AuthFailure) -> Value {
        try await ask(route, target: target, body: body) { (reader) throws(WireFault) in try Value(wire: reader.document) }
    }

    func ask<Value>(
        _ route: Route, target: String? = nil, body: JSONValue? = nil, read: (WireReader) throws(WireFault) -> Value
    ) async throws(AuthFailure) -> Value {
        let answer = try await reviving(repeating: route.isRepeatable) { (connection) async throws(AgentConnection.Failure) in
            try await connection.ask(route, target: target, body: body)
        }
        do throws(WireFault) { return try read(WireReader(answer)) } catch { throw AgentConnection.nonsense }
    }

    /// Asks for a list. An element that cannot be read, such as one of a newer agent, is reported and left out.
    func list<Value: WireValue>(_ route: Route, target: String? = nil, _ name: String) async throws(AuthFailure) -> [Value] {
        let list: LenientList<Value> = try await ask(route, target: target) { (reader) throws(WireFault) in try reader.readable(name) }
        for element in list.left {
            report(
                "left out \(element.name ?? "an entry") of the agent's \(name): its '\(element.place)' cannot be read; try: yett agent stop"
            )
        }
        return list.values
    }

    /// Sends a request. Where no agent serves the socket nothing was sent, so one is started and the request is sent again; a few times,
    /// for an agent may end between its start and the request, and its socket may outlive it for a moment, during which no other agent is
    /// started.
    ///
    /// - Parameter isRepeatable: whether the request is also sent again, once, after an agent that ended before it answered.
    func reviving<Value>(
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
                    guard mayRepeat, failure == AgentConnection.gone else { throw failure }
                    mayRepeat = false
                    obstacle = failure
                }
            }
            guard let revive, starts < Self.startLimit else { throw obstacle }
            starts += 1
            try await revive()
        }
    }

    /// How often an agent is started for one request at most.
    private static let startLimit = 4

    static let absent = AuthFailure(
        .unavailable(retryAfter: nil), "there is no agent", hint: "start it with: yett agent start; or use --no-agent")
}
