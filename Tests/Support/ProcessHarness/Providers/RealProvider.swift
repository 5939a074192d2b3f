/// A provider that nobody here wrote; `Tests/RealProviders` has the particulars.
public enum RealProvider: String, Sendable, CaseIterable {
    case glewlwyd
    case canaille
    case django
    /// A tool server of the official MCP SDK, with an authorization server of its own; not an OpenID provider.
    case mcp
    /// The same made with FastMCP.
    case fastmcp

    /// Whether it can be started without installing anything.
    public var isInstalled: Bool {
        switch self {
        case .glewlwyd: Product.installed("glewlwyd") != nil && Product.installed("rnbyc") != nil && Product.installed("sqlite3") != nil
        case .canaille: isProgram(Browser.cache + "/environments/canaille/bin/canaille")
        case .django: isProgram(Browser.cache + "/environments/django/bin/gunicorn")
        case .mcp, .fastmcp: isProgram(Browser.cache + "/environments/\(rawValue)/bin/python")
        }
    }

    /// Starts one of its own for a test, on a free port, and ends it afterwards.
    public func running(
        accessTokenSeconds: Int = 3_600, _ body: (StartedProvider) async throws -> Void
    ) async throws {
        let provider = try await StartedProvider(self, accessTokenSeconds: accessTokenSeconds)
        do {
            try await body(provider)
        } catch {
            await provider.stop()
            throw error
        }
        await provider.stop()
    }
}

/// A real provider that runs.
public final class StartedProvider: RunningProvider {
    public let issuer: String
    private let kind: RealProvider
    private let home: TemporaryHome
    private let environment: [String: String]

    private static let scripts = Product.sourceTree + "/Tests/RealProviders"

    init(_ provider: RealProvider, accessTokenSeconds: Int) async throws {
        kind = provider
        home = try TemporaryHome()
        environment = [
            "PATH": Product.environment("PATH") ?? "/usr/bin:/bin", "HOME": home.path, "LANG": "C.UTF-8",
            "YETT_TEST_CACHE": Browser.cache, "ACCESS_TOKEN_SECONDS": "\(accessTokenSeconds)",
        ]
        issuer = try await Self.start(provider, port: freePort(), in: home.path + "/provider", environment)
    }

    /// - Returns: the issuer.
    private static func start(
        _ provider: RealProvider, port: Int, in folder: String, _ environment: [String: String]
    ) async throws -> String {
        let start = Program(
            scripts + "/start", [provider.rawValue, "\(port)", folder], environment: environment, limit: .seconds(240))
        let result = try await start.run()
        guard result.status == 0, let issuer = result.output.split(separator: "\n").last else {
            throw HarnessError("\(provider) did not start: \(result)")
        }
        return String(issuer)
    }

    /// What it wrote to its log.
    public var log: String { String(decoding: home.read("provider/server.log") ?? [], as: UTF8.self) }

    /// Ends it and starts it again at the same address, without what it knew.
    public func restart() async throws {
        await stop()
        guard let port = issuer.split(separator: ":").last.flatMap({ Int($0) }) else { throw HarnessError("no port in \(issuer)") }
        _ = try await Self.start(kind, port: port, in: home.path + "/provider-again", environment)
    }

    /// Has a tool server take no access token any more that it gave so far.
    public func endAccessTokens() async throws {
        let answer = try await Resource.post("", to: issuer + "/end-access-tokens")
        guard answer.status == 204 else { throw HarnessError("the tokens were not ended: \(answer)") }
    }

    func stop() async {
        for folder in ["provider", "provider-again"] {
            let stop = Program(Self.scripts + "/stop", [home.path + "/" + folder], environment: environment, limit: .seconds(20))
            // One that has gone by itself is as good as stopped.
            _ = try? await stop.run()
        }
    }

    /// These providers compare redirect URLs with their port, so the registered ones are tried in turn.
    public var settings: String {
        let redirects = (8_400...8_404).map { #""http://127.0.0.1:\#($0)/callback""# }.joined(separator: ", ")
        return """
            kind = "oidc"
            issuer = "\(issuer)"
            client_id = "yett"
            scopes = ["openid", "profile", "email", "offline_access"]
            redirect = [\(redirects)]
            """
    }
}
