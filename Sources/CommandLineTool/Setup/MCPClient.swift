internal import ArgumentParser
internal import AuthModel

/// A client of the Model Context Protocol whose configuration `yett setup` writes.
enum MCPClient: String, CaseIterable, Sendable, ExpressibleByArgument {
    case claude, cursor, vscode, zed

    /// The name for people.
    var name: String {
        switch self {
        case .claude: "Claude Code"
        case .cursor: "Cursor"
        case .vscode: "VS Code"
        case .zed: "Zed"
        }
    }

    /// The path of the user's configuration.
    func path(in environment: SetupEnvironment) -> String {
        let home = environment.home
        let configuration = environment.value("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        return switch self {
        case .claude: home + "/.claude.json"
        case .cursor: home + "/.cursor/mcp.json"
        case .vscode: configuration + "/Code/User/mcp.json"
        case .zed: configuration + "/zed/settings.json"
        }
    }

    /// The member that lists the servers.
    var key: String {
        switch self {
        case .claude, .cursor: "mcpServers"
        case .vscode: "servers"
        case .zed: "context_servers"
        }
    }

    /// Returns the entry of a server that a command serves.
    func entry(command: String, arguments: [String]) -> JSONValue {
        let start: [JSONValue.Member] =
            switch self {
            case .claude, .vscode: [.init("type", "stdio")]
            case .zed: [.init("source", "custom")]
            case .cursor: []
            }
        return .object(start + [.init("command", .string(command)), .init("args", JSONValue(arguments))])
    }
}
