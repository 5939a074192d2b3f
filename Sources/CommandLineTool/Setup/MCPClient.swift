internal import ArgumentParser
internal import AuthModel

/// A client of the Model Context Protocol whose configuration `yett setup` writes: one row of ``all``.
struct MCPClient: Sendable {
    /// The syntax of a configuration file.
    enum Format: Sendable {
        /// JSON, with comments and trailing commas where the client allows them.
        case json
        case toml
        /// YAML of the kind that programs write.
        case yaml
    }

    /// The folder that the paths of a client are below.
    enum Folder: Sendable {
        case home
        /// `XDG_CONFIG_HOME`.
        case configuration
        /// The folder that a variable names, otherwise one below the home; empty for the home itself.
        case variable(String, otherwise: String)
    }

    /// The word on the command line.
    let word: String
    /// The name for people.
    let name: String
    let folder: Folder
    /// The paths below the folder. A new entry goes to the first that exists, otherwise to the first.
    let files: [String]
    var format = Format.json
    /// The path of the table of servers, by their names.
    let list: [String]
    /// The paths of further tables; `*` stands for any name. A new entry goes to one without `*` if it is there.
    var otherLists: [[String]] = []
    /// The members of an entry before its command.
    var start: [JSONValue.Member] = []
    /// The members of an entry after its command.
    var end: [JSONValue.Member] = []
    /// The member with the command.
    var commandKey = "command"
    /// Whether `command` is a list that has the arguments too.
    var hasCommandList = false
    /// The member that repeats the name of the server; `nil` if none does.
    var nameKey: String?
    /// The members of a remote entry that can have the server's URL.
    let urls: [String]
    /// The file with the tokens of the client's own sign-ins, below the home; `nil` if it keeps them elsewhere.
    var tokens: String?
    /// The member of that file that has them; `nil` if all of it is about them.
    var tokensMember: String?

    /// Returns the paths of the configuration files.
    func paths(in environment: SetupEnvironment) -> [String] {
        let start =
            switch folder {
            case .home: environment.home
            case .configuration: environment.configuration
            case .variable(let name, let other): environment.absolute(name) ?? environment.home + other
            }
        return files.map { "\(start)/\($0)" }
    }

    /// Returns the members of an entry of a server that a command serves.
    func members(of name: String, command: String, arguments: [String]) -> [JSONValue.Member] {
        let start = start + (nameKey.map { [.init($0, .string(name))] } ?? [])
        guard !hasCommandList else { return start + [.init(commandKey, JSONValue([command] + arguments))] + end }
        return start + [.init(commandKey, .string(command)), .init("args", JSONValue(arguments))] + end
    }

    /// Returns the words of the command that an entry runs; none for a remote entry.
    func command(of entry: JSONValue) -> [String] {
        hasCommandList ? entry[commandKey]?.strings ?? [] : (entry[commandKey]?.string).map { [$0] + (entry["args"]?.strings ?? []) } ?? []
    }
}

