import AuthModel
import OAuth
import OperatingSystem
import Sandbox
import Synchronization
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// MCP servers and authorization servers that differ from the specification in ways that were seen at services.
@Suite struct ServerOddityTests {
    /// Frameworks that mount an application redirect to its address with a slash, before they ask for a token.
    @Test(arguments: [true, false]) func addressMayRedirect(namesSlash: Bool) async throws {
        var options = ConformanceServers.Options()
        (options.hasSlash, options.namesSlash) = (true, namesSlash)
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        let login = await world.run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0, "\(login.errors)")
        #expect(servers.seen.authorizations.map { $0["resource"] } == [servers.address + (namesSlash ? "/" : "")])
        let failures = try await ConformanceClient(world: world, address: servers.address, revision: "2025-11-25").run()
        #expect(failures == [])
        #expect(servers.seen.violations == [])
    }

    /// A challenge that cannot be read asks for a token all the same.
    @Test(arguments: ["Bearer realm='x', error", "Bearer scope=\"a\", scope=\"b\""])
    func unreadableChallengeAsksForAToken(challenge: String) async throws {
        var options = ConformanceServers.Options()
        (options.resourceMetadata, options.isOwnServer, options.challenge) = (nil, true, challenge)
        let servers = try ConformanceServers(options)
        let login = await (try CommandWorld()).run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0, "\(login.errors)")
        #expect(servers.seen.violations == [] && !servers.seen.tokenRequests.isEmpty)
    }

    /// A gateway that names the server behind it: the user decides, and the gateway's own document is not used.
    @Test func gatewayMayNameTheServerBehindIt() async throws {
        let server = try ConformanceServers(.init())
        var options = ConformanceServers.Options()
        options.metadataIssuer = server.authorizationOrigin
        let gateway = try ConformanceServers(options)
        let asked = await (try CommandWorld()).run("login", gateway.address, "--yes", "--register")
        #expect(asked.status == 8 && asked.errors.contains("add: --issuer \(server.authorizationOrigin)"), "\(asked.errors)")
        #expect(server.seen.registrations.isEmpty && gateway.seen.registrations.isEmpty)
        for (answer, status) in [("n", 3), ("y", 0)] as [(String, Int32)] {
            let user = CommandWorld.User(hasTerminal: true, lines: [answer])
            let login = await (try CommandWorld()).run(["login", gateway.address, "--yes", "--register"], user: user)
            #expect(login.status == status, "\(login.errors)")
            #expect(server.seen.registrations.isEmpty == (status != 0))
        }
        let world = try CommandWorld()
        let named = await world.run("login", gateway.address, "--yes", "--register", "--issuer", server.authorizationOrigin)
        #expect(named.status == 0, "\(named.errors)")
        #expect(try world.text(world.configurationPath).contains("issuer = \"\(server.authorizationOrigin)\""))
        #expect(gateway.seen.registrations.isEmpty && gateway.seen.authorizations.isEmpty && gateway.seen.tokenRequests.isEmpty)
        // It has not moved since.
        let again = await world.run("login", gateway.address)
        #expect(again.status == 0 && !again.errors.contains("no longer accepts"), "\(again.errors)")
    }

    /// What `--issuer` names is the user's decision, and not what a gateway says at one time.
    @Test func gatewayThatChangesItsAnswerGetsNothing() async throws {
        let server = try ConformanceServers(.init())
        var options = ConformanceServers.Options()
        (options.metadataIssuer, options.changesIssuer) = (server.authorizationOrigin, true)
        let gateway = try ConformanceServers(options)
        let world = try CommandWorld()
        let login = await world.run("login", gateway.address, "--yes", "--register", "--issuer", server.authorizationOrigin)
        #expect(login.status == 0, "\(login.errors)")
        #expect(try world.text(world.configurationPath).contains("issuer = \"\(server.authorizationOrigin)\""))
        #expect(gateway.seen.registrations.isEmpty && gateway.seen.authorizations.isEmpty && gateway.seen.tokenRequests.isEmpty)
    }

    /// A refused request says nothing of another server then.
    @Test func serverBehindItsOwnGatewayHasNotMoved() async throws {
        let server = try ConformanceServers(.init())
        var options = ConformanceServers.Options()
        (options.isOwnServer, options.metadataIssuer) = (true, server.authorizationOrigin)
        let gateway = try ConformanceServers(options)
        let world = try CommandWorld()
        let login = await world.run("login", gateway.address, "--yes", "--register", "--issuer", server.authorizationOrigin)
        #expect(login.status == 0, "\(login.errors)")
        // It does not know the other one's tokens.
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        let refused = await world.run("request", "local", gateway.address, "-d", list)
        #expect(refused.status != 0 && !refused.errors.contains("no longer accepts"), "\(refused.errors)")
    }

    @Test func serverThatDoesNotNameItselfIsRefused() async throws {
        var silent = ConformanceServers.Options()
        silent.metadata = nil
        let server = try ConformanceServers(silent)
        var options = ConformanceServers.Options()
        options.metadataIssuer = server.authorizationOrigin
        let gateway = try ConformanceServers(options)
        for issuer in [[], ["--issuer", server.authorizationOrigin]] {
            let user = CommandWorld.User(hasTerminal: true, lines: ["y"])
            let login = await (try CommandWorld()).run(["login", gateway.address, "--yes", "--register"] + issuer, user: user)
            #expect(login.status != 0, "\(login.errors)")
        }
        #expect(server.seen.registrations.isEmpty && gateway.seen.registrations.isEmpty)
    }

    /// Only an administrator can move it, so its sessions stay.
    @Test func moveOfAnAdministratorsProviderEndsNoSession() async throws {
        var options = ConformanceServers.Options()
        (options.moves, options.opensFreely, options.scope) = (true, true, "mcp:basic")
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        #expect(await world.run("login", servers.address, "--yes", "--register").status == 0)
        try world.configureSystem(try world.text(world.configurationPath))
        try world.configure("")
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        #expect(await world.run("request", "local", servers.address, "-d", list).status == 0)
        let user = CommandWorld.User(hasTerminal: true, lines: ["1"])
        let moved = await world.run(["login", servers.address, "--register"], user: user)
        #expect(moved.status == 2 && moved.errors.contains(world.home + "/system"), "\(moved.errors)")
        #expect(servers.next?.seen.registrations.isEmpty == true)
        #expect(await world.run("status").output.contains("local"))
    }

    /// FastMCP wants openid, and is a server of plain OAuth.
    @Test func scopeOpenIDAloneMakesNoOpenIDProvider() async throws {
        var options = ConformanceServers.Options()
        (options.resourceScopes, options.serverScopes) = (["openid"], ["openid"])
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        let login = await world.run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0, "\(login.errors)")
        #expect(servers.seen.authorizations.map { $0["scope"] } == ["openid"])
        #expect(try world.text(world.configurationPath).contains("kind = \"oauth2\""))
    }

    /// Better Auth announces keys that are not there, and signs with one that it throws away. That is no identity, and no token to pass on.
    @Test func idTokenWithoutKeysIsNotUsed() async throws {
        var options = ConformanceServers.Options()
        (options.resourceScopes, options.serverScopes) = (["openid"], ["openid"])
        (options.metadata, options.isOpenID, options.hasUnverifiableIDToken) = ("/.well-known/openid-configuration", true, true)
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        let login = await world.run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0 && login.errors.contains("ID token is not used"), "\(login.errors)")
        #expect(await world.run("token", "local").status == 0)
        #expect(await world.run("token", "local", "--id").status != 0)
        // Where the identity is what the user wants, it ends the sign-in.
        let text = try world.text(world.configurationPath)
        try world.configure(text.split(separator: "\n").filter { !$0.hasPrefix("resource") }.joined(separator: "\n") + "\n")
        #expect(await world.run("login", "local").status != 0)
    }

    /// Atlassian's server for one resource says that it is the whole origin, whose own document registers no client.
    @Test(arguments: [true, false]) func serverOfAPathMayNameItsOrigin(isNamed: Bool) async throws {
        var options = ConformanceServers.Options()
        (options.prefix, options.isIssuerOrigin, options.hasRootDocument) = ("/resource", true, true)
        options.metadata = "/.well-known/oauth-authorization-server/resource"
        options.namedServer = { $0 + "/resource" }
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        let origin = servers.authorizationOrigin
        let user = CommandWorld.User(hasTerminal: true, lines: ["y"])
        let login = await world.run(
            ["login", servers.address, "--yes", "--register"] + (isNamed ? ["--issuer", origin] : []), user: isNamed ? .init() : user)
        #expect(login.status == 0, "\(login.errors)")
        #expect(servers.seen.registrations.count == 1 && servers.seen.violations == [])
        let text = try world.text(world.configurationPath)
        #expect(text.contains("issuer = \"\(origin)\"") && text.contains("discovery = \"\(origin)/.well-known/"), "\(text)")
        let again = await world.run("login", servers.address)
        #expect(again.status == 0 && !again.errors.contains("no longer accepts"), "\(again.errors)")
    }

    /// Another server on the origin could name endpoints of its own under the name of the one that the user confirms.
    @Test func documentOfAPathMustNotLeadElsewhere() async throws {
        var options = ConformanceServers.Options()
        (options.prefix, options.isIssuerOrigin, options.hasRootDocument) = ("/resource", true, true)
        options.metadata = "/.well-known/oauth-authorization-server/resource"
        options.namedServer = { $0 + "/resource" }
        options.tokenOrigin = "https://evil.example"
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        let words = ["login", servers.address, "--yes", "--register", "--issuer", servers.authorizationOrigin]
        #expect(await world.run(words).status != 0)
        let text = FileStatus.exists(world.configurationPath) ? try world.text(world.configurationPath) : ""
        #expect(!text.contains("discovery"))
        #expect(servers.seen.registrations.isEmpty)
    }

    /// Entra refuses the parameter; its scopes say what the tokens are for.
    @Test func resourceParameterMayBeOff() async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            for (setting, isSent) in [("off", false), ("sent", true)] {
                let world = try CommandWorld()
                try world.configure(
                    issuer: server.issuer, more: "resource = \"\(server.issuer)/api/hello\"\nresource_parameter = \"\(setting)\"\n")
                server.clearRequests()
                try await world.signIn("sandbox")
                #expect(await world.run("renew", "sandbox").status == 0)
                let asked = server.requests.filter { ["/authorize", "/token"].contains($0.path) }
                #expect(asked.count >= 3)
                #expect(asked.allSatisfy { request in (request.query + request.form).contains { $0.name == "resource" } == isSent })
            }
        }
    }

    /// Swiggy's challenge names a document that is not there.
    @Test func namedDocumentMayBeMissing() async throws {
        var options = ConformanceServers.Options()
        (options.resourceMetadata, options.isOwnServer) = (nil, true)
        let place = Mutex("")
        options.challengeNow = { "Bearer resource_metadata=\"\(place.withLock { $0 })/.well-known/oauth-protected-resource\"" }
        let servers = try ConformanceServers(options)
        place.withLock { $0 = servers.authorizationOrigin }
        let login = await (try CommandWorld()).run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0, "\(login.errors)")
        place.withLock { $0 = "https://other.example.org" }
        #expect(await (try CommandWorld()).run("login", servers.address, "--yes", "--register").status != 0)
    }

    /// Keycloak before 26.4 lets no client choose openid when it registers.
    @Test func registrationMayRefuseScopes() async throws {
        var options = ConformanceServers.Options()
        (options.resourceScopes, options.refusesRegisteredScopes) = (["mcp"], true)
        let servers = try ConformanceServers(options)
        let login = await (try CommandWorld()).run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0, "\(login.errors)")
        #expect(servers.seen.registrations.map { $0["scope"] != nil } == [true, false])
        #expect(servers.seen.authorizations.map { $0["scope"] } == ["mcp"])
    }

    /// GitLab gives each client that registers itself the scope mcp alone; Keycloak lists every scope but openid.
    @Test(arguments: [
        ("mcp", "mcp"), ("profile email mcp", "openid profile mcp"), ("other", "openid profile mcp"), (nil, "openid profile mcp"),
    ])
    func registrationMayGiveFewerScopes(registered: String?, requested: String) async throws {
        var options = ConformanceServers.Options()
        (options.resourceScopes, options.serverScopes) = (["mcp"], ["openid", "profile", "mcp"])
        (options.metadata, options.isOpenID) = ("/.well-known/openid-configuration", true)
        options.registeredScope = registered
        let servers = try ConformanceServers(options)
        let world = try CommandWorld()
        let login = await world.run("login", servers.address, "--yes", "--register")
        #expect(servers.seen.authorizations.map { $0["scope"] } == [requested], "\(login.errors)")
        #expect(login.status == 0, "\(login.errors)")
        // The server has neither ID tokens nor keys.
        #expect(login.errors.contains("ID token is not used") == (requested != "mcp"), "\(login.errors)")
        #expect(login.errors.contains("does not give this client: openid profile") == (requested == "mcp"), "\(login.errors)")
    }
}

