/// A provider developed by others; `Tests/RealProviders` has the details.
public enum RealProvider: String, Sendable, CaseIterable {
    case glewlwyd
    case canaille
    case django
    /// A tool server of the official MCP SDK, with its own authorization server; not an OpenID provider.
    case mcp
    /// The same with sessions, streams and an event store.
    case mcpSessions = "mcp-sessions"
    /// The same with the protocol of 2024-11-05.
    case mcpOneStream = "mcp-one-stream"
    /// A tool server made with FastMCP, with its own authorization server.
    case fastmcp

    /// Whether it is installed completely.
    public var isInstalled: Bool {
        switch self {
        case .glewlwyd: Product.installed("glewlwyd") != nil && Product.installed("rnbyc") != nil && Product.installed("sqlite3") != nil
        case .canaille: isProgram(Browser.cache + "/environments/canaille/bin/canaille")
        case .django: isProgram(Browser.cache + "/environments/django/bin/gunicorn")
        case .mcp, .mcpSessions, .mcpOneStream: isProgram(Self.python)
        case .fastmcp: isProgram(Self.pythonWithWebSockets)
        }
    }

    /// Python with the official MCP SDK.
    public static var python: String { Browser.cache + "/environments/mcp/bin/python" }

    /// Python with FastMCP, and so with a library for WebSockets.
    public static var pythonWithWebSockets: String { Browser.cache + "/environments/fastmcp/bin/python" }

    /// Returns the path of a program of Python's that `Tests/RealProviders/install tools` installs; nil if it is not installed.
    public static func tool(_ name: String, of environment: String = "tools") -> String? {
        let path = "\(Browser.cache)/environments/\(environment)/bin/\(name)"
        return isProgram(path) ? path : nil
    }

    /// Starts an instance for one test on a free port, and stops it afterwards.
    public func running(
        accessTokenSeconds: Int = 3_600, _ body: (StartedProvider) async throws -> Void
    ) async throws {
        let provider = try await StartedProvider(self, accessTokenSeconds: accessTokenSeconds)
        try await provider.server.stopped { try await body(provider) }
    }
}

/// A running instance of a real provider.
public final class StartedProvider: RunningProvider {
    let server: StartedServer

    init(_ provider: RealProvider, accessTokenSeconds: Int) async throws {
        server = try await StartedServer(provider.rawValue, ["ACCESS_TOKEN_SECONDS": "\(accessTokenSeconds)"])
    }

    /// The issuer, at the provider's port on 127.0.0.1.
    public var issuer: String { server.address }

    /// The text of its log.
    public var log: String { server.log }

    /// Stops it and starts it again at the same address, with an empty database.
    public func restart() async throws { try await server.restart() }

    /// Invalidates all access tokens that a tool server has issued so far.
    public func endAccessTokens() async throws {
        let answer = try await Resource.post("", to: issuer + "/end-access-tokens")
        guard answer.status == 204 else { throw HarnessError("the tokens were not ended: \(answer)") }
    }

    /// The provider's settings. These providers compare the port of redirect URLs too, so the settings list all registered URLs.
    public var settings: String {
        let redirects = (8_410...8_414).map { #""http://127.0.0.1:\#($0)/callback""# }.joined(separator: ", ")
        return """
            kind = "oidc"
            issuer = "\(issuer)"
            client_id = "yett"
            scopes = ["openid", "profile", "email", "offline_access"]
            redirect = [\(redirects)]
            """
    }
}
