import AuthModel
import Glibc
import ProcessHarness

/// `oidc-agent` of the Debian package `oidc-agent-cli`, measured as a comparison because it does the same work.
final class OIDCAgent {
    /// The sandbox's client with a secret, because this agent always sends one.
    static let clientID = "yett-confidential"
    static let clientSecret = "confidential-secret-0123456789"
    /// The account's name in this agent.
    static let account = "work"

    /// The environment variables that its programs need.
    let environment: [String: String]
    private let home: TemporaryHome
    private let process: RunningProgram

    /// The program that requests a token; `nil` if it is not installed.
    static var program: String? { Product.installed("oidc-agent").flatMap { _ in Product.installed("oidc-token") } }

    /// Starts the agent and adds an account with the refresh token.
    init(issuer: String, refreshToken: Secret) async throws {
        home = try TemporaryHome()
        let socket = home.path + "/oidc.sock"
        let running = try Program(
            "/usr/bin/env", ["oidc-agent", "--console", "--no-autoload", "--socket-path=\(socket)"], environment: home.environment,
            limit: .seconds(900)
        ).start()
        process = running
        environment = home.environment(with: ["OIDC_SOCK": socket])
        try await eventually("oidc-agent does not start: \(running.soFar)") { access(socket, F_OK) == 0 }
        let account = try await Program(
            "/usr/bin/env",
            [
                "oidc-gen", Self.account, "--flow=refresh", "--rt=\(refreshToken.reveal())", "--issuer=\(issuer)",
                "--client-id=\(Self.clientID)", "--client-secret=\(Self.clientSecret)", "--scope=openid profile offline_access",
                "--redirect-url=http://localhost:8080", "--no-save", "--prompt=none",
            ], environment: environment
        ).run()
        guard account.status == 0 else { throw HarnessError("oidc-agent does not take the grant: \(account)") }
    }

    deinit { process.signal(SIGTERM) }
}