extension MCPClient {
    /// All clients. Each row names the document that it follows.
    static let all = [
        // code.claude.com/docs/en/mcp ("MCP installation scopes") and /en/settings: ~/.claude.json, the servers of a project below its
        // path.
        MCPClient(
            word: "claude", name: "Claude Code", folder: .variable("CLAUDE_CONFIG_DIR", otherwise: ""), files: [".claude.json"],
            list: ["mcpServers"], otherLists: [["projects", "*", "mcpServers"]], start: [.init("type", "stdio")], urls: ["url"],
            tokens: ".claude/.credentials.json", tokensMember: "mcpOAuth"),
        // modelcontextprotocol.io/docs/develop/connect-local-servers; remote servers are commands of mcp-remote in this file.
        MCPClient(
            word: "claude-desktop", name: "Claude Desktop", folder: .configuration, files: ["Claude/claude_desktop_config.json"],
            list: ["mcpServers"], urls: ["url"], tokens: ".mcp-auth"),
        // docs.cursor.com/context/mcp: ~/.cursor/mcp.json.
        MCPClient(word: "cursor", name: "Cursor", folder: .home, files: [".cursor/mcp.json"], list: ["mcpServers"], urls: ["url"]),
        // code.visualstudio.com/docs/copilot/reference/mcp-configuration: mcp.json of the user's profile.
        MCPClient(
            word: "vscode", name: "VS Code", folder: .configuration, files: ["Code/User/mcp.json"], list: ["servers"],
            start: [.init("type", "stdio")], urls: ["url"]),
        // zed.dev/docs/ai/mcp: context_servers in settings.json.
        MCPClient(
            word: "zed", name: "Zed", folder: .configuration, files: ["zed/settings.json"], list: ["context_servers"],
            start: [.init("source", "custom")], urls: ["url"]),
        // developers.openai.com/codex/mcp and /codex/config-reference: [mcp_servers.NAME] in config.toml.
        MCPClient(
            word: "codex", name: "Codex", folder: .variable("CODEX_HOME", otherwise: "/.codex"), files: ["config.toml"], format: .toml,
            list: ["mcp_servers"], urls: ["url"], tokens: ".codex/.credentials.json"),
        // geminicli.com/docs/tools/mcp-server: httpUrl, or url for the older transport; mcp-oauth-tokens.json has the tokens.
        MCPClient(
            word: "gemini", name: "Gemini CLI", folder: .home, files: [".gemini/settings.json"], list: ["mcpServers"],
            urls: ["httpUrl", "url"], tokens: ".gemini/mcp-oauth-tokens.json"),
        // opencode.ai/docs/mcp-servers and /docs/migrate-v1: version 2 reads the entries of version 1 too; mcp-auth.json has the tokens.
        MCPClient(
            word: "opencode", name: "OpenCode", folder: .configuration, files: ["opencode/opencode.json", "opencode/opencode.jsonc"],
            list: ["mcp"], otherLists: [["mcp", "servers"]], start: [.init("type", "local")], hasCommandList: true, urls: ["url"],
            tokens: ".local/share/opencode/mcp-auth.json"),
        // docs.github.com/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers: ~/.copilot/mcp-config.json. It requires tools.
        MCPClient(
            word: "copilot-cli", name: "Copilot CLI", folder: .home, files: [".copilot/mcp-config.json"], list: ["mcpServers"],
            start: [.init("type", "stdio")], end: [.init("tools", ["*"])], urls: ["url"]),
        // kiro.dev/docs/mcp/configuration: ~/.kiro/settings/mcp.json, of the editor and of its command-line program.
        MCPClient(word: "kiro", name: "Kiro", folder: .home, files: [".kiro/settings/mcp.json"], list: ["mcpServers"], urls: ["url"]),
        // block.github.io/goose/docs/guides/config-files: extensions in config.yaml.
        MCPClient(
            word: "goose", name: "goose", folder: .configuration, files: ["goose/config.yaml"], format: .yaml, list: ["extensions"],
            start: [.init("enabled", true), .init("type", "stdio")], commandKey: "cmd", nameKey: "name", urls: ["uri"]),
        // docs.windsurf.com/windsurf/cascade/mcp: mcp_config.json with serverUrl.
        MCPClient(
            word: "windsurf", name: "Windsurf", folder: .home, files: [".codeium/windsurf/mcp_config.json"], list: ["mcpServers"],
            urls: ["serverUrl", "url"]),
    ]

    /// The words of all clients in a sentence.
    static var words: String { all.dropLast().map(\.word).joined(separator: ", ") + (all.last.map { " or \($0.word)" } ?? "") }
}

extension MCPClient: ExpressibleByArgument {
    init?(argument: String) {
        guard let client = Self.all.first(where: { $0.word == argument }) else { return nil }
        self = client
    }

    static var allValueStrings: [String] { all.map(\.word) }
}
