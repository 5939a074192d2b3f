import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// `yett mcp` between the client and the server of the official SDK; `Tests/RealProviders/mcp/client.py` has the scenarios.
@Suite(
    .startsPrograms, .serialized,
    .enabled(if: RealProvider.mcp.isInstalled, "the MCP SDK is not installed: see Tests/RealProviders/install"))
struct ToolBridgeTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    private func expectSuccess(of scenario: String, at server: StartedProvider) async throws {
        let client = Program(
            RealProvider.python,
            [Product.sourceTree + "/Tests/RealProviders/mcp/client.py", scenario, try Product.program("yett-main"), server.issuer],
            environment: home.environment(with: ["BROWSER": Browser.following]), limit: .seconds(300))
        let result = try await client.run()
        #expect(result.status == 0 && result.output == "ok\n", "\(scenario): \(result)")
        // No token in what the client sees of the bridge's process.
        #expect(!result.errors.contains("Bearer "))
    }

    private func signIn(_ server: StartedProvider) async throws {
        let login = try await home.program(
            "yett-main", ["login", server.issuer + "/mcp", "--register", "--yes"], with: ["BROWSER": Browser.following]
        ).run()
        guard login.status == 0 else { throw HarnessError("the sign-in: \(login)") }
    }

    /// Runs scenarios against one server, with an agent that all bridges share.
    private func run(_ scenarios: [String], at kind: RealProvider) async throws {
        try await kind.running { server in
            try await expectSuccess(of: "signed_out", at: server)
            try await signIn(server)
            for scenario in scenarios { try await expectSuccess(of: scenario, at: server) }
            _ = try await home.program("yett-main", ["agent", "stop"]).run()
        }
    }

    @Test func passesEverythingOnWithSessionsAndStreams() async throws {
        try await run(
            [
                "calls_tools", "many_at_once", "server_asks", "progress", "lost_session", "resumed_stream", "cancelled", "framing",
                "ends_with_input", "answers_after_the_end_of_input", "ends_with_signal", "needs_scope", "stateless", "discovers",
                "listens", "many_ask", "cancels_many", "all_lines_at_once", "clumsy_lines", "output_closed", "repeats_arguments",
                "tokens_end_in_a_stream", "hides_tokens",
            ], at: .mcpSessions)
    }

    @Test func passesEverythingOnWithOneStream() async throws {
        try await run(
            [
                "calls_tools", "many_at_once", "server_asks", "progress", "cancelled", "ends_with_input", "answers_after_the_end_of_input",
                "ends_with_signal", "many_ask", "cancels_many", "ended_stream",
            ],
            at: .mcpOneStream)
    }

    @Test func passesEverythingOnWithoutSessions() async throws {
        try await run(["calls_tools", "many_at_once", "framing", "stateless", "discovers", "listens", "repeats_arguments"], at: .mcp)
    }

    /// All tokens end at once; eight bridges renew them together, once.
    @Test func bridgesShareOneRenewal() async throws {
        try await RealProvider.mcpSessions.running { server in
            try await signIn(server)
            try await expectSuccess(of: "many_bridges", at: server)
            #expect(server.log.split(separator: "\n").filter { $0 == "renewed" }.count == 1, "\(server.log)")
            _ = try await home.program("yett-main", ["agent", "stop"]).run()
        }
    }

    /// Two servers on one host: the session of one is never used at the other.
    @Test func sessionOfAnotherResourceIsNotUsed() async throws {
        try await RealProvider.mcp.running { server in
            try await signIn(server)
            let bridge = try home.program(
                "yett-main", ["mcp", server.issuer + "/mcp-other"],
                input: #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"# + "\n")
            let result = try await bridge.run()
            #expect(result.status == 0)
            let answer = try JSONValue(strict: result.output)
            #expect(answer["id"] == 1)
            #expect(answer["error"]?["code"] == -32000, "\(answer)")
            _ = try await home.program("yett-main", ["agent", "stop"]).run()
        }
    }
}
