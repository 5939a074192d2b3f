import AuthModel
import ProcessHarness
import TestSupport
import Testing

/// Tool servers of the Model Context Protocol, built with the common packages: from the server's address to a tool's result.
@Suite(.startsPrograms, .serialized) struct ToolServerTests {
    @Suite(.startsPrograms, .enabled(if: RealProvider.mcp.isInstalled, "the MCP SDK is not installed: see Tests/RealProviders/install"))
    struct OfficialSDK {
        @Test func signsInFromTheAddressAndCallsATool() async throws { try await ToolJourney(.mcp).signInFromTheAddressAndCallATool() }
        @Test func parallelRequestsShareOneRenewal() async throws { try await ToolJourney(.mcp).renewOnceForEightRequests() }
        @Test func failedSignInLeavesNoProvider() async throws { try await ToolJourney(.mcp).signInAfterAFailedAttempt() }
    }

    @Suite(.startsPrograms, .enabled(if: RealProvider.fastmcp.isInstalled, "FastMCP is not installed: see Tests/RealProviders/install"))
    struct FastMCP {
        /// This server requires a token only for POST requests.
        @Test func signsInFromTheAddressAndCallsATool() async throws { try await ToolJourney(.fastmcp).signInFromTheAddressAndCallATool() }
    }
}

/// The steps that a user takes with a tool server, in the built program.
private struct ToolJourney {
    let kind: RealProvider
    let home: TemporaryHome

    init(_ kind: RealProvider) throws {
        self.kind = kind
        home = try TemporaryHome()
    }

    private static let call = """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":40}}}
        """

    private func yett(_ arguments: String..., browser: String = Browser.following) async throws -> ProgramResult {
        try await home.program("yett-main", arguments, with: ["BROWSER": browser, "YETT_NO_AGENT": "1"]).run()
    }

    private func signIn(_ server: StartedProvider) async throws {
        let login = try await yett("login", server.issuer + "/mcp", "--register", "--yes")
        guard login.status == 0 else { throw HarnessError("the sign-in: \(login)") }
    }

    private func callTool(_ server: StartedProvider) async throws -> ProgramResult {
        try await yett(
            "request", "local", server.issuer + "/mcp", "--json", "-d", Self.call, "-H", "Content-Type: application/json", "-H",
            "Accept: application/json, text/event-stream")
    }

    private func expectAnswer(_ result: ProgramResult) throws {
        #expect(result.status == 0, "\(result)")
        let answer = try JSONValue(strict: result.output)
        #expect(answer["status"] == 200)
        #expect(answer["body"]?["result"]?["content"]?.array?.first?["text"] == "42", "\(result)")
        #expect(answer["headers"]?.array?.contains { $0["name"]?.string?.lowercased() == "content-type" } == true)
    }

    func signInFromTheAddressAndCallATool() async throws {
        try await kind.running { server in
            try await signIn(server)
            try expectAnswer(try await callTool(server))
            // A second sign-in keeps the one account.
            try await signIn(server)
            let sessions = try JSONValue(strict: try await yett("status", "--json").output)["sessions"]?.array ?? []
            #expect(sessions.count == 1)
            try expectAnswer(try await callTool(server))
            // The client secret, which these servers require, is never stored in plain text, and it revokes the tokens.
            #expect(home.files(containing: "\"client_secret\"") == [])
            let check = try await yett("providers", "check")
            #expect(check.status == 0, "\(check)")
            let logout = try await yett("logout", "--json")
            #expect(logout.status == 0, "\(logout)")
            #expect(!logout.output.contains("failed"), "\(logout)")
        }
    }

    func renewOnceForEightRequests() async throws {
        try await kind.running(accessTokenSeconds: 3_600) { server in
            try await signIn(server)
            try await server.endAccessTokens()
            let results = try await withThrowingTaskGroup(of: ProgramResult.self) { group in
                for _ in 0..<8 { group.addTask { try await callTool(server) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            for result in results { try expectAnswer(result) }
            #expect(server.log.split(separator: "\n").filter { $0 == "renewed" }.count == 1, "\(server.log)")
        }
    }

    func signInAfterAFailedAttempt() async throws {
        try await kind.running { server in
            // A browser that never comes back; the built program has the machine's clock, and a busy machine only makes it wait longer.
            let failed = try await yett("login", server.issuer + "/mcp", "--register", "--yes", "--timeout", "2", browser: "/bin/true")
            #expect(failed.status != 0)
            let providers = try await yett("providers", "list", "--json")
            #expect(try JSONValue(strict: providers.output)["providers"]?.array == [], "\(providers)")
            try await signIn(server)
            try expectAnswer(try await callTool(server))
        }
    }
}
