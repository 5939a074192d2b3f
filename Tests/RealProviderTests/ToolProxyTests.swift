import AuthModel
import Glibc
import ProcessHarness
import TestSupport
import Testing

/// `yett proxy`, `yett exec --proxy` and `yett setup mcp` with a genuine server and genuine clients.
@Suite(
    .startsPrograms, .serialized,
    .enabled(if: RealProvider.mcp.isInstalled, "the MCP SDK is not installed: see Tests/RealProviders/install"))
struct ToolProxyTests {
    private let home: TemporaryHome

    init() throws { home = try TemporaryHome() }

    private static let call = """
        {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add","arguments":{"a":2,"b":40}}}
        """

    private func yett(_ arguments: [String]) throws -> Program {
        try home.program("yett-main", arguments, with: ["BROWSER": Browser.following])
    }

    /// Runs `body` with a server at which the user is signed in.
    private func signedIn(_ body: (StartedProvider) async throws -> Void) async throws {
        try await RealProvider.mcp.running { server in
            let login = try await yett(["login", server.issuer + "/mcp", "--register", "--yes"]).run()
            guard login.status == 0 else { throw HarnessError("the sign-in: \(login)") }
            try await body(server)
            _ = try await yett(["agent", "stop"]).run()
        }
    }

    private static let curl =
        "curl -sS -H content-type:application/json -H accept:application/json,text/event-stream -d '\(call)'"

    @Test func commandSendsRequestsWithoutAToken() async throws {
        try await signedIn { server in
            let script = """
                env | grep -c ACCESS_TOKEN
                \(Self.curl) ${YETT_PROXY_URL}mcp; echo
                curl -s -X POST \(server.issuer)/end-access-tokens
                \(Self.curl) -H 'Authorization: Bearer wrong' ${YETT_PROXY_URL}mcp; echo
                for option in '-H Origin:https://evil.example' '-H Host:evil.example' '-H Upgrade:websocket'; do
                    curl -s -o /dev/null -w '%{http_code} ' $option ${YETT_PROXY_URL}mcp
                done
                curl -s -o /dev/null -w '%{http_code} ' ${YETT_PROXY_URL%/*/}/mcp
                curl -s -o /dev/null -w '%{http_code} ' ${YETT_PROXY_URL}other
                exit 7
                """
            let result = try await yett(["exec", "local", "--proxy", "--", "bash", "-c", script]).run()
            #expect(result.status == 7, "\(result)")
            let lines = result.output.split(separator: "\n")
            try #require(lines.count == 4, "\(result)")
            #expect(lines[0] == "0")
            for line in lines[1...2] {
                #expect(try JSONValue(strict: String(line))["result"]?["content"]?.array?.first?["text"] == "42", "\(line)")
            }
            #expect(lines[3] == "403 403 400 404 400 ")
            #expect(server.log.split(separator: "\n").filter { $0 == "renewed" }.count == 1)
        }
    }

    @Test func socketIsTheUsersAndGoesAway() async throws {
        try await signedIn { server in
            let path = home.path + "/run/proxy.sock"
            let proxy = try yett(["proxy", "local", "--listen", "unix:" + path]).start()
            try await eventually("the proxy does not listen") { isThere(path) }
            let mode = try await Program("/usr/bin/env", ["stat", "-c", "%a", path], environment: home.environment(with: [:])).run()
            #expect(mode.output == "600\n")
            let answer = try await Program(
                "/usr/bin/env", ["bash", "-c", "\(Self.curl) --unix-socket '\(path)' http://api/mcp"],
                environment: home.environment(with: [:])
            ).run()
            #expect(try JSONValue(strict: answer.output)["result"]?["content"]?.array?.first?["text"] == "42", "\(answer)")
            proxy.signal(SIGTERM)
            let result = await proxy.finish()
            #expect(result.output == "unix:\(path)\n", "\(result)")
            #expect(!result.errors.contains("error"), "\(result)")
            #expect(!isThere(path))
        }
    }

