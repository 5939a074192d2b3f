import AuthModel
import ProcessHarness
import Sandbox
import TOML
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// What `yett setup` writes for clients without a program that is tried in ``GenuineToolTests``, compared with what their documents require.
struct ClientDocumentTests {
    /// The kind of a value.
    private enum Kind {
        case oneOf([String])
        case text, texts, yes

        func fits(_ value: JSONValue?) -> Bool {
            switch self {
            case .oneOf(let words): value?.string.map(words.contains) ?? false
            case .text: value?.string?.isEmpty == false
            case .texts: value?.strings?.isEmpty == false
            case .yes: value == true
            }
        }
    }

    /// The members that a client's document requires of a local server, all of which it allows, and the table with the servers.
    private static let documents: [(client: String, path: String, list: String, members: [String: Kind])] = [
        // code.claude.com/docs/en/mcp.
        (
            "claude", ".claude.json", "mcpServers", ["type": .oneOf(["stdio"]), "command": .text, "args": .texts]
        ),
        // modelcontextprotocol.io/docs/develop/connect-local-servers.
        ("claude-desktop", ".config/Claude/claude_desktop_config.json", "mcpServers", ["command": .text, "args": .texts]),
        // cursor.com/docs/mcp.
        ("cursor", ".cursor/mcp.json", "mcpServers", ["command": .text, "args": .texts]),
        // code.visualstudio.com/docs/agents/reference/mcp-configuration.
        ("vscode", ".config/Code/User/mcp.json", "servers", ["type": .oneOf(["stdio"]), "command": .text, "args": .texts]),
        // zed.dev/docs/ai/mcp.
        ("zed", ".config/zed/settings.json", "context_servers", ["source": .oneOf(["custom"]), "command": .text, "args": .texts]),
        // developers.openai.com/codex/config-schema.json, RawMcpServerConfig.
        ("codex", ".codex/config.toml", "mcp_servers", ["command": .text, "args": .texts]),
        // google-gemini/gemini-cli, schemas/settings.schema.json.
        ("gemini", ".gemini/settings.json", "mcpServers", ["command": .text, "args": .texts]),
        // opencode.ai/config.json, McpLocalConfig: no other members.
        ("opencode", ".config/opencode/opencode.json", "mcp", ["type": .oneOf(["local"]), "command": .texts]),
        // docs.github.com, "Adding MCP servers for GitHub Copilot CLI"; github/copilot-cli#1047: without tools, it reads no server.
        (
            "copilot-cli", ".copilot/mcp-config.json", "mcpServers",
            ["type": .oneOf(["local", "stdio"]), "command": .text, "args": .texts, "tools": .texts]
        ),
        // kiro.dev/docs/mcp/configuration.
        ("kiro", ".kiro/settings/mcp.json", "mcpServers", ["command": .text, "args": .texts]),
        // block/goose, ExtensionEntry and ExtensionConfig::Stdio.
        (
            "goose", ".config/goose/config.yaml", "extensions",
            ["enabled": .yes, "type": .oneOf(["stdio"]), "name": .oneOf(["example"]), "cmd": .text, "args": .texts]
        ),
        // docs.windsurf.com/windsurf/cascade/mcp.
        ("windsurf", ".codeium/windsurf/mcp_config.json", "mcpServers", ["command": .text, "args": .texts]),
    ]

    private static let variables = Dictionary(
        uniqueKeysWithValues: ["XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR"].map { ($0, "") })

    @Test func everyClientHasItsDocument() {
        #expect(Self.documents.map(\.client) == MCPClient.all.map(\.word))
    }

