@testable import Agent
import AuthModel
import Glibc
import LocalServer
import ProcessHarness
import TestSupport
import Testing

/// The agent as a process: start, requests, kills and exit.
@Suite(.startsPrograms) struct AgentProcessTests {
    private let home: TemporaryHome
    private let place: AgentLocation

    init() throws {
        home = try TemporaryHome()
        place = AgentLocation(environment: home.environment)
        try home.configure("")
    }

    private var client: AgentClient { AgentClient(location: place, home: home.agentHome) }

    /// Starts an agent in the foreground and returns it once it serves.
    private func running(with environment: [String: String] = [:]) async throws -> (agent: RunningProgram, process: Int32) {
        let listener = try ReadyListener(in: home)
        let agent = try home.program("yett-main", ["agent", "run"], with: environment.merging(["NOTIFY_SOCKET": listener.path]) { $1 })
            .start()
        try await listener.wait()
        let status = try #require(try await client.status())
        return (agent, status.facts.process)
    }

    /// Starts a sign-in, and interrupts it once it has printed a text.
    private func signIn(_ options: String..., until text: String, with environment: [String: String?] = [:]) async throws -> ProgramResult {
        let login = try home.program("yett-main", ["login"] + options, with: environment).start()
        try await login.until { $0.errors.contains(text) }
        login.signal(SIGINT)
        return await login.finish()
    }

    private func exists(_ path: String) -> Bool {
        var found = stat()
        return lstat(path, &found) == 0
    }

    @Test func startsOnceAndReportsItsStatus() async throws {
        #expect(try await home.yett("agent", "status").output == "no agent is running\n")
        let first = try await home.yett("agent", "start")
        #expect(first.status == 0)
        let process = try #require(try await client.status()).facts.process
        #expect(try await home.yett("agent", "start").errors == "the agent is already running, as process \(process)\n")
        let report = try JSONValue(strict: try await home.yett("agent", "status", "--json").output)
        #expect(report["running"] == true)
        #expect(report["process"]?.integer == Int64(process))
        #expect(try await home.yett("agent", "stop").status == 0)
    }