/// Authorization servers that a shipped preset knows.
@Suite struct KnownServerTests {
    /// Has the metadata of one server, without PKCE.
    private struct OneServer: ProviderDiscovery {
        let published: String

        func metadata(of provider: ProviderConfiguration) async throws(AuthFailure) -> ProviderMetadata {
            guard let issuer = provider.issuer else { throw AuthFailure(.bug, text: "no issuer") }
            let document: JSONValue = [
                "issuer": .string(published), "authorization_endpoint": .string(issuer.text + "/authorize"),
                "token_endpoint": .string(issuer.text + "/token"),
            ]
            do throws(OAuthError) {
                return try ProviderMetadata(
                    WebResponse(status: 200, body: Array(document.text.utf8)), issuer: issuer, requirement: .oauth,
                    pattern: provider.dialect.issuerPattern, now: Timestamp(seconds: 1_800_000_000))
            } catch { throw error.failure }
        }

        func resource(at url: WebURL) async throws(AuthFailure) -> DiscoveredResource? { nil }
        func finding(of provider: ProviderConfiguration) async throws(AuthFailure) -> UserMessage? { nil }
    }

    private func plan(_ issuer: String, published: String? = nil, presets: [String] = []) async throws -> ProviderPlan {
        let resource = try #require(WebURL("https://api.example.org/mcp"))
        let metadata = try #require(ResourceMetadata(assumedFor: resource))
        let planner = ResourcePlanner(
            discovery: OneServer(published: published ?? issuer), presets: PresetLibrary(folders: presets, rules: .standard))
        return try await planner.plan(
            DiscoveredResource(called: resource, metadata: metadata, challenge: nil), issuer: try #require(Issuer(issuer)),
            name: try ProviderName(argument: "x"), scopes: ["read"], redirects: [])
    }

