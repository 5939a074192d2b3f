import AuthModel
import Sandbox
import Testing

@testable import CommandLineTool

/// Nothing is sent to a server that its protocol does not ask for: the complete log of a first sign-in at each kind of server. By the browser
/// alone: on a busy machine, its answer may come so late that a device code is requested too.
struct FirstSignInTests {
    private static let metadata = "GET /.well-known/openid-configuration"

    /// A server of plain OAuth.
    static let withoutIdentity = SignInTests.honest.with {
        $0.faultSet = [.discovery(.keySetMissing), .discovery(.userInfoEndpointMissing)]
    }

    private static func log(_ server: SandboxServer) -> [String] { server.requests.map { "\($0.method) \($0.path)" } }

    /// OpenID Connect Discovery, registration (RFC 7591), and the code flow.
    @Test(arguments: [false, true]) func openIDProviderGetsOnlyWhatItAsksFor(pushes: Bool) async throws {
        let configuration = SignInTests.honest.with { $0.pushedRequests = pushes ? .required : .off }
        try await withEmptyHome(configuration) { server, world in
            await world.run("providers", "add", server.issuer, "--register", "--name", "box", exits: 0)
            #expect(Self.log(server) == [Self.metadata, "POST /register"])
            server.clearRequests()
            try await world.signIn("box", "--flow", "browser")
            let pushed = pushes ? ["POST /par"] : []
            #expect(
                Self.log(server) == [Self.metadata] + pushed + ["GET /authorize", "POST /token", "GET /jwks", "GET /userinfo"],
                "\(Self.log(server))")
        }
    }

    /// Authorization server metadata (RFC 8414), and the code flow without an identity.
    @Test func oauthServerGetsOnlyWhatItAsksFor() async throws {
        try await withEmptyHome(Self.withoutIdentity) { server, world in
            await world.run(
                "providers", "add", server.issuer, "--kind", "oauth2", "--register", "--name", "box", "--scope", "mcp", exits: 0)
            try await world.signIn("box", "--flow", "browser")
            let metadata = "GET /.well-known/oauth-authorization-server"
            #expect(
                Self.log(server) == [metadata, "POST /register", metadata, "GET /authorize", "POST /token"], "\(Self.log(server))")
        }
    }

    /// The challenge, the resource's metadata (RFC 9728), and then its authorization server.
    @Test func resourceGetsOnlyWhatItAsksFor() async throws {
        try await withEmptyHome(Self.withoutIdentity) { server, world in
            await world.run("login", server.issuer + "/mcp", "--register", "--yes", "--flow", "browser", exits: 0)
            let metadata = "GET /.well-known/oauth-authorization-server"
            #expect(
                Self.log(server) == [
                    "GET /mcp", "GET /.well-known/oauth-protected-resource/mcp", metadata, "POST /register", metadata, "GET /authorize",
                    "POST /token",
                ], "\(Self.log(server))")
        }
    }

    /// A resource that demands a token for POST only, as MCP servers may, and names its metadata nowhere else. `providers add` takes
    /// issuers, too, and sends no POST where nothing is at the URL.
    @Test func onlyAResourceGetsAMessageOfItsProtocol() async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            let issuer = server.issuer
            let resource = try StandInServer { request in
                let origin = "http://\(request.header("Host") ?? "")"
                return switch (request.method, request.target) {
                case ("GET", "/mcp"): .init(status: 405)
                case ("POST", "/mcp"): .init(status: 401, headers: ["WWW-Authenticate: Bearer resource_metadata=\"\(origin)/meta\""])
                case ("GET", "/meta"):
                    .init(body: Array("{\"resource\":\"\(origin)/mcp\",\"authorization_servers\":[\"\(issuer)\"]}".utf8))
                default: .init(status: 404)
                }
            }
            let world = try CommandWorld()
            #expect(await world.run("providers", "add", resource.origin + "/issuer", "--register", "--issuer", issuer).status == 7)
            #expect(resource.requests.allSatisfy { $0.method == "GET" })
            let count = resource.requests.count
            await world.run("login", resource.origin + "/mcp", "--register", "--issuer", issuer, exits: 0)
            let log = resource.requests.dropFirst(count).map { "\($0.method) \($0.target)" }
            #expect(log == ["GET /mcp", "POST /mcp", "GET /meta"], "\(log)")
        }
    }
}
