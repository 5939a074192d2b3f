import Agent
import AuthModel
import Sandbox
import TestSupport
import Testing

@testable import CommandLineTool

/// Commands that the agent runs for the launcher print the same as the full program.
struct LauncherCommandRunnerTests {
    private func run(
        _ command: LauncherCommand, in world: CommandWorld, time: (any TimeSource)? = nil
    ) async throws -> CommandResult {
        let edges = world.edges(time: time, into: StreamRecorder(told: nil))
        let context = CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
        let service = try await context.service(creating: true)
        try await service.unlockIfNoPassphraseNeeded()
        let result = try await LauncherCommandRunner(context: context).run(command, on: service)
        return CommandResult(
            status: result.status, output: String(decoding: result.output, as: UTF8.self),
            errors: String(decoding: result.diagnostics, as: UTF8.self))
    }

    @Test(arguments: [
        ["token", "sandbox"], ["token", "sandbox", "--header"], ["token", "sandbox", "--json"], ["token", "--min-valid", "10"],
        ["token", "sandbox", "--min-valid", "86000", "--no-renew"], ["token", "sandbox/nobody"], ["token", "sandbox", "--id-token"],
        ["helper", "kubectl", "sandbox"], ["helper", "xoauth2", "sandbox"],
        ["helper", "oauthbearer", "sandbox", "--host", "mail.example.org"],
        ["helper", "git", "get"], ["helper", "git", "sandbox", "get"], ["helper", "docker", "get"], ["status", "--prompt"],
        ["status", "sandbox", "--prompt"], ["status"], ["status", "--json"], ["status", "sandbox", "--json"],
    ])
    func printsTheSameAsTheProgram(arguments: [String]) async throws {
        try await withToolWorld { server, world in
            let input =
                arguments.contains("git") ? ["protocol=http", "host=127.0.0.1:\(server.port)", ""] : ["127.0.0.1:\(server.port)"]
            // The time left must not change between the two.
            let time = ManualTime(now: world.time.now)
            let program = await world.run(arguments, user: .init(lines: input), time: time)
            let command = LauncherCommand(arguments: arguments, input: input.map { $0 + "\n" }.joined())
            let agent = try await run(command, in: world, time: time)
            #expect(agent.status == program.status)
            #expect(agent.output == program.output)
            #expect(agent.errors == program.errors)
            #expect(program.status == 0 ? !program.output.isEmpty : !program.errors.isEmpty)
        }
    }

    @Test func warningsAreReturnedWithTheToken() async throws {
        try await withToolWorld { _, world in
            let result = try await run(LauncherCommand(arguments: ["token", "sandbox", "--min-valid", "86000"]), in: world)
            #expect(result.status == 0 && !result.output.isEmpty)
            #expect(result.errors.hasPrefix("yett: warning: the token is valid for only "))
        }
    }

    @Test(arguments: [
        [], ["token"] + ["--no-such-option"], ["token", "--help"], ["token", "sandbox", "--show"], ["token", "sandbox", "--no-agent"],
        ["token", "sandbox", "--log"], ["token", "--config", "/dev/null"], ["status", "--wait", "1"], ["login", "sandbox"],
        ["logout", "sandbox"],
        ["helper", "git", "erase"], ["helper", "git"], ["exec", "sandbox", "--", "true"], ["--version"],
    ])
    func everythingElseIsLeftToTheProgram(arguments: [String]) async throws {
        let world = try CommandWorld()
        await #expect(throws: LauncherCommand.needsProgram) { try await run(LauncherCommand(arguments: arguments), in: world) }
    }

    /// The program explains a request that is not git's.
    @Test func wrongInputIsLeftToTheProgram() async throws {
        try await withToolWorld { _, world in
            await #expect(throws: LauncherCommand.needsProgram) {
                try await run(LauncherCommand(arguments: ["helper", "git", "get"], input: "nonsense\n"), in: world)
            }
        }
    }

    /// The program asks in the app or at the terminal.
    @Test(arguments: [
        ["token", "sandbox", "--header"], ["helper", "docker", "get"], ["helper", "git", "get"], ["helper", "kubectl", "sandbox"],
    ])
    func consentIsLeftToTheProgram(arguments: [String]) async throws {
        try await withToolWorld { server, world in
            let host = "127.0.0.1:\(server.port)"
            try world.configure(issuer: server.issuer, more: "api_hosts = [\"\(host)\"]\npolicy = \"ask\"")
            let input = arguments.contains("git") ? "protocol=http\nhost=\(host)\n\n" : host + "\n"
            await #expect(throws: LauncherCommand.needsProgram) {
                try await run(LauncherCommand(arguments: arguments, input: input), in: world)
            }
        }
    }

    /// The agent has the key of the store, and reads no configuration that a caller chooses.
    @Test(arguments: ["YETT_CONFIG", "XDG_CONFIG_HOME", "HOME"]) func callerMovesNoFolders(variable: String) async throws {
        try await withToolWorld { _, world in
            let command = LauncherCommand(arguments: ["token", "sandbox"], environment: [variable: "/nonexistent"])
            let result = try await run(command, in: world)
            #expect(result.status == 0, "\(result)")
        }
    }

    @Test func kubectlsRequestIsTheCallers() async throws {
        try await withToolWorld { _, world in
            let info = #"{"apiVersion":"client.authentication.k8s.io/v1beta1","kind":"ExecCredential","spec":{"interactive":false}}"#
            let command = LauncherCommand(arguments: ["helper", "kubectl", "sandbox"], environment: ["KUBERNETES_EXEC_INFO": info])
            let result = try await run(command, in: world)
            #expect(result.output.hasPrefix(#"{"apiVersion":"client.authentication.k8s.io/v1beta1""#))
        }
    }
}
