import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// `yett setup mcp` and the configuration of each client.
struct SetupMCPTests {
    private func withServer(_ body: (SandboxServer, CommandWorld, String) async throws -> Void) async throws {
        let resource = "https://mcp.example.org/mcp"
        try await withSetupWorld(more: "resource = \"\(resource)\"") { server, world in try await body(server, world, resource) }
    }

    private static let configuration = ["XDG_CONFIG_HOME": "", "CODEX_HOME": "", "CLAUDE_CONFIG_DIR": ""]

    /// The server of the test is not there, so the check says so and the setup stays.
    @Test(
        arguments: [
            (
                "claude", ".claude.json", "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"own\": {\"command\": \"x\"}\n  }\n}\n",
                #"{"mcpServers":{"example":{"type":"stdio","command":"YETT","args":["mcp","URL"]}}}"#
            ),
            (
                "claude-desktop", ".config/Claude/claude_desktop_config.json", nil,
                #"{"mcpServers":{"example":{"command":"YETT","args":["mcp","URL"]}}}"#
            ),
            ("cursor", ".cursor/mcp.json", nil, #"{"mcpServers":{"example":{"command":"YETT","args":["mcp","URL"]}}}"#),
            (
                "vscode", ".config/Code/User/mcp.json", "{}",
                #"{"servers":{"example":{"type":"stdio","command":"YETT","args":["mcp","URL"]}}}"#
            ),
            (
                "zed", ".config/zed/settings.json", "// Zed settings\n{ \"theme\": \"One\", /* dark */ }\n",
                #"{"context_servers":{"example":{"source":"custom","command":"YETT","args":["mcp","URL"]}}}"#
            ),
            (
                "gemini", ".gemini/settings.json", "{\n  \"a\": 1\n}\n",
                #"{"mcpServers":{"example":{"command":"YETT","args":["mcp","URL"]}}}"#
            ),
            (
                "opencode", ".config/opencode/opencode.jsonc",
                "{\n  // mine\n  \"mcp\": {\n    \"a\": {\"type\": \"local\"}, // a\n  },\n}\n",
                #"{"mcp":{"example":{"type":"local","command":["YETT","mcp","URL"]}}}"#
            ),
            (
                "opencode", ".config/opencode/opencode.json", "{\"mcp\": {\"servers\": {\"a\": {\"type\": \"local\"}}}}",
                #"{"mcp":{"servers":{"example":{"type":"local","command":["YETT","mcp","URL"]}}}}"#
            ),
            (
                "copilot-cli", ".copilot/mcp-config.json", nil,
                #"{"mcpServers":{"example":{"type":"stdio","command":"YETT","args":["mcp","URL"],"tools":["*"]}}}"#
            ),
            ("kiro", ".kiro/settings/mcp.json", nil, #"{"mcpServers":{"example":{"command":"YETT","args":["mcp","URL"]}}}"#),
            ("windsurf", ".codeium/windsurf/mcp_config.json", nil, #"{"mcpServers":{"example":{"command":"YETT","args":["mcp","URL"]}}}"#),
        ] as [(String, String, String?, String)])
    func entryIsAddedAndRemovedAndNothingElse(client: String, path: String, before: String?, wanted: String) async throws {
        try await withServer { _, world, resource in
            if let before { try world.write(before, to: path) }
            let result = await world.setUp("mcp", "example", resource, "--client", client, "--yes", with: Self.configuration)
            let text = try #require(try world.content(path), "\(result.errors)")
            let changed = try JSONValue(strict: JSONEditor.plain(text))
            let expected = try JSONValue(strict: wanted.replacing("YETT", with: "\(Product.folder)/yett").replacing("URL", with: resource))
            func entry(_ root: JSONValue) -> JSONValue? {
                let list = root.members?.last?.value
                return list?["example"] ?? list?["servers"]?["example"]
            }
            let list = try #require(expected.members?.first?.name)
            #expect((changed[list]?["example"] ?? changed[list]?["servers"]?["example"]) == entry(expected), "\(text)")
            #expect(result.status != 0)
            #expect(result.errors.contains("got no answer of example"), "\(result.errors)")
            for line in (before ?? "").split(separator: "\n") where line.contains("//") { #expect(text.contains(line)) }
            await world.setUp("mcp", "example", "--client", client, "--remove", "--yes", with: Self.configuration, exits: 0)
            if let before {
                #expect(try world.content(path) == before)
            } else {
                #expect(!world.has(path))
            }
        }
    }

    @Test func codexGetsATableAndKeepsItsComments() async throws {
        try await withServer { _, world, resource in
            let before = "# mine\nmodel = \"x\" # best\n\n[mcp_servers.other]\ncommand = \"y\"\n"
            try world.write(before, to: ".codex/config.toml")
            let result = await world.setUp("mcp", "example", resource, "--client", "codex", "--yes", with: Self.configuration)
            let entry = "\n[mcp_servers.example]\ncommand = \"\(Product.folder)/yett\"\nargs = [\"mcp\", \"\(resource)\"]\n"
            #expect(try world.content(".codex/config.toml") == before + entry, "\(result.errors)")
            await world.setUp("mcp", "example", "--client", "codex", "--remove", "--yes", with: Self.configuration, exits: 0)
            #expect(try world.content(".codex/config.toml") == before)
        }
    }

    /// What goose writes has other indentation, lists and block scalars. Every byte comes back.
    @Test(
        arguments: [
            (nil, "extensions:\n  \"example\":\nENTRY\n"), ("GOOSE_MODEL: x", "GOOSE_MODEL: x\nextensions:\n  \"example\":\nENTRY"),
            ("extensions: {} # none\n", "extensions: {\"example\":JSON} # none\n"),
            (
                "# mine\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n    timeout: 300 # long\n\nGOOSE_MODE: 'it''s'\n",
                "# mine\nextensions:\n  developer:\n    enabled: true\n    type: builtin\n    timeout: 300 # long\n  \"example\":\nENTRY\n\nGOOSE_MODE: 'it''s'\n"
            ),
            (
                "extensions:\n  own:\n    args:\n    - -y\n    - \"x: y\"\n    instructions: |\n      Use: [it\n\n      # often\nproviders:\n- name: a\n  url: https://a.example\n",
                "extensions:\n  own:\n    args:\n    - -y\n    - \"x: y\"\n    instructions: |\n      Use: [it\n\n      # often\n  \"example\":\nENTRY\nproviders:\n- name: a\n  url: https://a.example\n"
            ),
        ] as [(String?, String)])
    func gooseGetsAnEntryAndKeepsItsBytes(before: String?, after: String) async throws {
        try await withServer { _, world, resource in
            let path = ".config/goose/config.yaml"
            if let before { try world.write(before, to: path) }
            let members = [
                "enabled: true", "type: \"stdio\"", "name: \"example\"", "cmd: \"\(Product.folder)/yett\"",
                "args: [\"mcp\",\"\(resource)\"]",
            ]
            let json = "{" + members.map { "\"" + $0.replacing(": ", with: "\":", maxReplacements: 1) }.joined(separator: ",") + "}"
            let wanted = after.replacing("ENTRY", with: members.map { "    " + $0 }.joined(separator: "\n")).replacing("JSON", with: json)
            for _ in 1...2 {
                let result = await world.setUp("mcp", "example", resource, "--client", "goose", "--yes", with: Self.configuration)
                #expect(try world.content(path) == wanted, "\(result.errors)")
            }
            await world.setUp("mcp", "example", "--client", "goose", "--remove", "--yes", with: Self.configuration, exits: 0)
            #expect(try world.content(path) == before)
        }
    }

    /// goose writes its file anew, with all members in its own layout.
    @Test func entryThatGooseHasRewrittenIsRemoved() async throws {
        try await withServer { _, world, resource in
            let others = "extensions:\n  developer:\n    enabled: true\n    type: builtin\n    name: developer\nGOOSE_MODEL: x\n"
            let own =
                "  example:\n    enabled: true\n    type: stdio\n    name: example\n    description: ''\n    cmd: \(Product.folder)/yett\n"
                + "    args:\n    - mcp\n    - \(resource)\n    envs: {}\n    timeout: null\n"
            try world.write(others.replacing("  developer", with: own + "  developer", maxReplacements: 1), to: ".config/goose/config.yaml")
            await world.setUp("mcp", "example", "--client", "goose", "--remove", "--yes", with: Self.configuration, exits: 0)
            #expect(try world.content(".config/goose/config.yaml") == others)
        }
    }

    /// YAML that may mean something else than it seems is left alone; the user learns what to add.
    @Test(arguments: [
        "extensions:\n", "extensions:\n\tx: 1\n", "extensions:\n- a\n", "extensions: &all {}\n", "a: *b\nextensions: {}\n",
        "a: 1\n---\nextensions: {}\n", "extensions: {a: {type: sse}}\n", "a: \"b\nextensions: {}\nc\"\n", "a: [b\nextensions: {}\n]\n",
        "extensions: {}\nextensions: {}\n", "extensions:\n  a:\n    b: 1\n  a:\n    b: 2\n", "extensions:\n   a:\n    b: 1\n  c: 1\n",
        "? extensions\n: {}\n", "a: |+\n  b\n\nextensions: {}\n", "a: 1\r\n", "a: 1\u{2028}extensions: {}\n", "- a\n", "extensions: - a\n",
        "extensions:  {  }\n", "extensions :\n  a:\n    b: 1\n", "extensions:\n  <<: {a: {b: 1}}\n", "a: |\n  text",
        "extensions:\n  example: {type: sse}\n",
    ])
    func otherYAMLIsLeftAlone(text: String) async throws {
        try await withServer { _, world, resource in
            try world.write(text, to: ".config/goose/config.yaml")
            let result = await world.setUp("mcp", "example", resource, "--client", "goose", "--yes", with: Self.configuration, exits: 2)
            #expect(result.errors.contains("add below extensions: this line, indented by two spaces: \"example\": {"), "\(result.errors)")
            #expect(try world.content(".config/goose/config.yaml") == text)
        }
    }

    @Test func otherServersAndDamagedFilesAreLeftAlone() async throws {
        try await withServer { _, world, resource in
            for text in [
                "{\"mcpServers\":{\"example\":{\"command\":\"x\"}}}", "{ // mine\n", "[]", "{\"mcpServers\":[]}", "{\"a\": 1 /* }",
            ] {
                try world.write(text, to: ".claude.json")
                let result = await world.setUp("mcp", "example", resource, "--client", "claude", "--yes", with: Self.configuration)
                #expect(result.status == 2, "\(text)")
                #expect(try world.content(".claude.json") == text)
            }
        }
    }

    @Test func signInComesFirst() async throws {
        try await withServer { _, world, _ in
            let result = await world.setUp(
                "mcp", "example", "https://other.example.org/mcp", "--client", "zed", "--yes", with: Self.configuration)
            #expect(result.errors.contains("yett login https://other.example.org/mcp --register"), "\(result.errors)")
            #expect(!world.has(".config/zed/settings.json"))
        }
    }
}
