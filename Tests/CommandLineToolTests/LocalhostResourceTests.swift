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
        var configuration = SignInTests.honest
        (configuration.port, configuration.publicOrigin) = (port, "http://localhost:\(port)")
        try await SandboxServer.running(configuration) { server in
            let world = try CommandWorld()
            let added = await world.run("providers", "add", "http://localhost:\(port)", "--register", "--name", "box")
            #expect(added.status == 0, "\(added.errors)")
            try await world.signIn("box")
            #expect(await world.run("renew", "box").status == 0)
            #expect(await world.run("logout", "box").status == 0)
            #expect(["/register", "/authorize", "/token", "/revoke"].allSatisfy { path in server.requests.contains { $0.path == path } })
        }
    }

    @Test func localhostResourceIsUsedAfterConfirmation() async throws {
        try await run { world, server, resource in
            let login = await world.run(
                "login", resource, "--register", "--issuer", server.issuer, user: .init(hasTerminal: true, lines: ["y"]))
            #expect(login.status == 0, "\(login.errors)")
            #expect(login.errors.contains("tokens go over plain http"))
            #expect(login.errors.contains("added: localhost\n"), "\(login.errors)")
            let written = try world.text(world.configurationPath)
            #expect(written.contains("resource = \"\(resource)\""))
            let answer = await world.run("request", "localhost", resource)
            #expect(answer.status == 0, "\(answer.errors)")
        }
    }

    @Test func localhostResourceNeedsConfirmation() async throws {
        try await run { world, server, resource in
            let silent = await world.run("login", resource, "--register", "--issuer", server.issuer)
            #expect(silent.status == 64)
            #expect(silent.errors.contains("add: --yes"), "\(silent.errors)")
            let no = await world.run(
                "login", resource, "--register", "--issuer", server.issuer, user: .init(hasTerminal: true, lines: ["n"]))
            #expect(no.status == 3)
            #expect(!FileStatus.exists(world.configurationPath))
            #expect(!server.requests.contains { $0.path == "/register" })
        }
    }

    /// A token for it goes to that port only, not to another port with the same host name.
    @Test func tokenGoesOnlyToTheResourcesPort() async throws {
        try await run { world, server, resource in
            let login = await world.run("login", resource, "--register", "--issuer", server.issuer, "--yes")
            #expect(login.status == 0, "\(login.errors)")
            let other = await world.run("request", "localhost", "http://localhost:1/mcp")
            #expect(other.status == 8, "\(other.errors)")
        }
    }
}