    /// The issuer in Entra's document is that of a tenant, and neither Entra nor Cognito announces PKCE.
    @Test func presetKnowsTheServerOfAResource() async throws {
        let entra = try await plan(
            "https://login.microsoftonline.com/organizations/v2.0", published: "https://login.microsoftonline.com/{tenantid}/v2.0")
        let settings = Dictionary(uniqueKeysWithValues: entra.settings(clientID: "c", clientSecretFile: nil).map { ($0.key, $0.value) })
        #expect(settings["issuer_pattern"] == "\"https://login.microsoftonline.com/{tenantid}/v2.0\"")
        #expect(settings["redirect"]?.contains("http://localhost/callback") == true)
        #expect(settings["revocation"] == "\"none\"")
        #expect(settings["resource_parameter"] == "\"off\"")
        // The resource decides what the tokens are for, and the user decides who gets them.
        #expect(settings["scopes"]?.contains("read") == true && settings["scopes"]?.contains("User.Read") == false)
        #expect(settings["api_hosts"] == nil)
        _ = try await plan("https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_Ab1Cd2Ef3")
    }

    @Test(arguments: ["https://id.example.org", "https://login.microsoftonline.com.example.org/organizations/v2.0"])
    func unknownServerHasToAnnouncePKCE(issuer: String) async throws {
        let failure = await #expect(throws: AuthFailure.self) { try await plan(issuer) }
        #expect(failure?.kind == .security)
    }
}
