import AuthModel
import Sandbox
import SessionStore
import Testing

@testable import CommandLineTool

/// Runs a sandbox and `body`, with a configuration that names the sandbox.
func withSandbox(
    _ configuration: SandboxConfiguration = SandboxConfiguration(autoApproves: "ada"), more: String = "",
    credentials: String = "", securityKeys: SecurityKey.Location = .none, _ body: (SandboxServer, CommandWorld) async throws -> Void
) async throws {
    var lasting = configuration
    if lasting.lifetimes == .init() { lasting.lifetimes = .lasting }
    try await SandboxServer.running(lasting) { sandbox in
        let world = try CommandWorld(credentials: credentials, securityKeys: securityKeys)
        try world.configure(issuer: sandbox.issuer, more: more)
        try await body(sandbox, world)
    }
}

/// The same after a sign-in.
func withSession(
    _ configuration: SandboxConfiguration = SandboxConfiguration(autoApproves: "ada"), more: String = "",
    credentials: String = "", securityKeys: SecurityKey.Location = .none, _ body: (SandboxServer, CommandWorld) async throws -> Void
) async throws {
    try await withSandbox(configuration, more: more, credentials: credentials, securityKeys: securityKeys) { sandbox, world in
        try await world.signIn()
        try await body(sandbox, world)
    }
}

/// Runs a sandbox and `body`, with a home that has no configuration.
func withEmptyHome(
    _ configuration: SandboxConfiguration = SandboxConfiguration(), _ body: (SandboxServer, CommandWorld) async throws -> Void
) async throws {
    try await SandboxServer.running(configuration) { try await body($0, try CommandWorld()) }
}

extension SandboxConfiguration.Lifetimes {
    /// Longer than any test: on a busy machine, one that runs hundreds of commands takes longer than the sandbox's tokens usually live.
    static let lasting = Self(code: .seconds(3000), accessToken: .seconds(3000), idToken: .seconds(3000), pushedRequest: .seconds(3000))
}

extension SandboxConfiguration {
    /// A provider whose user approves at once, and whose tokens outlive the test.
    static let lasting = SandboxConfiguration(autoApproves: "ada", lifetimes: .lasting)
}

extension CommandWorld {
    /// Signs in, and expects success.
    func signIn(_ arguments: String...) async throws {
        let result = await run(["login"] + arguments)
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Returns the sessions of `yett status --json`.
    func sessions() async throws -> [JSONValue] {
        let result = await run("status", "--json")
        try #require(result.status == 0, "\(result.errors)")
        return try #require(try result.json["sessions"]?.array)
    }
}
