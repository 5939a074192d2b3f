internal import ArgumentParser

/// `yett agent`: manages the process that renews sessions and issues tokens.
struct AgentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Run, start, stop, ask, lock and unlock the agent.",
        discussion: """
            The agent holds the unlocked store, renews tokens ahead of time and answers at once. Commands start it when they need it; \
            --no-agent and YETT_NO_AGENT=1 do the work without it.
            """,
        subcommands: [
            AgentRunCommand.self, AgentStartCommand.self, AgentStopCommand.self, AgentStatusCommand.self, AgentLockCommand.self,
            AgentUnlockCommand.self, AgentUnitsCommand.self,
        ], defaultSubcommand: AgentStatusCommand.self)
}
