import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Every process that may hold a key, a token or a passphrase is closed to the user's other programs.
@Suite(.startsPrograms, .serialized)
struct ClosedMemoryTests {
    /// An unprivileged user, for when root runs the tests: a process of root shows no difference when it is closed.
    private static let nobody: uid_t = 65_534

    /// Starts a program as an unprivileged user, in a home that this user owns.
    private func start(
        _ program: String, _ arguments: [String], in home: TemporaryHome, with changes: [String: String?] = [:]
    ) async throws -> RunningProgram {
        guard geteuid() == 0 else {
            return try Program(program, arguments, environment: home.environment(with: changes), folder: home.path).start()
        }
        let given = try await Program(
            "/bin/chown", ["-R", "\(Self.nobody):\(Self.nobody)", home.path], environment: ["PATH": "/usr/bin:/bin"]
        ).run()
        try #require(given.status == 0)
        return try Program(
            "/usr/bin/setpriv", ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups", program] + arguments,
            environment: home.environment(with: changes), folder: home.path
        ).start()
    }

    /// The kernel makes root the owner of a process that cannot be dumped, whichever user runs it.
    private func owner(of process: pid_t) -> uid_t? {
        var found = stat()
        return stat("/proc/\(process)/mem", &found) == 0 ? found.st_uid : nil
    }

    private func isClosed(_ process: pid_t, as name: String) throws {
        #expect(MemorySearch.text("/proc/\(process)/comm") == "\(name)\n")
        #expect(owner(of: process) == 0)
    }

    @Test func processWithOpenMemoryIsDetected() async throws {
        let home = try TemporaryHome()
        let open = try await start("/usr/bin/tail", ["-f", "/dev/null"], in: home)
        try await eventually("the program is not started") { MemorySearch.text("/proc/\(open.processID)/comm") == "tail\n" }
        #expect(owner(of: open.processID) == (geteuid() == 0 ? Self.nobody : geteuid()))
        open.signal(SIGTERM)
        _ = await open.finish()
    }

    @Test(arguments: [["--no-agent"], []])
    func memoryIsClosedDuringASignIn(options: [String]) async throws {
        let sandbox = try await SandboxProvider()
        let home = try TemporaryHome()
        try home.configure(sandbox, as: "sandbox")
        // A copy in a place that the user can reach.
        let program = try home.install(try Product.program("yett-main"), as: "yett-main")
        let command = try await start(
            program, ["login", "sandbox", "--flow", "device", "--no-open"] + options, in: home,
            with: options.isEmpty ? ["YETT_NO_AGENT": "1"] : [:])
        _ = try await command.until { $0.errors.contains("/device") }
        try isClosed(command.processID, as: "yett-main")
        let limits = try #require(MemorySearch.text("/proc/\(command.processID)/limits"))
        let core = try #require(limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") })
        #expect(core.split(separator: " ").dropFirst(4).first == "0")
        command.signal(SIGINT)
        #expect(await command.finish().status == 3)
    }

    @Test func programRunByExecKeepsTheUsersCoreLimit() async throws {
        let sandbox = try await SandboxProvider(options: ["--auto-approve", "ada"])
        let home = try TemporaryHome()
        try home.configure(sandbox, as: "sandbox")
        let variables: [String: String?] = ["YETT_NO_AGENT": "1", "BROWSER": Browser.following, "DISPLAY": ":0"]
        let login = try await home.yett("login", "sandbox", with: variables)
        try #require(login.status == 0, "\(login)")
        let program = try Product.program("yett-main")
        let result = try await Program(
            "/bin/bash", ["-c", "ulimit -S -c 1024; exec '\(program)' exec sandbox -- /bin/bash -c 'ulimit -S -c'"],
            environment: home.environment(with: variables), folder: home.path
        ).run()
        #expect(result.output == "1024\n", "\(result)")
    }
}