    @Test func concurrentStartsGiveOneAgent() async throws {
        let home = home
        let results = try await withThrowingTaskGroup(of: ProgramResult.self) { group in
            for _ in 0..<5 { group.addTask { try await home.yett("agent", "start") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let process = try #require(try await client.status()).facts.process
        #expect(results.allSatisfy { $0.status == 0 && $0.errors.contains("as process \(process)\n") })
        #expect(try await client.stop())
    }

    /// Twenty commands at once, with a locked store and no agent: one starts the agent, and each unlocks the store.
    @Test func concurrentCommandsUnlockOneAgent() async throws {
        let home = home
        try home.configure("[store]\nseal = \"passphrase\"\n")
        let passphrase = ["YETT_PASSPHRASE_FILE": try home.write("correct horse\n", to: "passphrase")]
        #expect(try await home.yett("agent", "unlock", with: passphrase).status == 0)
        #expect(try await client.stop())
        let results = try await withThrowingTaskGroup(of: ProgramResult.self) { group in
            for _ in 0..<20 { group.addTask { try await home.yett("token", "work", with: passphrase) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(results.allSatisfy { $0.status == 9 }, "\(results.first { $0.status != 9 }?.errors ?? "")")
        #expect(try await client.stop())
    }

    @Test func commandStartsTheAgent() async throws {
        // There is no session, but the agent runs.
        #expect(try await home.yett("token", "work").status == 9)
        #expect(try await client.status() != nil)
        #expect(try await client.stop())
    }

    /// The agent makes the network requests that users look for in a log.
    @Test func logContainsTheAgentsNetworkRequests() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        try home.configure(sandbox, as: "sandbox")
        #expect(try await signIn("--log", "--no-open", until: "/authorize?").status == 3)
        let text = String(decoding: try #require(home.read("state/yett/yett.log")), as: UTF8.self)
        #expect(text.contains("GET \(sandbox.issuer)/.well-known/openid-configuration: 200"))
        #expect(try await client.status()?.facts.logs == true)
        #expect(try await home.yett("agent", "stop").status == 0)
        // An agent that was started without a log is not restarted; the command warns that its requests are not logged.
        #expect(try await home.yett("agent", "start").status == 0)
        let other = try await signIn("--log", "--no-open", until: "/authorize?")
        #expect(other.errors.contains("yett: warning: the agent makes the network requests, and was started without --log"))
        #expect(try await client.stop())
    }

    @Test(arguments: [["--no-agent", "token", "work"], ["status"], ["providers"]])
    func theseCommandsStartNoAgent(arguments: [String]) async throws {
        _ = try await home.program("yett-main", arguments).run()
        #expect(!exists(place.socket))
    }

    @Test func environmentVariableForbidsTheAgent() async throws {
        #expect(try await home.yett("token", "work", with: ["YETT_NO_AGENT": "1"]).status == 9)
        #expect(!exists(place.socket))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
    func exitsCleanlyOnASignal(signal: Int32) async throws {
        let (agent, _) = try await running()
        agent.signal(signal)
        let result = await agent.finish()
        #expect(result.status == 0)
        #expect(!exists(place.socket))
    }

    @Test func exitsWhenItsSocketIsRemoved() async throws {
        let (agent, _) = try await running()
        unlink(place.socket)
        #expect(await agent.finish().status == 0)
    }

    @Test func exitsWhenItsSocketIsReplaced() async throws {
        let (agent, _) = try await running()
        unlink(place.socket)
        let other = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(other) }
        let address = try #require(UnixSocketAddress(place.socket))
        try #require(address.withPointer { bind(other, $0, $1) } == 0 && listen(other, 8) == 0)
        #expect(await agent.finish().status == 0)
        // The other socket must not be removed.
        #expect(exists(place.socket))
    }

    @Test func exitsWhenIdle() async throws {
        // A real second of the machine's clock. The test sends no request: on a slow machine, the agent would exit before it answers.
        try home.configure("[agent]\nidle_exit = 1\n")
        let agent = try home.program("yett-main", ["agent", "run"]).start()
        #expect(await agent.finish().status == 0)
        #expect(!exists(place.socket))
    }

    @Test func explicitLockHoldsUntilAnExplicitUnlock() async throws {
        try home.configure("[store]\nseal = \"key-file\"\n")
        #expect(try await home.yett("token", "work").status == 9)
        #expect(try await home.yett("agent", "lock").status == 0)
        #expect(try await home.yett("token", "work").status == 2)
        #expect(try await home.yett("status").status == 0)
        let unlock = try await home.yett("agent", "unlock")
        #expect(unlock.status == 0, "\(unlock)")
        #expect(try await home.yett("token", "work").status == 9)
        #expect(try await client.stop())
    }

    @Test func killedAgentIsReplaced() async throws {
        let (agent, process) = try await running()
        agent.signal(SIGKILL)
        _ = await agent.finish()
        #expect(exists(place.socket))
        #expect(try await client.status() == nil)
        #expect(try await home.yett("agent", "start").status == 0)
        #expect(try #require(try await client.status()).facts.process != process)
        #expect(try await client.stop())
    }

    @Test func launcherGivesUpOnAStoppedAgent() async throws {
        let (agent, _) = try await running()
        try await agent.suspend()
        let result = try await home.program("yett", ["token", "work"]).run()
        #expect(result.status == 9)
        #expect(
            result.errors.hasPrefix(
                """
                yett: warning: working without an agent: the agent does not answer

                """), "\(result)")
        agent.signal(SIGKILL)
        _ = await agent.finish()
    }

    @Test func secondAgentIsRefused() async throws {
        let (agent, process) = try await running()
        let second = try await home.yett("agent", "run")
        #expect(second.status == 2)
        #expect(second.errors.hasPrefix("yett: error: an agent is already running here\n"))
        #expect(try #require(try await client.status()).facts.process == process)
        agent.signal(SIGTERM)
        _ = await agent.finish()
    }

    @Test func commandReportsWhyNoAgentRuns() async throws {
        chmod(home.path + "/run", 0o755)
        let result = try await home.yett("token", "work")
        #expect(result.status == 9)
        #expect(result.errors.contains("yett: warning: working without an agent: \(home.path)/run is accessible to other users\n"))
        chmod(home.path + "/run", 0o700)
        try home.configure("nonsense = 1\n")
        #expect(try await home.yett("agent", "start").status == 2)
    }

    @Test func writesNoCoreAndDropsTheStartersEnvironment() async throws {
        #expect(try await home.yett("agent", "start", with: ["SECRET_OF_SOMEBODY": home.canary, "LD_BIND_NOW": "1"]).status == 0)
        let process = try #require(try await client.status()).facts.process
        let environment = try #require(read("/proc/\(process)/environ"))
        #expect(environment.contains("HOME=\(home.path)"))
        #expect(!environment.contains(home.canary))
        #expect(!environment.contains("LD_"))
        let limits = try #require(read("/proc/\(process)/limits"))
        #expect(
            limits.split(separator: "\n").contains {
                $0.hasPrefix("Max core file size") && $0.split(separator: " ").dropFirst(4).prefix(2) == ["0", "0"]
            })
        // A process that is not dumpable belongs to root; if this user is root, the check shows nothing.
        var found = stat()
        #expect(stat("/proc/\(process)/mem", &found) == 0)
        #expect(found.st_uid == 0)
        #expect(try await client.stop())
    }

    /// The process that starts the agent does not decide the environment of later sign-ins.
    @Test func signInUsesTheEnvironmentOfItsCaller() async throws {
        let sandbox = try await SandboxProvider()
        try home.configure(sandbox, as: "work")
        #expect(try await home.yett("agent", "start", with: ["DISPLAY": ":0"]).status == 0)
        let page = "\(sandbox.issuer)/device"
        let remote = try await signIn(
            "work", until: page, with: ["SSH_CONNECTION": "192.0.2.7 50000 192.0.2.1 2222", "BROWSER": "none"])
        #expect(remote.status == 3)
        #expect(remote.errors.contains("ssh -p 2222 -L "))
        #expect(remote.errors.contains(page))
        let desktop = try await signIn("work", until: page, with: ["DISPLAY": ":0", "BROWSER": "none"])
        #expect(desktop.status == 3)
        #expect(!desktop.errors.contains("ssh "))
        #expect(desktop.errors.contains(page))
        #expect(try await client.stop())
    }

    @Test func hookRunsForAnEndedSession() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--fault", "refresh-invalid-grant"])
        let note = home.path + "/note"
        let hook = try home.write(
            "#!/bin/sh\nprintf '%s %s $(id)' \"$YETT_EVENT\" \"$YETT_SESSION\" >'\(note).new' && mv '\(note).new' '\(note)'\n", to: "hook",
            permissions: 0o700)
        try home.configure("[agent]\nhook = \"\(hook)\"\n[providers.work]\n\(sandbox.settings)\n")
        let login = try await home.yett("login", "work", with: ["BROWSER": Browser.following, "DISPLAY": ":0"])
        try #require(login.status == 0, "\(login)")
        #expect(try await home.yett("renew", "work").status == 6)
        #expect(try await home.yett("status", "--json").output.contains("\"needs_sign_in\""))
        // The command runs in the background, for ten seconds at most.
        try await eventually("nothing was told") { home.read("note") != nil }
        #expect(home.read("note") == Array("sign_in_needed work/ada $(id)".utf8))
        #expect(try await client.stop())
    }

    /// The provider's error description contains control characters and markup.
    @Test func notificationIsShownForAnEndedSession() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada", "--fault", "refresh-error-hostile"])
        try home.configure("[agent]\nnotify = true\n[providers.work]\n\(sandbox.settings)\n")
        let path = try #require(try NotificationRunnerTests.notifier(in: home)["PATH"])
        let login = try await home.yett("login", "work", with: ["BROWSER": Browser.following, "DISPLAY": ":0", "PATH": path])
        try #require(login.status == 0, "\(login)")
        #expect(try await home.yett("renew", "work").status == 6)
        try await eventually("nothing was told") { home.read("shown") != nil }
        let shown = String(decoding: try #require(home.read("shown")), as: UTF8.self).split(separator: "\0")
        #expect(shown.prefix(3) == ["--app-name=yett", "--", "work/ada needs a sign-in"])
        #expect(shown.count == 5)
        let body = try #require(shown.dropFirst(3).first)
        #expect(body.hasSuffix("Sign in again with: yett login work"))
        #expect(
            body.unicodeScalars.allSatisfy { $0.value >= 0x20 && !"<>".unicodeScalars.contains($0) && !(0x7F...0x9F).contains($0.value) })
        #expect(shown.last == "sign_in_needed work/ada")
        #expect(try await client.stop())
    }

    @Test func seesAProviderThatIsAddedLater() async throws {
        #expect(try await home.yett("agent", "start").status == 0)
        #expect(try await client.providers() == [])
        try home.configure("[providers.work]\nkind = \"oidc\"\nissuer = \"https://id.example.org\"\nclient_id = \"yett\"\n")
        #expect(try await client.providers().map(\.name.text) == ["work"])
        #expect(try await client.stop())
    }

    private func read(_ path: String) -> String? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}
