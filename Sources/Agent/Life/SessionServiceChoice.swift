public import AuthModel

/// Which session service a command works with: the agent's, or one in its own process.
public enum SessionServiceChoice: Sendable {
    case agent(AgentClient, AgentStatus)
    /// In this process. `because`: why the agent could not be used, where that is not what was asked for.
    case inProcess(because: AuthFailure?)

    /// What is done where no agent runs.
    public enum Absence: Sendable {
        /// One is started.
        case start(AgentStarter)
        /// The work is done in this process, as for what needs neither keys nor network.
        case leave
    }

    /// Chooses. Asks the agent, where there is one, whether it speaks our protocol and keeps our home; never throws, for there is always
    /// the other way.
    ///
    /// - Parameter forbidsAgent: `--no-agent` was given. `YETT_NO_AGENT` in the environment counts as well, unless it is empty or `0`.
    /// - Parameter report: see ``AgentClient/init(place:home:surroundings:revive:report:)``.
    public static func choose(
        environment: [String: String], forbidsAgent: Bool, home: AgentHome, absence: Absence,
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> SessionServiceChoice {
        let variable = environment["YETT_NO_AGENT"] ?? ""
        guard !forbidsAgent, variable.isEmpty || variable == "0" else { return .inProcess(because: nil) }
        // The launcher has waited for it already.
        if let process = LauncherAnswer.silentAgent(environment) { return .inProcess(because: AgentConnection.late(process)) }
        let place = AgentLocation(environment: environment)
        var revive: (@Sendable () async throws(AuthFailure) -> Void)?
        if case .start(let starter) = absence { revive = { () async throws(AuthFailure) in try await starter.start() } }
        let client = AgentClient(
            place: place, home: home, surroundings: SignInEnvironment(environment: environment), revive: revive, report: report)
        do throws(AuthFailure) {
            if let status = try await client.status() { return .agent(client, status) }
            guard let revive else { return .inProcess(because: nil) }
            try await revive()
            // An agent of another home may have been faster.
            return try await client.status().map { .agent(client, $0) } ?? .inProcess(because: nil)
        } catch {
            // Another home's agent in our runtime folder is nothing to trouble anybody with.
            return .inProcess(because: error == AgentService.otherHome ? nil : error)
        }
    }
}
