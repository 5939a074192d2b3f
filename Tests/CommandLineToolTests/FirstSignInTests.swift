import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Nothing is sent to a server that its protocol does not ask for: the complete log of a first sign-in at each kind of server.
struct FirstSignInTests {
    private static let metadata = "GET /.well-known/openid-configuration"

    private static func log(_ server: SandboxServer) -> [String] { server.requests.map { "\($0.method) \($0.path)" } }

    /// OpenID Connect Discovery, registration (RFC 7591), and the code flow.
    @Test(arguments: [false, true]) func openIDProviderGetsOnlyWhatItAsksFor(pushes: Bool) async throws {
        var configuration = SignInTests.honest
        configuration.pushedRequests = pushes ? .required : .off
        try await SandboxServer.running(configuration) { server in
            let world = try CommandWorld()
            let added = await world.run("providers", "add", server.issuer, "--register", "--name", "box")
            #expect(added.status == 0, "\(added.errors)")
            #expect(Self.log(server) == [Self.metadata, "POST /register"])
            server.clearRequests()
            try await world.signIn("box")
            let pushed = pushes ? ["POST /par"] : []
            #expect(
                Self.log(server) == [Self.metadata] + pushed + ["GET /authorize", "POST /token", "GET /jwks", "GET /userinfo"],
                "\(Self.log(server))")
        }
    }

    /// Authorization server metadata (RFC 8414), and the code flow without an identity.
    @Test func oauthServerGetsOnlyWhatItAsksFor() async throws {
        var configuration = SignInTests.honest
        configuration.faultSet = try FaultSet(names: ["discovery-jwks-uri-missing", "discovery-userinfo-endpoint-missing"])
        try await SandboxServer.running(configuration) { server in
            let world = try CommandWorld()
            let added = await world.run(
                "providers", "add", server.issuer, "--kind", "oauth2", "--register", "--name", "box", "--scope", "mcp")
            #expect(added.status == 0, "\(added.errors)")
            try await world.signIn("box")
            let metadata = "GET /.well-known/oauth-authorization-server"
            #expect(
                Self.log(server) == [metadata, "POST /register", metadata, "GET /authorize", "POST /token"], "\(Self.log(server))")
        }
    }

    /// The challenge, the resource's metadata (RFC 9728), and then its authorization server.
    @Test func resourceGetsOnlyWhatItAsksFor() async throws {
        var configuration = SignInTests.honest
        configuration.faultSet = try FaultSet(names: ["discovery-jwks-uri-missing", "discovery-userinfo-endpoint-missing"])
        try await SandboxServer.running(configuration) { server in
            let world = try CommandWorld()
            let login = await world.run("login", server.issuer + "/mcp", "--register", "--yes")
            #expect(login.status == 0, "\(login.errors)")
            let metadata = "GET /.well-known/oauth-authorization-server"
            #expect(
                Self.log(server) == [
                    "GET /mcp", "GET /.well-known/oauth-protected-resource/mcp", metadata, "POST /register", metadata, "GET /authorize",
                    "POST /token",
                ], "\(Self.log(server))")
        }
    }
}