    @Test(arguments: documents.indices) private func entryHasWhatTheDocumentRequires(index: Int) async throws {
        let document = Self.documents[index]
        let url = "https://mcp.example.org/mcp"
        try await withSetupWorld(more: "resource = \"\(url)\"") { _, world in
            await world.setUp("mcp", "example", url, "--client", document.client, "--yes", with: Self.variables)
            let client = try #require(MCPClient(argument: document.client))
            let file = try MCPClientFile(client, path: world.home + "/" + document.path)
            let entry = try #require(file.server("example", in: [document.list])?.entry)
            #expect(Set(entry.members?.map(\.name) ?? []) == Set(document.members.keys), "\(entry)")
            for (name, kind) in document.members { #expect(kind.fits(entry[name]), "\(name)") }
            // The command, as the client starts it.
            let command = entry["command"] ?? entry["cmd"]
            let words = (command?.strings ?? command?.string.map { [$0] } ?? []) + (entry["args"]?.strings ?? [])
            #expect(words == ["\(Product.folder)/yett", "mcp", url])
            #expect(await world.setUp("mcp", "example", "--client", document.client, "--remove", "--yes", with: Self.variables).status == 0)
            #expect(!world.has(document.path))
        }
    }

    /// code.claude.com/docs/en/settings: a command that /bin/sh runs. developers.openai.com/codex/config-schema.json, ModelProviderAuthInfo: a
    /// command and its arguments. Both take standard output as the token.
    @Test func commandsOfAssistantsReturnTheToken() async throws {
        try await withSetupWorld { server, world in
            try world.write("{\"env\": {\"ANTHROPIC_BASE_URL\": \"http://127.0.0.1:\(server.port)\"}}", to: ".claude/settings.json")
            try world.write("[model_providers.work]\nbase_url = \"http://127.0.0.1:\(server.port)/v1\"\n", to: ".codex/config.toml")
            #expect(await world.setUp("claude", "sandbox", "--yes", with: Self.variables).status == 0)
            #expect(await world.setUp("codex", "work", "sandbox", "--yes", with: Self.variables).status == 0)
            let token = await world.run("token", "sandbox").output
            let settings = try JSONValue(strict: try #require(try world.content(".claude/settings.json")))
            // Claude Code's commands have the variables of its settings.
            let base = try #require(settings["env"]?["ANTHROPIC_BASE_URL"]?.string)
            let helper = try #require(settings["apiKeyHelper"]?.string)
            #expect(try world.tool("env", "ANTHROPIC_BASE_URL=\(base)", "/bin/sh", "-c", helper) == token)
            let configuration = MCPClientFile.json(try TOMLDocument(try #require(try world.content(".codex/config.toml"))).root)
            let auth = try #require(configuration["model_providers"]?["work"]?["auth"])
            #expect(auth.members?.map(\.name) == ["command", "args"])
            #expect(auth["args"]?.strings == ["token", "sandbox"])
            #expect(try world.tool(try #require(auth["command"]?.string), "token", "sandbox") == token)
        }
    }

    /// bazelbuild/bazel, CredentialHelperProvider.java: a pattern is a domain name, and EngFlow's credential-helper-spec: the answer has lists of
    /// headers, and perhaps the time of their end.
    @Test func bazelReadsTheLineAndTheAnswer() async throws {
        try await withSetupWorld { server, world in
            #expect(await world.setUp("bazel", "127.0.0.1:\(server.port)", "sandbox", "--yes").status == 0)
            let line = try #require(try world.content(".bazelrc"))
            let match = try #require(
                line.wholeMatch(of: /common --credential_helper=((?:\*|[-a-zA-Z0-9]+)(?:\.[-a-zA-Z0-9]+)+)=(\S+)\n/), "\(line)")
            #expect(match.1 == "127.0.0.1")
            let request = JSONValue.members(("uri", .string("http://127.0.0.1:\(server.port)/cache/blob"))).text
            let answer = try JSONValue(strict: try world.tool(String(match.2), "get", input: request))
            let token = await world.run("token", "sandbox").output.dropLast()
            #expect(answer["headers"] == .members(("Authorization", .array([.string("Bearer \(token)")]))))
            let names = (answer.members ?? []).map(\.name)
            #expect(names == ["headers"] || names == ["headers", "expires"])
        }
    }
}
