import AuthModel
import ProcessHarness
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// Providers and resources on this machine with the name `http://localhost`, such as programs under development.
struct LocalhostResourceTests {
    /// Runs a provider, and a resource on its own port that accepts the provider's tokens.
    private func run(_ body: (CommandWorld, SandboxServer, _ resource: String) async throws -> Void) async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            let port = try FreePort.find()
            var local = SandboxConfiguration(port: port)
            local.publicOrigin = "http://localhost:\(port)"
            local.resources.authorizationServers = [server.issuer]
            try await SandboxServer.running(local) { _ in
                try await body(try CommandWorld(), server, "http://localhost:\(port)/mcp")
            }
        }
    }

    /// All endpoints have the name, too. The connections are seen to end on loopback.
    @Test func providerOnLocalhostIsUsed() async throws {
        let port = try FreePort.find()
        let configuration = SignInTests.honest.with { ($0.port, $0.publicOrigin) = (port, "http://localhost:\(port)") }
        try await withEmptyHome(configuration) { server, world in
            await world.run("providers", "add", "http://localhost:\(port)", "--register", "--name", "box", exits: 0)
            try await world.signIn("box")
            #expect(await world.run("renew", "box").status == 0)
            #expect(await world.run("logout", "box").status == 0)
            #expect(["/register", "/authorize", "/token", "/revoke"].allSatisfy { path in server.requests.contains { $0.path == path } })
        }
    }

    @Test func localhostResourceIsUsedAfterConfirmation() async throws {
        try await run { (world, server, resource) async throws in
            let login = await world.run(
                "login", resource, "--register", "--issuer", server.issuer, user: .init(hasTerminal: true, lines: ["y"]), exits: 0)
            #expect(login.errors.contains("tokens go over plain http"))
            #expect(login.errors.contains("added: localhost\n"), "\(login.errors)")
            #expect(try world.text(world.configurationPath).contains("resource = \"\(resource)\""))
            await world.run("request", "localhost", resource, exits: 0)
        }
    }

    @Test func localhostResourceNeedsConfirmation() async throws {
        try await run { world, server, resource in
            let silent = await world.run("login", resource, "--register", "--issuer", server.issuer, exits: 64)
            #expect(silent.errors.contains("add: --yes"), "\(silent.errors)")
            await world.run(
                "login", resource, "--register", "--issuer", server.issuer, user: .init(hasTerminal: true, lines: ["n"]), exits: 3)
            #expect(!FileStatus.exists(world.configurationPath))
            #expect(!server.requests.contains { $0.path == "/register" })
        }
    }

    /// A token for it goes to that port only, not to another port with the same host name.
    @Test func tokenGoesOnlyToTheResourcesPort() async throws {
        try await run { world, server, resource in
            await world.run("login", resource, "--register", "--issuer", server.issuer, "--yes", exits: 0)
            await world.run("request", "localhost", "http://localhost:1/mcp", exits: 8)
        }
    }
}
