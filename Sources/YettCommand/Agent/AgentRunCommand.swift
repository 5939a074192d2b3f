internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Glibc

/// `yett agent run`: is the agent, until it is asked to end.
struct AgentRunCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Be the agent, in the foreground.",
        discussion: "This is what the other commands and systemd start. SIGTERM, SIGINT and SIGHUP end it in order.")

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        try startAnew(in: context)
        // Before there is a key in it.
        try ProcessMemory.close()
        // A folder that is to be unmounted is not held up by a process that lives on.
        _ = chdir("/")
        let log = context.activityLog()
        let agent = AgentRun(
            place: context.agentPlace,
            facts: AgentFacts(
                version: Program.version, home: try context.agentHome(), startedAt: context.now, logs: context.isLogging),
            environment: context.edges.environment, log: log, time: context.edges.time)
        try await agent.run { () async throws(AuthFailure) in
            let keeper = try await context.residentKeeper(log: log)
            try await PassphrasePrompt(context: context).unlockFromFile(keeper)
            return keeper
        }
    }
    /// Whatever starts an agent sees to it that small blocks of memory are overwritten too, which can be done at a start alone; a person
    /// who calls this command does not.
    private func startAnew(in context: CommandContext) throws(AuthFailure) {
        guard let program = context.edges.agentProgram,
            let environment = ProcessMemory.environment(insteadOf: context.edges.environment)
        else { return }
        let error = context.edges.replaceProcess([program] + CommandLine.arguments.dropFirst(), environment)
        throw AuthFailure(.security, "the agent cannot be started with memory that is overwritten: \(error.text)")
    }
}
