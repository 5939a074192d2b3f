import Agent
import AuthModel
import Sandbox
import Synchronization
import Testing

@testable import CommandLineTool

/// `sign_in = "on-demand"`: a tool's request starts a sign-in, if a user is present.
struct OnDemandSignInTests {
    private static let present = UserPresence(terminal: .foreground)

    /// Runs a command with a user at the terminal or not, and returns its result and the arguments of each sign-in.
    private func run(
        _ arguments: [String], lines: [String] = [], in world: CommandWorld, presence: UserPresence = present,
        login: (@Sendable ([String]) async -> Int32?)? = nil
    ) async -> (result: CommandResult, logins: [[String]]) {
        let recorder = StreamRecorder(told: nil)
        let logins = Mutex<[[String]]>([])
        var edges = world.edges(user: .init(lines: lines), into: recorder)
        edges.userPresence = { presence }
        edges.login = { arguments, _ in
            logins.withLock { $0.append(arguments) }
            if let login { return await login(arguments) }
            return await world.run(["login"] + arguments).status
        }
        let result = recorder.result(await Program.run(arguments, edges: edges))
        return (result, logins.withLock { $0 })
    }

    private func withWorld(
        mode: String = "sign_in = \"on-demand\"", _ body: (SandboxServer, CommandWorld) async throws -> Void
    ) async throws {
        try await withEmptyHome(SignInTests.honest) { server, world in
            try world.configure(issuer: server.issuer, more: "api_hosts = [\"127.0.0.1:\(server.port)\"]\n" + mode)
            try await body(server, world)
        }
    }

    private static func gitRequest(_ server: SandboxServer) -> [String] { ["protocol=http", "host=127.0.0.1:\(server.port)", ""] }

    @Test(arguments: [
        ["helper", "kubectl", "sandbox"], ["helper", "xoauth2", "sandbox"], ["helper", "oauthbearer", "sandbox"], ["token", "sandbox"],
        ["token"], ["helper", "git", "get"], ["helper", "docker", "get"],
    ])
    func commandSignsInAndContinues(arguments: [String]) async throws {
        try await withWorld { server, world in
            let lines = arguments.contains("docker") ? ["127.0.0.1:\(server.port)"] : Self.gitRequest(server)
            let (result, logins) = await run(arguments, lines: lines, in: world)
            #expect(result.status == 0, "\(result.errors)")
            #expect(!result.output.isEmpty)
            #expect(logins == [["sandbox"]])
            let again = await run(arguments, lines: lines, in: world)
            #expect(again.result.status == 0 && again.logins == [])
        }
    }

    @Test func execSignsIn() async throws {
        try await withWorld { _, world in
            let (result, logins) = await run(["exec", "sandbox", "--", "deploy"], in: world)
            #expect(result.replacement?.environment["ACCESS_TOKEN"]?.isEmpty == false)
            #expect(logins == [["sandbox"]])
        }
    }

    @Test(arguments: ["", "sign_in = \"manual\""])
    func manualNeverSignsIn(mode: String) async throws {
        try await withWorld(mode: mode) { server, world in
            let (result, logins) = await run(["helper", "git", "get"], lines: Self.gitRequest(server), in: world)
            #expect(result.status == 9)
            #expect(logins == [])
        }
    }

    @Test func withoutAUserTheFailureIsReported() async throws {
        try await withWorld { server, world in
            let (result, logins) = await run(
                ["helper", "git", "get"], lines: Self.gitRequest(server), in: world, presence: UserPresence())
            #expect(result.status == 9)
            #expect(logins == [])
        }
    }

    @Test(arguments: ["token --no-renew sandbox", "helper git erase", "status"])
    func otherCommandsNeverSignIn(line: String) async throws {
        try await withWorld { server, world in
            let lines = Array(Self.gitRequest(server).dropLast()) + ["password=x", ""]
            let (_, logins) = await run(line.split(separator: " ").map(String.init), lines: lines, in: world)
            #expect(logins == [])
        }
    }

