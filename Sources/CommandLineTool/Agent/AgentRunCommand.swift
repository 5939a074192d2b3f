internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Glibc
internal import Localization
internal import OperatingSystem
internal import UserConfiguration

/// `yett agent run`: runs the agent in this process until it is asked to exit.
struct AgentRunCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run the agent in the foreground.",
        discussion: "Other commands and systemd start this. SIGTERM, SIGINT and SIGHUP stop it cleanly.")
    static let examples: KeyValuePairs = ["yett agent run": "Runs the agent until Ctrl-C."]

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        try forbidCores()
        // The agent lives long and must not keep a folder's file system from being unmounted.
        _ = chdir("/")
        let log = context.activityLog()
        let (forwarded, oidcAgent) = (ForwardedSessions([]), OIDCAgentSetting())
        var agent = AgentRun(
            place: context.agentLocation,
            facts: AgentFacts(
                version: Program.version, home: try context.agentHome(), startedAt: context.now, logs: context.isLogging),
            environment: context.edges.environment, log: log, time: context.edges.time,
            runCommand: LauncherCommandRunner(context: context).run,
            program: context.edges.agentProgram.flatMap { path in
                AgentProgram(path: path, arguments: Array(ProcessEnvironment.arguments.dropFirst()))
            })
        agent.forwarded = forwarded
        let (files, time) = (try context.tokenFiles(), context.edges.time)
        agent.backgroundWork = { service in await TokenFileUpdater(files, source: AgentTokenSource(service: service), time: time).run() }
        // The files are there only while the agent keeps them fresh, and can remove them after a lock.
        agent.stopped = { try? files.empty() }
        agent.oidcAgent = oidcAgent
        agent.warn = { failure in
            context.console.warning(UserMessage("agent.no_oidc_agent_socket", ["detail": failure.message]))
            if let hint = failure.hintText { context.console.hint(hint) }
        }
        try await agent.run { () async throws(AuthFailure) in
            let service = try await context.agentSessionService(log: log, forwarded: forwarded, oidcAgent: oidcAgent)
            try await PassphrasePrompt(context: context).unlockFromFile(service)
            return service
        }
    }

    /// Turns off core files for this process and the hooks that it starts, because the hooks also know who is signed in where.
    private func forbidCores() throws(AuthFailure) {
        do {
            try ProcessMemory.disableCoreFilesPermanently()
        } catch {
            throw AuthFailure(.security, text: "cannot turn off core files: \(SystemError(number: error.number).text)")
        }
    }
}
