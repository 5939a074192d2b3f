import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup mcp --all` and `--list`: the servers that clients have already.
struct SetupMCPAllTests {
    private static let url = "https://mcp.example.org/mcp"
    private static let empty = ["XDG_CONFIG_HOME": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": ""]

    /// The configuration of each client with a remote server, with comments where the client allows them, and the entry afterwards.
    private static let files: [(client: String, path: String, before: String, after: String)] = [
        (
            "claude", ".claude.json",
            "{\n  \"projects\": {\"/src\": {\"mcpServers\": {\"example\": {\"type\": \"http\", \"url\": \"URL\"}}, \"n\": 1.50}},\n  \"x\": 1\n}\n",
            "{\n  \"projects\": {\"/src\": {\"mcpServers\": {\"example\": {\"type\": \"stdio\", \"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"]}}, \"n\": 1.50}},\n  \"x\": 1\n}\n"
        ),
        (
            "claude-desktop", ".config/Claude/claude_desktop_config.json",
            "{\"mcpServers\":{\"example\":{\"command\":\"npx\",\"args\":[\"-y\",\"mcp-remote\",\"URL\"]}}}",
            "{\"mcpServers\":{\"example\":{\"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"]}}}"
        ),
        (
            "cursor", ".cursor/mcp.json", "{\"mcpServers\": {\"example\": {\"url\": \"URL\", \"disabled\": false}}}",
            "{\"mcpServers\": {\"example\": {\"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"], \"disabled\": false}}}"
        ),
        (
            "vscode", ".config/Code/User/mcp.json",
            "{\n\t// all of them\n\t\"servers\": {\n\t\t\"example\": {\n\t\t\t\"url\": \"URL\", // mine\n\t\t\t\"type\": \"http\"\n\t\t},\n\t},\n}\n",
            "{\n\t// all of them\n\t\"servers\": {\n\t\t\"example\": {\n\t\t\t\"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"], // mine\n\t\t\t\"type\": \"stdio\"\n\t\t},\n\t},\n}\n"
        ),
        (
            "zed", ".config/zed/settings.json", "{ \"context_servers\": { \"example\": { \"url\": \"URL\" } } }",
            "{ \"context_servers\": { \"example\": { \"source\": \"custom\", \"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"] } } }"
        ),
        (
            "codex", ".codex/config.toml", "# mine\n[mcp_servers.example]\n# remote\nurl = \"URL\"\nenabled = true\n",
            "# mine\n[mcp_servers.example]\n# remote\ncommand = \"YETT\"\nargs = [\"mcp\", \"URL\"]\nenabled = true\n"
        ),
        (
            "gemini", ".gemini/settings.json", "{\"mcpServers\": {\"example\": {\"httpUrl\": \"URL\", \"timeout\": 5000}}}",
            "{\"mcpServers\": {\"example\": {\"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"], \"timeout\": 5000}}}"
        ),
        (
            "opencode", ".config/opencode/opencode.jsonc",
            "{\"mcp\": {\"example\": {\"type\": \"remote\", \"url\": \"URL\", \"enabled\": true}}}",
            "{\"mcp\": {\"example\": {\"type\": \"local\", \"command\": [\"YETT\",\"mcp\",\"URL\"], \"enabled\": true}}}"
        ),
        (
            "goose", ".config/goose/config.yaml",
            "extensions:\n  example:\n    enabled: true\n    type: streamable_http # remote\n    name: example\n    description: ''\n    uri: URL\n    envs: {}\n    env_keys: []\n    headers: {}\n    bundled: null\n# mine\nGOOSE_MODEL: x\n",
            "extensions:\n  example:\n    enabled: true\n    type: \"stdio\" # remote\n    name: example\n    description: ''\n    cmd: \"YETT\"\n    args: [\"mcp\",\"URL\"]\n    envs: {}\n    env_keys: []\n    headers: {}\n    bundled: null\n# mine\nGOOSE_MODEL: x\n"
        ),
        (
            "windsurf", ".codeium/windsurf/mcp_config.json", "{\"mcpServers\": {\"example\": {\"serverUrl\": \"URL\"}}}",
            "{\"mcpServers\": {\"example\": {\"command\": \"YETT\", \"args\": [\"mcp\",\"URL\"]}}}"
        ),
    ]

    private static func filled(_ text: String) -> String {
        text.replacing("YETT", with: "\(Product.folder)/yett").replacing("URL", with: url)
    }

    private func withClients(_ body: (CommandWorld) async throws -> Void) async throws {
        try await withSetupWorld(more: "resource = \"\(Self.url)\"") { _, world in
            for file in Self.files { try world.write(Self.filled(file.before), to: file.path) }
            try await body(world)
        }
    }

    private func run(_ world: CommandWorld, _ arguments: String...) async -> CommandResult {
        await world.run(["setup", "mcp"] + arguments, with: world.toolEnvironment.merging(Self.empty) { $1 })
    }

    @Test func everyClientIsMovedAndEveryByteComesBack() async throws {
        try await withClients { world in
            let result = await run(world, "--all", "--yes")
            #expect(result.status == 0, "\(result.errors)")
            for file in Self.files { #expect(try world.content(file.path) == Self.filled(file.after), "\(file.client)") }
            #expect(result.output.contains("moved: Cursor gets example from yett\n"), "\(result.output)")
            #expect(await run(world, "--all", "--yes").output == "nothing was changed\n")
            let list = await run(world, "--list", "--json")
            let servers = try JSONValue(strict: list.output)["servers"]?.array ?? []
            #expect(servers.count == Self.files.count)
            #expect(servers.allSatisfy { $0["served_by_yett"] == true })
            let back = await run(world, "--all", "--remove", "--yes")
            #expect(back.status == 0, "\(back.errors)")
            for file in Self.files { #expect(try world.content(file.path) == Self.filled(file.before), "\(file.client)") }
            #expect(await run(world, "--all", "--remove", "--yes").output == "nothing was changed\n")
        }
    }

    @Test func whatTheUserChangedMeanwhileStays() async throws {
        try await withClients { world in
            #expect(await run(world, "--all", "--yes").status == 0)
            // A client writes its file anew, in its own layout, with more in it.
            try world.write(
                Self.filled(
                    """
                    {
                      "x": 2,
                      "mcpServers": {
                        "example": {
                          "command": "YETT",
                          "args": [
                            "mcp",
                            "URL"
                          ],
                          "disabled": true
                        },
                        "new": {"command": "y"}
                      }
                    }
                    """), to: ".cursor/mcp.json")
            try world.write(
                Self.filled("[mcp_servers.example]\ncommand = \"YETT\"\nargs = [\"mcp\", \"URL\", \"--sign-in\"]\n"),
                to: ".codex/config.toml")
            let back = await run(world, "--all", "--remove", "--yes")
            #expect(back.status == 2)
            #expect(back.errors.contains("\(world.home)/.codex/config.toml was changed after it was moved"), "\(back.errors)")
            #expect(try world.content(".codex/config.toml")?.contains("--sign-in") == true)
            let cursor = try JSONValue(strict: try #require(try world.content(".cursor/mcp.json")))
            #expect(cursor["mcpServers"]?["example"] == .members(("url", .string(Self.url)), ("disabled", true)))
            #expect(cursor["mcpServers"]?["new"]?["command"] == "y")
            #expect(cursor["x"] == 2)
            #expect(try world.content(".gemini/settings.json") == Self.filled(Self.files[6].before))
        }
    }

    @Test func ownCredentialsAndUnknownServersStayAndAreNamed() async throws {
        try await withSetupWorld(more: "resource = \"\(Self.url)\"") { _, world in
            let cursor = Self.filled(
                "{\"mcpServers\": {\"a\": {\"url\": \"URL\", \"headers\": {\"Authorization\": \"Bearer secret-word\"}}, \"b\": {\"url\": \"https://b.example.org/mcp\"}}}"
            )
            try world.write(cursor, to: ".cursor/mcp.json")
            try world.write("{\"mcpOAuth\": {\"x\": {}}}", to: ".claude/.credentials.json")
            let result = await run(world, "--all", "--yes")
            #expect(result.status == 0)
            #expect(try world.content(".cursor/mcp.json") == cursor)
            #expect(result.errors.contains("a in Cursor stays: it has \"headers\" of its own"), "\(result.errors)")
            #expect(result.errors.contains("yett login https://b.example.org/mcp --register"), "\(result.errors)")
            let list = await run(world, "--list")
            #expect(
                list.output.contains("Claude Code keeps tokens of its own sign-ins in \(world.home)/.claude/.credentials.json"),
                "\(list.output)")
            #expect(list.output.contains("the client (headers)"), "\(list.output)")
            #expect(!(result.output + result.errors + list.output + list.errors).contains("secret-word"))
        }
    }

    /// A value that is not read is there all the same.
    @Test(arguments: [
        "\n      Authorization: Bearer secret-word", " {Authorization: Bearer secret-word}", " |\n      Authorization: Bearer secret-word",
    ])
    func headersInAnyFormStay(headers: String) async throws {
        try await withSetupWorld(more: "resource = \"\(Self.url)\"") { _, world in
            let text = Self.filled("extensions:\n  a:\n    type: streamable_http\n    uri: URL\n    headers:\(headers)\n")
            try world.write(text, to: ".config/goose/config.yaml")
            let result = await run(world, "--all", "--yes")
            #expect(result.errors.contains("a in goose stays: it has \"headers\" of its own"), "\(result.errors)")
            #expect(try world.content(".config/goose/config.yaml") == text)
        }
    }

    @Test func damagedFileIsNamedAndOthersAreMoved() async throws {
        try await withClients { world in
            try world.write("{", to: ".gemini/settings.json")
            let result = await run(world, "--all", "--yes")
            #expect(result.errors.contains(".gemini/settings.json cannot be read"), "\(result.errors)")
            #expect(try world.content(".gemini/settings.json") == "{")
            #expect(try world.content(".cursor/mcp.json") == Self.filled(Self.files[2].after))
        }
    }

    @Test func consentIsNeeded() async throws {
        try await withClients { (world) async throws in
            let result = await run(world, "--all")
            #expect(result.status == 64, "\(result.errors)")
            #expect(result.errors.contains("- \"url\": \"\(Self.url)\""), "\(result.errors)")
            for file in Self.files {
                #expect(try world.content(file.path) == Self.filled(file.before), "\(file.client)")
            }
        }
    }

    /// A key in the URL would become an argument, which every user sees.
    @Test(arguments: [
        ("https://mcp.example.org/mcp", false), ("https://mcp.example.org/payments-server-production-v2", false),
        ("https://mcp.example.org/model_context_protocol/2025-11-25/mcp", false), ("https://mcp.example.org/api/v1beta1/mcp", false),
        ("https://mcp.example.org/s/NjQ0ZGEyYTktMWM3Yy00/mcp", true),
        ("https://mcp.example.org/550e8400-e29b-41d4-a716-446655440000", true),
        ("https://mcp.example.org/sk-live4f9a8b7c6d5e4f3a2b1c/mcp", true), ("https://mcp.example.org/a1b2c-d3e4f-g5h6i-j7k8l", true),
        ("https://mcp.example.org/mcp?key=x", true), ("https://mcp.example.org/mcp#x", true),
    ])
    func urlWithAKeyIsFound(address: String, mayHaveKey: Bool) throws {
        #expect(try #require(WebURL(address)).mayHaveKey == mayHaveKey)
    }
}
