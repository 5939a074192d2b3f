/// A provider that nobody here wrote; `Tests/RealProviders` has the particulars.
public enum RealProvider: String, Sendable, CaseIterable {
    case glewlwyd
    case canaille
    case django

    /// Whether it can be started without installing anything.
    public var isInstalled: Bool {
        switch self {
        case .glewlwyd: Product.installed("glewlwyd") != nil && Product.installed("rnbyc") != nil && Product.installed("sqlite3") != nil
        case .canaille: isProgram(Browser.cache + "/environments/canaille/bin/canaille")
        case .django: isProgram(Browser.cache + "/environments/django/bin/gunicorn")
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
    private let home: TemporaryHome
    private let environment: [String: String]

    private static let scripts = Product.sourceTree + "/Tests/RealProviders"

    init(_ provider: RealProvider, accessTokenSeconds: Int) async throws {
        home = try TemporaryHome()
        environment = [
            "PATH": Product.environment("PATH") ?? "/usr/bin:/bin", "HOME": home.path, "LANG": "C.UTF-8",
            "YETT_TEST_CACHE": Browser.cache, "ACCESS_TOKEN_SECONDS": "\(accessTokenSeconds)",
        ]
        let start = Program(
            Self.scripts + "/start", [provider.rawValue, "\(try freePort())", home.path + "/provider"], environment: environment,
            limit: .seconds(240))
        let result = try await start.run()
        guard result.status == 0, let issuer = result.output.split(separator: "\n").last else {
            throw HarnessError("\(provider) did not start: \(result)")
        }
        self.issuer = String(issuer)
    }

    func stop() async {
        let stop = Program(Self.scripts + "/stop", [home.path + "/provider"], environment: environment, limit: .seconds(20))
        // One that has gone by itself is as good as stopped.
        _ = try? await stop.run()
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
