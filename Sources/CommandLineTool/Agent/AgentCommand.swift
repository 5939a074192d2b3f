internal import ArgumentParser

/// `yett agent`: manages the process that renews sessions and issues tokens.
struct AgentCommand: DocumentedCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent", abstract: "Run, start, stop, check, lock and unlock the agent.",
        discussion: """
            The agent keeps the store unlocked, renews tokens ahead of time and answers at once. Commands start it when they need it. \
            To work without it, use --no-agent or YETT_NO_AGENT=1.
            """,
        subcommands: [
            AgentRunCommand.self, AgentStartCommand.self, AgentStopCommand.self, AgentStatusCommand.self, AgentLockCommand.self,
            AgentUnlockCommand.self, AgentUnitsCommand.self,
        ], defaultSubcommand: AgentStatusCommand.self)
    static let examples: KeyValuePairs = [
        "yett agent status": "Shows whether an agent is running.",
        "yett agent lock": "Locks the store.",
        "yett agent stop": "Stops the agent; the next command starts it again.",
    ]
}
