@testable import Agent
import AuthModel
import ProcessHarness
import Synchronization
import TestSupport
import Testing

/// The built launcher with commands that run in the agent.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct LauncherCommandTests {
    private let service = ScriptedSessionService()

    /// Runs the launcher with a script in place of the program, which prints its standard input.
    private func launch(_ world: AgentFixture, _ arguments: [String], input: String = "", with changes: [String: String?] = [:])
        async throws
        -> ProgramResult
    {
        let launcher = try world.home.install(try Product.program("yett"), as: "prefix/yett")
        try world.home.write("#!/bin/sh\necho program\ncat\nexit 42\n", to: "prefix/yett-main", permissions: 0o700)
        return try await Program(
            launcher, arguments, environment: world.home.environment(with: changes), input: input, limit: .seconds(300)
        ).run()
    }

    /// The commands that the agent was asked to run.
    private final class Runner: Sendable {
        private let commands = Mutex<[LauncherCommand]>([])
        let result: Result<LauncherCommand.Output, AuthFailure>

        init(_ result: Result<LauncherCommand.Output, AuthFailure>) { self.result = result }

        var seen: [LauncherCommand] { commands.withLock { $0 } }

        func run(_ command: LauncherCommand, _ service: any SessionService) async throws(AuthFailure) -> LauncherCommand.Output {
            commands.withLock { $0.append(command) }
            return try result.get()
        }
    }

    private static let request = "protocol=https\nhost=git.example.org\n\n"

    @Test func printsTheOutputOfTheAgent() async throws {
        let runner = Runner(.success(LauncherCommand.Output(status: 7, output: Array("out\n".utf8), diagnostics: Array("err\n".utf8))))
        try await AgentFixture.run(service, runCommand: runner.run) { world in
            let result = try await launch(
                world, ["helper", "git", "get"], input: Self.request, with: ["LANG": "de_DE.UTF-8", "KUBERNETES_EXEC_INFO": "x"])
            #expect(result == ProgramResult(ending: .exited(7), output: "out\n", errors: "err\n"))
            #expect(runner.seen.map(\.arguments) == [["helper", "git", "get"]])
            #expect(runner.seen.map(\.input) == [Self.request])
            #expect(runner.seen.first?.environment["LANG"] == "de_DE.UTF-8")
            #expect(runner.seen.first?.environment["KUBERNETES_EXEC_INFO"] == nil)
        }
    }

    /// The program must read the same input, although the launcher has read it already.
    @Test(arguments: [request, "", "no empty line", String(repeating: "x", count: 200_000)])
    func programGetsTheInputOfACommandThatItMustRun(input: String) async throws {
        let runner = Runner(.failure(LauncherCommand.needsProgram))
        try await AgentFixture.run(service, runCommand: runner.run) { world in
            let result = try await launch(world, ["helper", "docker", "get"], input: input)
            #expect(result == ProgramResult(ending: .exited(42), output: "program\n" + input, errors: ""))
        }
    }

    @Test func lockedStoreFallsBackToTheProgram() async throws {
        await service.change { $0.sealAnswer = .locked(isNew: false) }
        let runner = Runner(.failure(LauncherCommand.needsProgram))
        try await AgentFixture.run(service, runCommand: runner.run) { world in
            let result = try await launch(world, ["helper", "git", "get"], input: Self.request)
            #expect(result.output == "program\n" + Self.request)
            #expect(runner.seen == [])
        }
    }

    /// An agent that runs no commands, such as an older one, answers with a failure.
    @Test func agentWithoutCommandsFallsBackToTheProgram() async throws {
        try await AgentFixture.run(service) { world in
            let result = try await launch(world, ["token", "work", "--json"])
            #expect(result.output == "program\n")
        }
    }

    /// An agent of another version may print something else.
    @Test func agentOfAnotherVersionFallsBackToTheProgram() async throws {
        let runner = Runner(.success(LauncherCommand.Output(status: 0, output: [], diagnostics: [])))
        try await AgentFixture.run(service, version: "0.0.9", runCommand: runner.run) { world in
            let result = try await launch(world, ["status"])
            #expect(result.output == "program\n")
            #expect(runner.seen == [])
        }
    }

    /// The record names the process that asked, as for a request over the socket.
    @Test func tokenOfACommandIsRecordedForItsCaller() async throws {
        try await AgentFixture.run(
            service,
            runCommand: { (_, service) throws(AuthFailure) in
                let issued = try await service.token(TokenRequest(session: Sample.name))
                return LauncherCommand.Output(status: 0, output: Array(issued.token.reveal().utf8), diagnostics: [])
            }
        ) { world in
            let result = try await launch(world, ["token", "work", "--header"])
            #expect(result.output == Sample.grant.token.reveal())
            let record = try #require(try world.log.recent().first)
            #expect(record.program?.hasSuffix("/prefix/yett") == true)
            #expect(record.activity.kind == .issued)
        }
    }

    @Test func versionNeedsNoProgram() async throws {
        try await AgentFixture.run(service) { world in
            let result = try await launch(world, ["--version"])
            #expect(result.status == 0)
            #expect(result.output.split(separator: ".").count == 3)
        }
    }
}
