internal import Agent
internal import ArgumentParser
internal import AuthModel
internal import Glibc
internal import UserConfiguration

/// `yett agent start`: starts the agent, and returns when it serves requests.
struct AgentStartCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "start", abstract: "Start the agent in the background, unless it is running.")
    static let examples: KeyValuePairs = ["yett agent start": "Starts the agent in the background."]

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        if let status = try await client.status() {
            return context.console.note("the agent is already running, as process \(status.facts.process)")
        }
        guard let starter = context.agentStarter() else {
            throw AuthFailure(.configuration, text: "cannot start an agent from here", hint: "run: yett agent run")
        }
        try await starter.start()
        guard let status = try await client.status() else {
            throw AuthFailure(.bug, text: "the agent stopped right after it started", hint: "see why with: yett agent run")
        }
        context.console.note("the agent is running, as process \(status.facts.process)")
    }
}

/// `yett agent stop`: asks the agent to exit.
struct AgentStopCommand: Subcommand {
    static let configuration = CommandConfiguration(
        commandName: "stop", abstract: "Stop the agent.",
        discussion: """
            Ends sessions with session_lifetime = "process" before it returns; other sessions are unchanged. The next command starts a new \
            agent.
            """)
    static let examples: KeyValuePairs = ["yett agent stop": "Stops the agent; the next command starts it again."]

    @OptionGroup var options: GlobalOptionsHelp

    func run(in context: CommandContext) async throws {
        let client = try context.agentClient()
        let process = try? await client.status()?.facts.process
        let wasThere = try await client.stop()
        if wasThere, let process { await waitForEnd(of: process, context.edges.time) }
        context.console.note(wasThere ? "the agent is stopping" : "no agent is running")
    }

    /// Waits until the process has ended, so that another agent can start. It may wait longer for a provider's response.
    private func waitForEnd(of process: Int32, _ time: any TimeSource) async {
        let deadline = time.bootTime + .seconds(2)
        while kill(process, 0) == 0, time.bootTime < deadline {
            guard (try? await time.sleep(until: time.bootTime + .milliseconds(10))) != nil else { return }
        }
    }
}
