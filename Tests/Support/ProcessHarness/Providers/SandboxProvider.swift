import AuthModel
import Glibc

/// `yett sandbox` as a process of its own. It ends with the last reference.
public final class SandboxProvider: RunningProvider {
    public let issuer: String
    private let home: TemporaryHome
    private let process: RunningProgram

    /// Starts it on a free port.
    /// - Parameter options: those of the command, such as `--auto-approve ada`.
    public init(options: [String] = []) async throws {
        home = try TemporaryHome()
        process = try home.program("yett-main", ["sandbox", "--json"] + options, limit: .seconds(600)).start()
        let result = try await process.until { $0.output.contains("\n") }
        guard let issuer = try JSONValue(strict: result.output)["issuer"]?.string else {
            throw HarnessError("the sandbox did not name its issuer: \(result)")
        }
        self.issuer = issuer
    }

    deinit {
        process.signal(SIGTERM)
    }

    /// The device codes of the token requests so far, in their order, once they satisfy a condition. Wants `--request-log`.
    /// - Throws: when they do not within half a minute.
    public func polls(until condition: ([String]) -> Bool) async throws -> [String] {
        var codes: [String] = []
        try await eventually("the sandbox was never asked for what the test waits for") {
            let answer = try await Resource.get(issuer + "/__log")
            guard let requests = answer.json?.array else { throw HarnessError("the sandbox shows no requests: \(answer)") }
            codes = requests.filter { $0["path"]?.string == "/token" }.compactMap { request in
                request["form"]?.array?.first { $0.array?.first?.string == "device_code" }?.array?.last?.string
            }
            return condition(codes)
        }
        return codes
    }

    public var settings: String {
        """
        kind = "oidc"
        issuer = "\(issuer)"
        client_id = "yett"
        scopes = ["openid", "profile", "email", "offline_access"]
        """
    }
}