    /// The command ends as the sign-in did, after one try.
    @Test(arguments: [3, 4, 5, 7, 8, 2] as [Int32])
    func failedSignInEndsTheCommand(status: Int32) async throws {
        try await withWorld { server, world in
            let (result, logins) = await run(["helper", "kubectl", "sandbox"], in: world) { _ in status }
            #expect(result.status == status)
            #expect(result.output == "")
            #expect(logins.count == 1)
            let docker = await run(["helper", "docker", "get"], lines: ["127.0.0.1:\(server.port)"], in: world) { _ in status }
            #expect(docker.result.status == 1)
            #expect(docker.result.output.hasPrefix("the sign-in at sandbox did not succeed"))
            #expect(docker.logins.count == 1)
        }
    }

    @Test func signInWithoutASessionDoesNotLoop() async throws {
        try await withWorld { _, world in
            let (result, logins) = await run(["helper", "kubectl", "sandbox"], in: world) { _ in 0 }
            #expect(result.status == 9)
            #expect(logins.count == 1)
        }
    }

    @Test func anotherHostStartsNoSignIn() async throws {
        try await withWorld { _, world in
            let (result, logins) = await run(
                ["helper", "git", "sandbox", "get"], lines: ["protocol=https", "host=git.example.org", ""], in: world)
            #expect(result.status == 8)
            #expect(logins == [])
        }
    }

    /// The agent cannot see the caller's terminal.
    @Test(arguments: [["helper", "kubectl", "sandbox"], ["helper", "docker", "get"], ["token", "sandbox", "--header"]])
    func agentLeavesTheSignInToTheProgram(arguments: [String]) async throws {
        try await withWorld { server, world in
            var edges = world.edges(into: StreamRecorder(told: nil))
            edges.userPresence = { Self.present }
            let console = Console(streams: edges.streams, environment: edges.environment)
            let context = CommandContext(edges: edges, options: GlobalOptions(), console: console)
            let service = try await context.service(creating: true)
            await #expect(throws: LauncherCommand.needsProgram) {
                try await LauncherCommandRunner(context: context).run(
                    LauncherCommand(arguments: arguments, input: "127.0.0.1:\(server.port)\n"), on: service)
            }
        }
    }
}

/// Who counts as a user that can be asked to sign in.
struct UserPresenceTests {
    private static let desktop = ["DISPLAY": ":0"]

    @Test(arguments: [
        UserPresence(terminal: .foreground), UserPresence(terminal: .foreground, environment: ["SSH_CONNECTION": "1"]),
        UserPresence(terminal: .foreground, environment: ["CI": "false"]), UserPresence(environment: desktop),
        UserPresence(environment: ["WAYLAND_DISPLAY": "wayland-0"], unit: "app-gnome-code-12.scope"),
        UserPresence(environment: desktop, unit: "app-org.kde.kate@1.service"), UserPresence(environment: desktop, unit: "session-2.scope"),
    ])
    func userIsPresent(presence: UserPresence) {
        #expect(presence.isPresent)
    }

    @Test(arguments: [
        UserPresence(), UserPresence(terminal: .background), UserPresence(terminal: .background, environment: desktop),
        UserPresence(terminal: .foreground, environment: ["CI": "true"]), UserPresence(environment: ["DISPLAY": ":0", "CI": "1"]),
        UserPresence(terminal: .foreground, environment: ["GIT_TERMINAL_PROMPT": "0"]), UserPresence(environment: ["DISPLAY": ""]),
        UserPresence(environment: ["DISPLAY": "localhost:10.0", "SSH_CONNECTION": "1"]),
        UserPresence(environment: desktop, unit: "backup.service"), UserPresence(unit: "cron.service"),
    ])
    func nothingOpensWithoutAUser(presence: UserPresence) {
        #expect(!presence.isPresent)
    }
}