    /// The next request after a lock or a sign-out gets no token, although the one before was a moment ago.
    @Test func lockAndSignOutActAtOnce() async throws {
        try await signedIn { server in
            let path = home.path + "/run/proxy.sock"
            let proxy = try yett(["proxy", "local", "--listen", "unix:" + path]).start()
            try await eventually("the proxy does not listen") { isThere(path) }
            let status = {
                try await Program(
                    "/usr/bin/env",
                    ["bash", "-c", "\(Self.curl) -o /dev/null -w '%{http_code}' --unix-socket '\(path)' http://api/mcp"],
                    environment: home.environment(with: [:])
                ).run().output
            }
            #expect(try await status() == "200")
            #expect(try await yett(["agent", "lock"]).run().status == 0)
            #expect(try await status() == "502")
            #expect(try await yett(["agent", "unlock"]).run().status == 0)
            #expect(try await status() == "200")
            #expect(try await yett(["logout", "local"]).run().status == 0)
            #expect(try await status() == "401")
            proxy.signal(SIGTERM)
            _ = await proxy.finish()
        }
    }

    @Test(.enabled(if: RealProvider.fastmcp.isInstalled, "FastMCP is not installed: see Tests/RealProviders/install"))
    func webSocketOfARealLibraryPasses() async throws {
        try await RealProvider.fastmcp.running { server in
            let login = try await yett(["login", server.issuer + "/mcp", "--register", "--yes"]).run()
            try #require(login.status == 0, "\(login)")
            let script = Product.sourceTree + "/Tests/RealProviders/fastmcp/websocket.py"
            let command = "'\(RealProvider.pythonWithWebSockets)' '\(script)' \"$YETT_PROXY_URL\" \(server.issuer)"
            let result = try await yett(["exec", "local", "--proxy", "--", "bash", "-c", command]).run()
            #expect(result.status == 0 && result.output == "ok\n", "\(result)")
            _ = try await yett(["agent", "stop"]).run()
        }
    }

    /// What is open ends with the session, and with the agent that guards it; afterwards there is nothing to wait for.
    @Test(
        .enabled(if: RealProvider.fastmcp.isInstalled, "FastMCP is not installed: see Tests/RealProviders/install"),
        arguments: [["agent", "lock"], ["logout", "local"], ["agent", "stop"]])
    func openWebSocketEndsWithTheSession(command: [String]) async throws {
        try await RealProvider.fastmcp.running { server in
            let login = try await yett(["login", server.issuer + "/mcp", "--register", "--yes"]).run()
            try #require(login.status == 0, "\(login)")
            let (path, sign) = (home.path + "/run/proxy.sock", home.path + "/open")
            let proxy = try yett(["proxy", "local", "--listen", "unix:" + path]).start()
            try await eventually("the proxy does not listen") { isThere(path) }
            let script = Product.sourceTree + "/Tests/RealProviders/fastmcp/hold.py"
            let client = try Program(
                RealProvider.pythonWithWebSockets, [script, path, sign], environment: home.environment(with: [:])
            ).start()
            try await eventually("the WebSocket does not open") { isThere(sign) }
            let end = try await yett(command).run()
            #expect(end.status == 0, "\(end)")
            let held = await client.finish()
            #expect(held.status == 0 && held.output == "closed\n", "\(held)")
            proxy.signal(SIGTERM)
            _ = await proxy.finish()
            _ = try await yett(["agent", "stop"]).run()
        }
    }

    @Test(arguments: ["claude", "cursor", "vscode", "zed"]) func clientGetsTheBridge(client: String) async throws {
        try await signedIn { server in
            let words = ["setup", "mcp", "tools", server.issuer + "/mcp", "--client", client, "--yes"]
            let variables: [String: String?] = ["PATH": Product.folder + ":" + (Product.environment("PATH") ?? "/usr/bin:/bin")]
            let result = try await home.program("yett-main", words, with: variables).run()
            #expect(result.status == 0, "\(result)")
            #expect(result.output.contains("checked: yett mcp returned the answer of the server tools"), "\(result)")
            let list = try await home.program("yett-main", ["setup", "--list", "--json"], with: variables).run()
            #expect(try JSONValue(strict: list.output)["setups"]?.array?.map { $0["tool"] } == ["mcp"], "\(list)")
            let removed = try await home.program(
                "yett-main", ["setup", "mcp", "tools", "--client", client, "--remove", "--yes"], with: variables
            ).run()
            #expect(removed.status == 0, "\(removed)")
            #expect(home.files(containing: "\"args\"") == [])
        }
    }
}

private func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }
