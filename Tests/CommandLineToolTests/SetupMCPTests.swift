import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup mcp` and the configuration of each client.
struct SetupMCPTests {
    private static let paths = [
        "claude": ".claude.json", "cursor": ".cursor/mcp.json", "vscode": ".config/Code/User/mcp.json", "zed": ".config/zed/settings.json",
    ]

    private func withServer(_ body: (SandboxServer, CommandWorld, String) async throws -> Void) async throws {
        let resource = "https://mcp.example.org/mcp"
        try await withSetupWorld(more: "resource = \"\(resource)\"") { server, world in try await body(server, world, resource) }
    }

    /// The server of the test is not there, so the check says so and the setup stays.
    @Test(
        arguments: [
            ("claude", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"own\": {\"command\": \"x\"}\n  }\n}\n"), ("cursor", nil),
            ("vscode", "{}"), ("zed", "{ \"theme\": \"One\" }\n"),
        ] as [(String, String?)])
    func entryIsAddedAndRemovedAndNothingElse(client: String, before: String?) async throws {
        try await withServer { _, world, resource in
            let path = try #require(Self.paths[client])
            if let before { try world.write(before, to: path) }
            let result = await world.setUp(
                "mcp", "example", resource, "--client", client, "--yes", with: ["XDG_CONFIG_HOME": world.home + "/.config"])
            let changed = try JSONValue(strict: try #require(try world.content(path)))
            let key = ["vscode": "servers", "zed": "context_servers"][client] ?? "mcpServers"
            let entry = try #require(changed[key]?["example"], "\(result.errors)")
            #expect(entry["args"]?.strings == ["mcp", resource])
            #expect(entry["command"]?.string?.hasSuffix("/yett") == true)
            #expect(entry["type"] == (["claude", "vscode"].contains(client) ? "stdio" : nil))
            #expect(result.status != 0)
            #expect(result.errors.contains("got no answer of example"), "\(result.errors)")
            let removed = await world.setUp(
                "mcp", "example", "--client", client, "--remove", "--yes", with: ["XDG_CONFIG_HOME": world.home + "/.config"])
            #expect(removed.status == 0, "\(removed.errors)")
            if let before { #expect(try world.content(path) == before) } else { #expect(!world.has(path)) }
        }
    }

    @Test func otherServerAndCommentsAreLeftAlone() async throws {
        try await withServer { _, world, resource in
            for text in ["{\"mcpServers\":{\"example\":{\"command\":\"x\"}}}", "{ // mine\n}", "[]", "{\"mcpServers\":[]}"] {
                try world.write(text, to: ".claude.json")
                let result = await world.setUp("mcp", "example", resource, "--client", "claude", "--yes")
                #expect(result.status == 2, "\(text)")
                #expect(try world.content(".claude.json") == text)
            }
        }
    }

    @Test func signInComesFirst() async throws {
        try await withServer { _, world, _ in
            let result = await world.setUp("mcp", "example", "https://other.example.org/mcp", "--client", "zed", "--yes")
            #expect(result.errors.contains("yett login https://other.example.org/mcp --register"), "\(result.errors)")
            #expect(!world.has(".config/zed/settings.json"))
        }
    }
}
