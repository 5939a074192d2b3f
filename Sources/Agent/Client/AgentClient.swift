public import AuthModel

/// A keeper that stands for the one in the agent.
///
/// Every call is a request on a connection of its own, and every failure is the agent's, kind and words alike. What an agent that was replaced
/// meanwhile no longer knows (a sign-in attempt) fails as it would there.
public struct AgentClient: Keeper {
    let connection: AgentConnection
    /// Brings an agent back that has ended since; `nil` where none may be started.
    let revive: (@Sendable () async throws(AuthFailure) -> Void)?
    /// Where the person is, for sign-ins that do not say so themselves.
    let surroundings: SessionSurroundings?

    /// A client for the agent of a place, whether or not there is one.
    ///
    /// - Parameters:
    ///   - revive: called when nobody serves the socket; the request is sent again once it returns.
    ///   - surroundings: where the person is; the agent cannot know, for it was started from somewhere else.
    public init(
        place: AgentPlace, home: AgentHome, surroundings: SessionSurroundings? = nil,
        revive: (@Sendable () async throws(AuthFailure) -> Void)? = nil
    ) {
        connection = AgentConnection(place: place, home: home)
        self.revive = revive
        self.surroundings = surroundings
    }

    // MARK: The agent itself

    /// What the agent says of itself; `nil` where there is none. Starts none.
    public func status() async throws(AuthFailure) -> AgentStatus? {
        do throws(AgentConnection.Failure) {
            let answer = try await connection.ask(.agent)
            do throws(WireFault) { return try AgentStatus(wire: answer) } catch { throw .unusable(AgentConnection.nonsense) }
        } catch {
            guard case .unusable(let failure) = error else { return nil }
            throw failure
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
        let answer = try await reviving { (connection) async throws(AgentConnection.Failure) in
            try await connection.ask(route, target: target, body: body)
        }
        do throws(WireFault) { return try read(WireReader(answer)) } catch { throw AgentConnection.nonsense }
    }

    /// Sends a request; where nobody serves the socket nothing was sent, so it is sent again to an agent that was started for it.
    func reviving<Value>(
        _ body: (AgentConnection) async throws(AgentConnection.Failure) -> Value
    ) async throws(AuthFailure) -> Value {
        do throws(AgentConnection.Failure) {
            return try await body(connection)
        } catch {
            if case .unusable(let failure) = error { throw failure }
        }
        guard let revive else { throw Self.absent }
        try await revive()
        do throws(AgentConnection.Failure) {
            return try await body(connection)
        } catch {
            guard case .unusable(let failure) = error else { throw Self.absent }
            throw failure
        }
    }

    private static let absent = AuthFailure(
        .unavailable(retryAfter: nil), "there is no agent", hint: "start it with: yett agent start; or use --no-agent")
}
