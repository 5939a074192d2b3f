import FoundationEssentials
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// Every program that waits ends soon after a signal that asks it to, and leaves nothing. The app itself: ``SignalTests``.
@Suite(.startsPrograms) struct WaitingProgramTests {
    /// A program that waits.
    enum Waiting: String, CaseIterable, Sendable {
        case agent, proxy, proxyOnTCP, proxiedCommand, command, bridge, login, deviceLogin, statusWatch
    }

    /// The time in which a program must end: much more than its own grace times, and much less than its time limits.
    private static let limit = Duration.seconds(60)

    private let signedIn: SignedInHome
    private var home: TemporaryHome { signedIn.home }

    init() async throws {
        signedIn = try await SignedInHome()
        try await signedIn.stopAgent()
        try signedIn.configure("api_hosts = [\"\(signedIn.sandbox.issuer.drop { $0 != "1" })\"]")
    }

    @Test(arguments: Waiting.allCases, [SIGINT, SIGTERM, SIGHUP])
    func signalEndsTheProgram(waiting: Waiting, number: Int32) async throws {
        let (program, isWaiting) = try program(waiting)
        let running = try program.start()
        try await running.until(isWaiting)
        if waiting == .agent { try await eventually("no socket: \(running.soFar)") { !sockets.isEmpty } }
        let clock = ContinuousClock()
        let start = clock.now
        running.signal(number)
        let result = await running.finish()
        #expect(result.ending != .overran && clock.now - start < Self.limit, "\(result)")
        #expect(sockets == [])
        #expect(home.files.filter { $0.hasSuffix(".tmp") } == [])
        // The kernel may need a moment for children that end with it.
        try await eventually("processes stay: \(processes(of: running.processID))") { processes(of: running.processID).isEmpty }
    }

    /// Returns the program, and whether it waits, by its output so far.
    private func program(_ waiting: Waiting) throws -> (Program, @Sendable (ProgramResult) -> Bool) {
        let resource = signedIn.sandbox.issuer + "/api/hello"
        // No command starts an agent here, which would outlive it, or a browser, which belongs to the user.
        let variables: [String: String?] = ["YETT_NO_AGENT": "1", "BROWSER": "none"]
        func yett(_ arguments: String...) throws -> Program { try home.program("yett-main", arguments, with: variables) }
        let script = ["sh", "-c", "echo ready; exec sleep 1000"]
        switch waiting {
        case .agent: return (try home.program("yett-main", ["agent", "run"]), { _ in true })
        case .proxy: return (try yett("proxy", "sandbox", resource), { $0.errors.contains("end with Ctrl-C") })
        case .proxyOnTCP:
            return (try yett("proxy", "sandbox", resource, "--listen", "127.0.0.1:0"), { $0.errors.contains("end with Ctrl-C") })
        case .proxiedCommand:
            let arguments = ["exec", "sandbox", "--proxy", "--to", resource, "--"] + script
            return (try home.program("yett-main", arguments, with: variables), { $0.output == "ready\n" })
        case .command:
            return (try home.program("yett-main", ["exec", "sandbox", "--"] + script, with: variables), { $0.output == "ready\n" })
        case .bridge:
            // Its input stays open, because the program itself can write to it.
            let line = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
            let main = try Product.program("yett-main")
            let start = "mkfifo input && exec 3<>input && echo '\(line)' >&3 && exec \(main) mcp \(resource) --session sandbox <&3"
            let program = Program("/bin/sh", ["-c", start], environment: home.environment(with: variables), folder: home.path)
            return (program, { $0.output.hasSuffix("\n") })
        case .login: return (try yett("login", "sandbox", "--no-open"), { $0.errors.contains("/authorize?") })
        case .deviceLogin: return (try yett("login", "sandbox", "--flow", "device"), { $0.errors.contains("/device") })
        case .statusWatch: return (try yett("status", "--watch", "--json"), { $0.output.contains("\n") })
        }
    }

    /// The sockets of the runtime folder.
    private var sockets: [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: home.path + "/run")) ?? []
        return names.filter { name in
            var status = stat()
            return lstat("\(home.path)/run/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
        }
    }

    /// Returns the processes of a program's session that have not ended.
    private func processes(of session: pid_t) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.filter { name in
            guard pid_t(name) != nil, let bytes = FileManager.default.contents(atPath: "/proc/\(name)/stat") else { return false }
            // Behind the name of the program, which may contain anything: state, parent, group, session.
            let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 3 && fields[0] != "Z" && pid_t(fields[3]) == session
        }
    }
}
