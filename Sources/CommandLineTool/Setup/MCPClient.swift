internal import ArgumentParser
internal import AuthModel
internal import UserConfiguration

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

/// The configuration of an MCP client, edited as text so that everything else stays as it is.
struct MCPClientFile: Sendable {
    let client: MCPClient
    let path: String
    private let bytes: [UInt8]?
    private let text: String
    private let root: JSONValue

    private static let empty = "{}\n"

    /// Reads the file, which may be missing. Throws `.configuration` if it cannot be read or is not JSON.
    init(_ client: MCPClient, in environment: SetupEnvironment) throws(AuthFailure) {
        self.client = client
        path = client.path(in: environment)
        bytes = try PrivateFile.read(path)
        let content = try bytes.map { [path] bytes throws(AuthFailure) in try PrivateFile.text(bytes, of: path) } ?? Self.empty
        text = content.allSatisfy(\.isWhitespace) ? Self.empty : content
        do throws(JSONError) {
            root = try JSONValue(strict: text, limits: JSONValue.Limits(bytes: 16 << 20, depth: 128, values: 1_000_000))
        } catch {
            throw Self.unreadable(client, path)
        }
        guard root.members != nil, root[client.key] == nil || root[client.key]?.members != nil else { throw Self.unreadable(client, path) }
    }

    private static func unreadable(_ client: MCPClient, _ path: String) -> AuthFailure {
        AuthFailure(
            .configuration, text: "\(client.name)'s configuration \(path) is not plain JSON, so it is not changed",
            hint: "if it has comments, add the server by hand; see: yett help assistants")
    }

    /// The entries by their names, in the order of the file.
    var servers: [JSONValue.Member] { root[client.key]?.members ?? [] }

    /// Returns the edit that sets a server, or removes it. Throws `.configuration` if the result is not what was meant.
    func edit(_ name: String, to entry: JSONValue?) throws(AuthFailure) -> FileEdit {
        var editor = JSONEditor(text)
        if let entry { editor.set(name, toJSON: entry, inObject: client.key) } else { editor.remove(name, inObject: client.key) }
        let changed = try? JSONValue(strict: editor.text, limits: JSONValue.Limits(bytes: 16 << 20, depth: 128, values: 1_000_000))
        let others = (root.members ?? []).filter { $0.name != client.key }
        guard let changed, (changed.members ?? []).filter({ $0.name != client.key }) == others, changed[client.key]?[name] == entry else {
            throw AuthFailure(.configuration, text: "\(path) cannot be changed", hint: "change \(client.key) in a text editor")
        }
        // A file that was made for this entry goes away with it.
        return FileEdit(path: path, before: bytes, after: editor.text, isRemoval: editor.text == Self.empty && bytes != nil)
    }
}
