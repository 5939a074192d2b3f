import AuthModel
import OAuth
import OperatingSystem
import Sandbox
import Synchronization
import TOML
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// MCP servers and authorization servers that differ from the specification in ways that were seen at services.
@Suite struct ServerOddityTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    /// Frameworks that mount an application redirect to its address with a slash, before they ask for a token.
    @Test(arguments: [true, false]) func addressMayRedirect(namesSlash: Bool) async throws {
        let servers = try ConformanceServers(.with { ($0.hasSlash, $0.namesSlash) = (true, namesSlash) })
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(servers.seen.authorizations.map { $0["resource"] } == [servers.address + (namesSlash ? "/" : "")])
        #expect(try await ConformanceClient(world: world, address: servers.address, revision: "2025-11-25").run() == [])
        #expect(servers.seen.violations == [])
    }

    /// A challenge that cannot be read asks for a token all the same.
    @Test(arguments: ["Bearer realm='x', error", "Bearer scope=\"a\", scope=\"b\""])
    func unreadableChallengeAsksForAToken(challenge: String) async throws {
        var options = ConformanceServers.Options()
        (options.resourceMetadata, options.isOwnServer, options.challenge) = (nil, true, challenge)
        let servers = try ConformanceServers(options)
        await (try CommandWorld()).run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(servers.seen.violations == [] && !servers.seen.tokenRequests.isEmpty)
    }

    /// A gateway that names the server behind it: the user decides, and the gateway's own document is not used.
    @Test func gatewayMayNameTheServerBehindIt() async throws {
        let server = try ConformanceServers(.init())
        let gateway = try ConformanceServers(.with { $0.metadataIssuer = server.authorizationOrigin })
        let asked = await (try CommandWorld()).run("login", gateway.address, "--yes", "--register")
        #expect(asked.status == 8 && asked.errors.contains("confirm it at a terminal: yett login \(gateway.address)"), "\(asked.errors)")
        #expect(server.seen.registrations.isEmpty && gateway.seen.registrations.isEmpty)
        for (answer, status) in [("n", 3), ("y", 0)] as [(String, Int32)] {
            let user = CommandWorld.User(hasTerminal: true, lines: [answer])
            let login = await (try CommandWorld()).run(["login", gateway.address, "--yes", "--register"], user: user)
            #expect(login.status == status, "\(login.errors)")
            #expect(server.seen.registrations.isEmpty == (status != 0))
        }
        await world.run("login", gateway.address, "--yes", "--register", "--issuer", server.authorizationOrigin, exits: 0)
        #expect(try world.text(world.configurationPath).contains("issuer = \"\(server.authorizationOrigin)\""))
        #expect(gateway.seen.registrations.isEmpty && gateway.seen.authorizations.isEmpty && gateway.seen.tokenRequests.isEmpty)
        // It has not moved since.
        let again = await world.run("login", gateway.address)
        #expect(again.status == 0 && !again.errors.contains("no longer accepts"), "\(again.errors)")
    }

    /// What `--issuer` names is the user's decision, and not what a gateway says at one time.
    @Test func gatewayThatChangesItsAnswerGetsNothing() async throws {
        let server = try ConformanceServers(.init())
        let gateway = try ConformanceServers(.with { ($0.metadataIssuer, $0.changesIssuer) = (server.authorizationOrigin, true) })
        await world.run("login", gateway.address, "--yes", "--register", "--issuer", server.authorizationOrigin, exits: 0)
        #expect(try world.text(world.configurationPath).contains("issuer = \"\(server.authorizationOrigin)\""))
        #expect(gateway.seen.registrations.isEmpty && gateway.seen.authorizations.isEmpty && gateway.seen.tokenRequests.isEmpty)
    }

    /// A refused request says nothing of another server then.
    @Test func serverBehindItsOwnGatewayHasNotMoved() async throws {
        let server = try ConformanceServers(.init())
        let gateway = try ConformanceServers(.with { ($0.isOwnServer, $0.metadataIssuer) = (true, server.authorizationOrigin) })
        await world.run("login", gateway.address, "--yes", "--register", "--issuer", server.authorizationOrigin, exits: 0)
        // It does not know the other one's tokens.
        let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
        let refused = await world.run("request", "local", gateway.address, "-d", list)
        #expect(refused.status != 0 && !refused.errors.contains("no longer accepts"), "\(refused.errors)")
    }

    @Test func serverThatDoesNotNameItselfIsRefused() async throws {
        let server = try ConformanceServers(.with { $0.metadata = nil })
        let gateway = try ConformanceServers(.with { $0.metadataIssuer = server.authorizationOrigin })
        for issuer in ["--yes", "--issuer=\(server.authorizationOrigin)"] {
            let user = CommandWorld.User(hasTerminal: true, lines: ["y"])
            let login = await (try CommandWorld()).run(["login", gateway.address, issuer, "--register"], user: user)
            #expect(login.status != 0, "\(login.errors)")
        }
        #expect(server.seen.registrations.isEmpty && gateway.seen.registrations.isEmpty)
    }

    /// Only an administrator can move it, so its sessions stay.
    @Test func moveOfAnAdministratorsProviderEndsNoSession() async throws {
        let servers = try ConformanceServers(.with { ($0.moves, $0.opensFreely, $0.scope) = (true, true, "mcp:basic") })
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
        let servers = try ConformanceServers(.with { ($0.resourceScopes, $0.serverScopes) = (["openid"], ["openid"]) })
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(servers.seen.authorizations.map { $0["scope"] } == ["openid"])
        #expect(try world.text(world.configurationPath).contains("kind = \"oauth2\""))
    }

    /// Slack refuses the whole sign-in for one scope that a client does not have, and its resource lists thirty.
    @Test func scopesOfAListCanBeFewer() async throws {
        let servers = try ConformanceServers(.with { ($0.resourceScopes, $0.registersClients) = (["read", "write"], false) })
        let issuer = ["--client-id", "mine", "--issuer", servers.authorizationOrigin]
        let all = await (try CommandWorld()).run(["login", servers.address] + issuer)
        #expect(all.status == 0 && all.errors.contains("--scope names fewer"), "\(all.errors)")
        let fewer = await (try CommandWorld()).run(["login", servers.address, "--scope", "read"] + issuer)
        #expect(fewer.status == 0 && !fewer.errors.contains("--scope names fewer"), "\(fewer.errors)")
        #expect(servers.seen.authorizations.map { $0["scope"] } == ["read write", "read"])
    }

    /// Better Auth announces keys that are not there, and signs with one that it throws away. That is no identity, and no token to pass on.
    @Test func idTokenWithoutKeysIsNotUsed() async throws {
        var options = ConformanceServers.Options()
        (options.resourceScopes, options.serverScopes) = (["openid"], ["openid"])
        (options.metadata, options.isOpenID, options.hasUnverifiableIDToken) = ("/.well-known/openid-configuration", true, true)
        let servers = try ConformanceServers(options)
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
        let origin = servers.authorizationOrigin
        let user = CommandWorld.User(hasTerminal: true, lines: ["y"])
        await world.run(
            ["login", servers.address, isNamed ? "--issuer=\(origin)" : "--yes", "--register"], user: isNamed ? .init() : user, exits: 0)
        #expect(servers.seen.registrations.count == 1 && servers.seen.violations == [])
        let text = try world.text(world.configurationPath)
        #expect(text.contains("issuer = \"\(origin)\"") && !text.contains("discovery"), "\(text)")
        let again = await world.run("login", servers.address)
        #expect(again.status == 0 && !again.errors.contains("no longer accepts"), "\(again.errors)")
    }

    /// SmartBear's server is at a path, and the only document is that of the origin, which the resource names.
    @Test func serverOfAnOriginMayBeAtAPath() async throws {
        var options = ConformanceServers.Options()
        options.prefix = "/oauth"
        options.namedServer = { String($0.dropLast("/oauth".count)) }
        let servers = try ConformanceServers(options)
        let user = CommandWorld.User(hasTerminal: true, lines: ["y"])
        await world.run(["login", servers.address, "--yes", "--register"], user: user, exits: 0)
        let origin = servers.authorizationOrigin
        let text = try world.text(world.configurationPath)
        #expect(text.contains("issuer = \"\(origin)/oauth\"") && text.contains("discovery = \"\(origin)/.well-known/"), "\(text)")
        #expect(servers.seen.registrations.count == 1 && servers.seen.violations == [])
        let again = await world.run("login", servers.address)
        #expect(again.status == 0 && !again.errors.contains("no longer accepts"), "\(again.errors)")
    }

    /// A token with the scopes of one resource is refused at userinfo, as by GitLab and Keycloak.
    @Test(arguments: [401, 403]) func userinfoMayRefuseTheTokenOfAResource(status: Int) async throws {
        let servers = try ConformanceServers(.with { ($0.resourceScopes, $0.userInfoStatus) = (["mcp"], status) })
        await (try CommandWorld()).run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(servers.seen.paths.contains("GET /userinfo"))
    }

    /// HubSpot's and Google's servers register no client, and want its secret.
    @Test(arguments: [true, false]) func secretIsAskedForWhereClientsHaveOne(hasSecret: Bool) async throws {
        var options = ConformanceServers.Options()
        (options.registersClients, options.authenticationMethods) = (false, ["client_secret_post"])
        let servers = try ConformanceServers(options)
        try world.write("own-secret\n", to: "secret")
        let user = CommandWorld.User(hasTerminal: true, lines: ["own-client", hasSecret ? world.home + "/secret" : ""])
        let words = ["login", servers.address, "--yes", "--issuer", servers.authorizationOrigin]
        let login = await world.run(words, user: user)
        #expect(login.status == 0 && login.errors.contains("File with the client secret (Enter: none):"), "\(login.errors)")
        #expect(servers.seen.tokenRequests.map { $0.form["client_secret"] } == [hasSecret ? "own-secret" : nil])
    }

    /// The TypeScript SDK gives a registered client a secret for 30 days.
    @Test func clientWhoseSecretIsOverIsRegisteredAgain() async throws {
        var options = ConformanceServers.Options()
        (options.authenticationMethods, options.namesMethod, options.firstSecretIsOver) = (["client_secret_post"], true, true)
        let servers = try ConformanceServers(options)
        let login = await (try CommandWorld()).run("login", servers.address, "--yes", "--register")
        #expect(login.status == 0 && login.errors.contains("registered again"), "\(login.errors)")
        #expect(servers.seen.registrations.count == 2 && servers.seen.authorizations.count == 1)
    }

    /// The provider is removed again, so a hint about its entry would be of no use.
    @Test(arguments: [("invalid_scope", "--scope SCOPE"), ("invalid_target", "resource_parameter = \"off\"")])
    func refusedResourceHasANextStep(error: String, hint: String) async throws {
        let servers = try ConformanceServers(.with { $0.callbackError = error })
        let login = await (try CommandWorld()).run("login", servers.address, "--yes", "--register")
        #expect(login.status != 0 && login.errors.contains("removed again") && login.errors.contains(hint), "\(login.errors)")
    }

    /// Another server on the origin could name endpoints of its own under the name of the one that the user confirms (RFC 8414 section 3.3).
    @Test(arguments: ["https://evil.example", nil]) func documentOfAPathLeadsNowhere(origin: String?) async throws {
        var options = ConformanceServers.Options()
        (options.prefix, options.isIssuerOrigin, options.hasRootDocument) = ("/resource", true, true)
        options.metadata = "/.well-known/oauth-authorization-server/resource"
        options.namedServer = { $0 + "/resource" }
        options.tokenOrigin = origin
        options.tokenPath = "/resource/other"
        let servers = try ConformanceServers(options)
        await world.run("login", servers.address, "--yes", "--register", "--issuer", servers.authorizationOrigin, exits: 0)
        #expect(servers.seen.paths.contains("POST /resource/token") && !servers.seen.paths.contains("POST /resource/other"))
    }

    /// A server may answer GET with a stream that stays open: what it demands says the answer to a POST.
    @Test func openStreamDoesNotHoldASignInUp() async throws {
        let servers = try ConformanceServers(.with { $0.opensStream = true })
        await (try CommandWorld()).run("login", servers.address, "--yes", "--register", exits: 0)
    }

    /// Sign-ins in several terminals find the same name unused.
    @Test func signInsAtOnceGetNamesOfTheirOwn() async throws {
        let servers = try (0..<4).map { _ in try ConformanceServers(ConformanceServers.Options()) }
        let logins = await withTaskGroup(of: CommandResult.self) { group in
            for server in servers { group.addTask { await world.run("login", server.address, "--yes", "--register") } }
            return await group.reduce(into: [CommandResult]()) { $0.append($1) }
        }
        #expect(logins.allSatisfy { $0.status == 0 }, "\(logins.map(\.errors))")
        let text = try world.text(world.configurationPath)
        #expect(text.ranges(of: "[providers.").count == 4, "\(text)")
    }

    /// A path without a document of its own is not another path's to describe.
    @Test func documentOfAnotherPathIsNotUsed() async throws {
        var options = ConformanceServers.Options()
        options.prefix = "/evil"
        options.metadata = "/.well-known/oauth-authorization-server/evil"
        let place = Mutex("")
        options.metadataIssuerNow = { place.withLock { $0 } + "/other" }
        let servers = try ConformanceServers(options)
        place.withLock { $0 = servers.authorizationOrigin }
        for issuer in ["--yes", "--issuer=\(servers.authorizationOrigin)/other"] {
            let user = CommandWorld.User(hasTerminal: true, lines: ["y"])
            let login = await (try CommandWorld()).run(["login", servers.address, issuer, "--register"], user: user)
            #expect(login.status != 0, "\(login.errors)")
        }
        #expect(servers.seen.registrations.isEmpty)
    }

    /// Entra refuses the parameter; its scopes say what the tokens are for.
    @Test func resourceParameterMayBeOff() async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            for (setting, isSent) in [("off", false), ("sent", true)] {
                let world = try CommandWorld.configured(
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

    /// Without scopes, a renewal at Entra is for the client itself, and has no ID token.
    @Test func renewalMayNameTheScopes() async throws {
        try await SandboxServer.running(SignInTests.honest) { server in
            for setting in ["omitted", "sent"] {
                let world = try CommandWorld.configured(issuer: server.issuer, more: "renewal_scopes = \"\(setting)\"\n")
                try await world.signIn("sandbox")
                server.clearRequests()
                #expect(await world.run("renew", "sandbox").status == 0)
                let sent = server.requests.filter { $0.path == "/token" }.map { $0.form.first { $0.name == "scope" }?.value }
                let named: Set<Substring> = setting == "sent" ? ["openid", "offline_access", "email", "profile"] : []
                #expect(sent.map { Set($0?.split(separator: " ") ?? []) } == [named])
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
        await (try CommandWorld()).run("login", servers.address, "--yes", "--register", exits: 0)
        place.withLock { $0 = "https://other.example.org" }
        #expect(await (try CommandWorld()).run("login", servers.address, "--yes", "--register").status != 0)
    }

    /// Keycloak before 26.4 lets no client choose openid when it registers.
    @Test func registrationMayRefuseScopes() async throws {
        let servers = try ConformanceServers(.with { ($0.resourceScopes, $0.refusesRegisteredScopes) = (["mcp"], true) })
        await (try CommandWorld()).run("login", servers.address, "--yes", "--register", exits: 0)
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
        let login = await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(servers.seen.authorizations.map { $0["scope"] } == [requested], "\(login.errors)")
        // The server has neither ID tokens nor keys.
        #expect(login.errors.contains("ID token is not used") == (requested != "mcp"), "\(login.errors)")
        #expect(login.errors.contains("does not give this client: openid profile") == (requested == "mcp"), "\(login.errors)")
    }
}
