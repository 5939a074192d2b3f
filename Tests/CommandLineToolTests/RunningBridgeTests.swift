import Agent
import AuthModel
import Testing

@testable import CommandLineTool
@testable import TerminalApp
@testable import UserConfiguration

/// `yett mcp --list`, and what the app shows of bridges.
@Suite struct RunningBridgeTests {
    private static let server = "https://mcp.example.org/mcp"

    private func context(_ world: CommandWorld) -> CommandContext {
        let edges = world.edges(into: StreamRecorder(told: nil))
        return CommandContext(
            edges: edges, options: GlobalOptions(), console: Console(streams: edges.streams, environment: edges.environment))
    }

    private func bridges(_ arguments: [String], _ world: CommandWorld, began: Duration = .zero) -> [RunningBridge] {
        RunningBridges(context: context(world)).all(among: [YettProcess(number: 4711, arguments: arguments, start: began)])
    }

    private func world() throws -> CommandWorld {
        let world = try CommandWorld.configured(
            """
            [providers.work]
            kind = "oidc"
            issuer = "https://id.example.org"
            client_id = "yett"
            resource = "\(Self.server)"
            """)
        return world
    }

    @Test(arguments: [
        (["mcp", server], "work"), (["mcp", server, "--account", "ada"], "work/ada"),
        (["mcp", "--session", "work/eve", server], "work/eve"),
        (["--config", "/etc/other.toml", "mcp", server], "work"), (["mcp", "https://unknown.example.org"], nil),
    ])
    func bridgeIsReadFromItsCommandLine(arguments: [String], session: String?) throws {
        let found = bridges(arguments, try world())
        #expect(found.count == 1)
        #expect(found.first?.session?.description == session)
        #expect(found.first?.server.text == arguments.first { $0.hasPrefix("https://") }.map { $0.hasSuffix("org") ? $0 + "/" : $0 })
        #expect(found.first?.lastCall == nil)
    }

    @Test(arguments: [["mcp", "--list"], ["setup", "mcp", "docs", server], ["help", "mcp"], ["token", "work"], ["mcp", "nothing"], []])
    func otherCommandsAreNoBridges(arguments: [String]) throws {
        #expect(bridges(arguments, try world()) == [])
    }

    /// An entry from before the process began is another one's, which had the same number.
    @Test(arguments: [true, false]) func lastCallIsInTheActivity(isOlder: Bool) throws {
        let world = try world()
        let context = context(world)
        let now = context.now
        let folder = try context.directories.state
        try PrivateFile.makeDirectory(folder, isPrivate: true)
        let log = ActivityLog(folder: folder)
        let name = try #require(SessionName("work/ada"))
        for (process, second) in [(4711, 30), (4711, 20), (4712, 10)] as [(Int32, Int)] {
            let use = Activity(at: now - .seconds(second), kind: .issued, session: name, message: .verbatim("token issued"))
            log.append(ActivityRecord(use, process: process))
        }
        let age = Duration.seconds(isOlder ? 60 : 5)
        let found = bridges(["mcp", Self.server], world, began: context.edges.time.bootTime - age)
        #expect(found.first?.lastCall?.seconds == (isOlder ? now - .seconds(20) : nil)?.seconds)
        #expect(found.first?.session?.description == (isOlder ? "work/ada" : "work"))
    }

    @Test func listHasARowForEachBridge() throws {
        let at = try #require(Timestamp("2026-01-02T03:04:05Z"))
        let name = try #require(SessionName("work/ada"))
        let bridge = RunningBridge(
            process: 4711, client: .verbatim("/usr/bin/claude"), server: try #require(WebURL(Self.server)), session: name, lastCall: at)
        let session = SessionSummary(
            name: name, issuer: nil, subject: nil, recordedState: .signedIn, accessExpiresAt: nil, refreshExpiresAt: nil, isRenewable: true,
            nextRenewalAt: at + .seconds(60), scopes: [], grantedAt: at, receivedAt: at)
        let report = BridgeReport(bridges: [bridge], sessions: [session])
        #expect(report.lines.count == 2)
        for part in ["claude", Self.server, "work/ada", "4711"] { #expect(report.lines[1].contains(part)) }
        let row = report.json["bridges"]?.array?.first
        #expect(row?["client"]?.string == "/usr/bin/claude" && row?["last_call_at"]?.string == "2026-01-02T03:04:05Z")
        #expect(row?["next_renewal_at"]?.string == "2026-01-02T03:05:05Z" && row?["process"]?.integer == 4711)
    }

    @Test(arguments: [["mcp"], ["mcp", "--list", server], ["mcp", server, "--json"], ["mcp", "--list", "--account", "ada"]])
    func argumentsThatDoNotFitAreRefused(arguments: [String]) async throws {
        #expect(try await world().run(arguments).status == 64)
    }
}
