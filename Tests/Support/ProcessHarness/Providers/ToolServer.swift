/// A server developed by others that accepts the tokens of a provider; `Tests/RealProviders` has the details.
public enum ToolServer: String, Sendable, CaseIterable {
    /// A Git server, whose passwords are access tokens.
    case git
    /// The registry of container images, whose token server accepts access tokens as passwords.
    case registry
    /// Moto, in place of AWS.
    case moto
    /// Dovecot, with IMAP and submission.
    case dovecot

    /// Whether it is installed completely.
    public var isInstalled: Bool {
        switch self {
        case .git: Product.installed("git") != nil && Product.installed("python3") != nil
        case .registry: Product.installed("docker-registry") != nil && isProgram(Browser.cache + "/environments/registry/bin/python")
        case .moto: isProgram(Browser.cache + "/environments/moto/bin/moto_server")
        // Users have no /usr/sbin in PATH.
        case .dovecot: isProgram("/usr/sbin/dovecot") && isProgram("/usr/lib/dovecot/submission")
        }
    }

    /// The interpreter with botocore, from the environment of Moto.
    public static let botocore = Browser.cache + "/environments/moto/bin/python"

    /// Whether Dovecot accepts a token as a password, which version 2.4 does not. That version has no director any more.
    public static var dovecotAcceptsPasswords: Bool { dovecot.isInstalled && isProgram("/usr/lib/dovecot/director") }

    /// Starts an instance for one test on a free port, and stops it afterwards.
    ///
    /// - Parameters:
    ///   - issuer: the provider whose tokens it accepts.
    ///   - variables: what its script reads from the environment besides.
    public func running(
        issuer: String, with variables: [String: String] = [:], _ body: (StartedServer) async throws -> Void
    ) async throws {
        let server = try await StartedServer(rawValue, variables.merging(["ISSUER": issuer]) { $1 })
        try await server.stopped { try await body(server) }
    }
}
