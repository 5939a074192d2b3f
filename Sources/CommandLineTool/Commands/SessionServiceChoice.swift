internal import Agent
internal import AuthModel

/// The session service that a command uses: the agent's, or one in its own process.
enum SessionServiceChoice: Sendable {
    /// The session service of a running agent.
    case agent(AgentClient, AgentStatus)
    /// A session service in this process. `because` is the reason why the agent could not be used; `nil` if none was wanted.
    case inProcess(because: AuthFailure?)
    /// The forwarded socket that the environment names does not answer. Another session service would have other sessions.
    case unreachable(AuthFailure)

    /// Chooses the session service. Asks a running agent whether it has our protocol version and home. Never throws, because the service in
    /// this process is always available.
    ///
    /// - Parameters:
    ///   - disablesAgent: whether `--no-agent` was given. `YETT_NO_AGENT` in the environment has the same effect, unless it is empty or `0`.
    ///   - starter: starts an agent if none is running; `nil` to leave it at that, so that the command works in its own process.
    ///   - report: see ``Agent/AgentClient/init(location:home:userEnvironment:startAgent:report:)``.
    static func choose(
        environment: [String: String], disablesAgent: Bool, home: AgentHome, starter: AgentStarter?,
        report: @escaping @Sendable (UserMessage) -> Void
    ) async -> SessionServiceChoice {
        let variable = environment["YETT_NO_AGENT"] ?? ""
        guard !disablesAgent, variable.isEmpty || variable == "0" else { return .inProcess(because: nil) }
        // The launcher has already waited for this agent.
        if let failure = LauncherAnswer.unresponsiveAgent(environment) { return .inProcess(because: failure) }
        let location = AgentLocation(environment: environment)
        if location.remoteSocket != nil { return await remote(AgentClient(location: location, home: home, report: report), location) }
        var startAgent: (@Sendable () async throws(AuthFailure) -> Void)?
        if let starter { startAgent = { () async throws(AuthFailure) in try await starter.start() } }
        let client = AgentClient(
            location: location, home: home, userEnvironment: SignInEnvironment(environment: environment), startAgent: startAgent,
            report: report)
        do throws(AuthFailure) {
            if let status = try await client.status() { return .agent(client, status) }
            guard let startAgent else { return .inProcess(because: nil) }
            try await startAgent()
            // An agent of another home may have started first.
            return try await client.status().map { .agent(client, $0) } ?? .inProcess(because: nil)
        } catch {
            // Do not report an agent of another home in the same runtime folder.
            return .inProcess(because: error == AgentHome.mismatch ? nil : error)
        }
    }

    private static func remote(_ client: AgentClient, _ location: AgentLocation) async -> SessionServiceChoice {
        do throws(AuthFailure) {
            if let status = try await client.status() { return .agent(client, status) }
            return .unreachable(
                AuthFailure(
                    .unavailable(retryAfter: nil), UserMessage("agent.forwarded_socket_is_dead", ["path": location.socket]),
                    hint: UserMessage("hint.connect_again_or_unset", ["variable": AgentLocation.variable])))
        } catch {
            return .unreachable(error)
        }
    }
}
