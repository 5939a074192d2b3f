import AuthModel
import OAuth
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The scenarios of the official client conformance suite (modelcontextprotocol/conformance 0.2.0-alpha.11) about authorization, under
/// their names, each with every revision that it is for.
@Suite struct ConformanceTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    /// A scenario: its servers, its client, and what it requires of the requests.
    struct Scenario: Sendable {
        let name: String
        var revisions = ["2025-11-25", "2026-07-28"]
        var options = ConformanceServers.Options()
        /// The arguments of `yett login` that select the client.
        var client = ["--register"]
        /// Whether the client must refuse to sign in.
        var isRefused = false
        /// Whether a request cannot succeed.
        var isHopeless = false
        var check: @Sendable (ConformanceServers.Record, ConformanceServers.Record?) -> Bool = { _, _ in true }
    }

    struct Run: Sendable, CustomTestStringConvertible {
        let scenario: Scenario
        let revision: String
        var way = Way.signsInFirst
        var testDescription: String { "auth/\(scenario.name) \(revision), \(way)" }
    }

    /// What the user does before the client starts the bridge.
    enum Way: CaseIterable {
        case signsInFirst, addsProviderFirst, nothing
    }

    private static let secretFile = "/client-secret"

    private static func scopes(_ authorization: [String: String]?) -> [String] {
        (authorization?["scope"] ?? "").split(separator: " ").map(String.init)
    }

    private static let draft = ["2026-07-28"]
    private static let march = ["2025-03-26"]

    private static let scenarios = discovery + scopeSelection + clients + draftScenarios

    private static let discovery: [Scenario] = [
        Scenario(name: "metadata-default") { seen, _ in !seen.paths.contains("GET /.well-known/oauth-protected-resource") },
        Scenario(
            name: "metadata-var1",
            options: .with {
                $0.namesMetadata = false
                ($0.metadata, $0.isOpenID) = ("/.well-known/openid-configuration", true)
            }),
        Scenario(
            name: "metadata-var2",
            options: .with {
                ($0.resourceMetadata, $0.namesMetadata) = ("/.well-known/oauth-protected-resource", false)
                ($0.metadata, $0.prefix) = ("/.well-known/oauth-authorization-server/tenant1", "/tenant1")
            }
        ) { seen, _ in !seen.paths.contains("GET /.well-known/oauth-authorization-server") },
        Scenario(
            name: "metadata-var3",
            options: .with {
                $0.resourceMetadata = "/custom/metadata/location.json"
                ($0.metadata, $0.prefix, $0.isOpenID) = ("/tenant1/.well-known/openid-configuration", "/tenant1", true)
            }
        ) { seen, _ in !seen.paths.contains("GET /.well-known/oauth-authorization-server") },
        Scenario(
            name: "basic-cimd", options: .with { $0.acceptsDocuments = true },
            client: ["--client-metadata", "https://conformance-test.example/client-metadata.json"]
        ) { seen, _ in
            seen.registrations.isEmpty
                && seen.authorizations.allSatisfy { $0["client_id"] == "https://conformance-test.example/client-metadata.json" }
        },
        Scenario(
            name: "2025-03-26-oauth-metadata-backcompat", revisions: march,
            options: .with { ($0.resourceMetadata, $0.prefix, $0.isIssuerOrigin, $0.isOwnServer) = (nil, "/oauth", true, true) }
        ) { seen, _ in seen.paths.contains("POST /oauth/token") },
        Scenario(
            name: "2025-03-26-oauth-endpoint-fallback", revisions: march,
            options: .with { ($0.resourceMetadata, $0.metadata, $0.isOwnServer) = (nil, nil, true) }
        ) { seen, _ in ["POST /register", "GET /authorize", "POST /token"].allSatisfy(seen.paths.contains) },
    ]

    private static let scopeSelection: [Scenario] = [
        Scenario(name: "scope-from-www-authenticate", options: .with { $0.scope = "mcp:basic" }) { seen, _ in
            scopes(seen.authorizations.first) == ["mcp:basic"]
        },
        Scenario(
            name: "scope-from-scopes-supported", options: .with { $0.resourceScopes = ["mcp:basic", "mcp:read", "mcp:write"] }
        ) { seen, _ in scopes(seen.authorizations.first) == ["mcp:basic", "mcp:read", "mcp:write"] },
        Scenario(name: "scope-omitted-when-undefined") { seen, _ in seen.authorizations.first?["scope"] == nil },
        Scenario(
            name: "scope-step-up",
            options: .with {
                ($0.opensFreely, $0.scope, $0.callScope, $0.resourceScopes) = (true, "mcp:basic", "mcp:write", ["mcp:profile"])
            }
        ) { seen, _ in seen.authorizations.map { scopes($0) } == [["mcp:basic"], ["mcp:basic", "mcp:write"]] },
        Scenario(
            name: "scope-retry-limit",
            options: .with {
                ($0.opensFreely, $0.scope, $0.resourceScopes, $0.refusesScopes) = (true, "mcp:admin", ["mcp:admin"], true)
            }, isHopeless: true
        ) { seen, _ in (1...3).contains(seen.authorizations.count) },
    ]

    private static let clients: [Scenario] = [
        Scenario(
            name: "token-endpoint-auth-basic",
            options: .with { ($0.authenticationMethods, $0.namesMethod) = (["client_secret_basic"], true) }
        ) { seen, _ in seen.tokenRequests.allSatisfy { $0.authorization?.hasPrefix("Basic ") == true && $0.form["client_secret"] == nil } },
        Scenario(
            name: "token-endpoint-auth-post",
            options: .with { ($0.authenticationMethods, $0.namesMethod) = (["client_secret_post"], true) }
        ) { seen, _ in seen.tokenRequests.allSatisfy { $0.authorization == nil && $0.form["client_secret"] == "made-up-secret" } },
        Scenario(name: "token-endpoint-auth-none", options: .with { $0.namesMethod = true }) { seen, _ in
            seen.tokenRequests.allSatisfy { $0.authorization == nil && $0.form["client_secret"] == nil }
        },
        Scenario(
            name: "pre-registration",
            options: .with { ($0.registersClients, $0.authenticationMethods) = (false, ["client_secret_basic"]) },
            client: ["--client-id", "pre-registered-client", "--client-secret-file", secretFile]
        ) { seen, _ in
            let credentials = Base64.encode(Array("pre-registered-client:pre-registered-secret".utf8))
            return seen.tokenRequests.allSatisfy { $0.authorization == "Basic \(credentials)" }
        },
    ]

    private static let draftScenarios: [Scenario] = [
        Scenario(
            name: "resource-mismatch", revisions: draft, options: .with { $0.resource = "https://evil.example.com/mcp" }, isRefused: true
        ) { seen, _ in seen.authorizations.isEmpty },
        Scenario(
            name: "offline-access-scope", revisions: draft,
            options: .with {
                ($0.resourceScopes, $0.serverScopes) = (["mcp:basic"], ["mcp:basic", "offline_access"])
                $0.acceptsDocuments = true
            }
        ) { seen, _ in scopes(seen.authorizations.first).contains("offline_access") },
        Scenario(
            name: "offline-access-not-supported", revisions: draft,
            options: .with { ($0.resourceScopes, $0.serverScopes) = (["mcp:basic", "mcp:read"], ["mcp:basic", "mcp:read"]) }
        ) { seen, _ in scopes(seen.authorizations.first) == ["mcp:basic", "mcp:read"] },
        Scenario(
            name: "authorization-server-migration", revisions: draft,
            options: .with { ($0.moves, $0.opensFreely, $0.scope) = (true, true, "mcp:basic") }
        ) { seen, next in
            guard let next else { return false }
            return next.registrations.count == 1 && next.authorizations.count == 1 && !next.tokenRequests.isEmpty
                && next.authorizations.allSatisfy { $0["client_id"] == "client-of-second" }
                && next.tokenRequests.allSatisfy { $0.form["client_id"] == "client-of-second" }
        },
        Scenario(name: "iss-supported", revisions: draft),
        Scenario(
            name: "iss-not-advertised", revisions: draft,
            options: .with { ($0.announcesIssuer, $0.callbackIssuer) = (nil, .missing) }),
        refused("iss-supported-missing") { $0.callbackIssuer = .missing },
        refused("iss-wrong-issuer") { $0.callbackIssuer = .wrong },
        refused("iss-unexpected") { ($0.announcesIssuer, $0.callbackIssuer) = (nil, .wrong) },
        refused("iss-normalized") { $0.callbackIssuer = .withSlash },
        Scenario(
            name: "metadata-issuer-mismatch", revisions: draft,
            options: .with { ($0.metadataIssuer, $0.prefix, $0.isIssuerOrigin) = ("https://attacker.example.com", "/other", true) },
            isRefused: true
        ) { seen, _ in
            seen.registrations.isEmpty && seen.authorizations.isEmpty && seen.tokenRequests.isEmpty
                && seen.paths.contains("GET /.well-known/oauth-authorization-server")
        },
    ]

    /// A scenario whose callback the client must refuse.
    private static func refused(_ name: String, _ change: (inout ConformanceServers.Options) -> Void) -> Scenario {
        Scenario(name: name, revisions: draft, options: .with(change), isRefused: true) { seen, _ in
            seen.authorizations.count == 1 && seen.tokenRequests.isEmpty
        }
    }

    static let runs = scenarios.flatMap { scenario in
        scenario.revisions.flatMap { revision in
            Way.allCases.map { Run(scenario: scenario, revision: revision, way: $0) }
        }
    }
    // Whether to trust another server is a question to the user, and whether a token is for all of a host.
    .filter { $0.way != .nothing || !["authorization-server-migration", "metadata-var2"].contains($0.scenario.name) }

    /// The published requirements: all scenarios about authorization are here, with the two for the earlier revision.
    @Test func everyScenarioIsHere() {
        let both = [
            "basic-cimd", "metadata-default", "metadata-var1", "metadata-var2", "metadata-var3", "pre-registration",
            "scope-from-scopes-supported", "scope-from-www-authenticate", "scope-omitted-when-undefined", "scope-retry-limit",
            "scope-step-up", "token-endpoint-auth-basic", "token-endpoint-auth-none", "token-endpoint-auth-post",
        ]
        let draft = [
            "authorization-server-migration", "iss-normalized", "iss-not-advertised", "iss-supported", "iss-supported-missing",
            "iss-unexpected", "iss-wrong-issuer", "metadata-issuer-mismatch", "offline-access-not-supported", "offline-access-scope",
            "resource-mismatch",
        ]
        let march = ["2025-03-26-oauth-endpoint-fallback", "2025-03-26-oauth-metadata-backcompat"]
        let published = [("2025-11-25", both), ("2026-07-28", both + draft), ("2025-03-26", march)]
        for (revision, names) in published {
            #expect(Self.scenarios.filter { $0.revisions.contains(revision) }.map(\.name).sorted() == names.sorted(), "\(revision)")
        }
    }

    @Test(arguments: runs) func scenarioPasses(run: Run) async throws {
        let scenario = run.scenario
        var options = scenario.options
        options.isStateless = run.revision == "2026-07-28"
        let servers = try ConformanceServers(options)
        try PrivateFile.replace(world.home + Self.secretFile, with: Array("pre-registered-secret".utf8))
        let client = scenario.client.map { $0 == Self.secretFile ? world.home + $0 : $0 }
        // The suite's server is on localhost, where --yes is enough; this one has an address.
        let user = CommandWorld.User(hasTerminal: scenario.name == "metadata-var2", lines: ["y"])
        var login = CommandResult(status: 0, output: "", errors: "")
        var permission = MCPCredentials.SignInPermission()
        switch run.way {
        case .addsProviderFirst:
            login = await world.run(["providers", "add", servers.address, "--yes"] + client, user: user)
            if login.status == 0 { login = await world.run("login", servers.address) }
        case .signsInFirst: login = await world.run(["login", servers.address, "--yes"] + client, user: user)
        case .nothing: permission = .init(opensBrowser: true, widensSessions: true, firstOptions: ["--yes"] + client)
        }
        if run.way != .nothing { #expect((login.status != 0) == scenario.isRefused, "\(login.errors)") }
        if login.status == 0 {
            let client = ConformanceClient(world: world, address: servers.address, revision: run.revision, permission: permission)
            let failures = try await client.run()
            #expect(failures.isEmpty != (scenario.isHopeless || scenario.isRefused), "\(failures)")
        }
        let seen = servers.seen
        #expect(seen.violations + (servers.next?.seen.violations ?? []) == [])
        #expect(scenario.check(seen, servers.next?.seen), "\(seen.authorizations) \(seen.paths)")
        if !scenario.isRefused { #expect(!seen.authorizations.isEmpty && !seen.tokenRequests.isEmpty) }
    }

    /// Servers of 2025-03-26 that refuse without a challenge, or answer every unknown path with a refusal or a page.
    @Test(arguments: [(404, ""), (401, ""), (200, "<!doctype html>")]) func olderServersNameNothing(status: Int, page: String) async throws
    {
        var options = ConformanceServers.Options()
        (options.resourceMetadata, options.isOwnServer, options.challenges) = (nil, true, false)
        options.absent = .init(status: status, headers: ["Content-Type: text/html"], body: Array(page.utf8))
        let servers = try ConformanceServers(options)
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(servers.seen.violations == [] && !servers.seen.tokenRequests.isEmpty)
    }

    /// A URL without a path may be written with a slash. The server's own spelling counts from then on.
    @Test(arguments: ["2025-11-25", "2026-07-28"]) func resourceMaySpellItsServerWithASlash(revision: String) async throws {
        var options = ConformanceServers.Options()
        options.isStateless = revision == "2026-07-28"
        options.namedServer = { $0 + "/" }
        let servers = try ConformanceServers(options)
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        #expect(try world.text(world.configurationPath).contains("issuer = \"\(servers.authorizationOrigin)\""))
        #expect(try await ConformanceClient(world: world, address: servers.address, revision: revision).run() == [])
        let again = await world.run("login", servers.address, "--yes")
        #expect(again.status == 0 && servers.seen.registrations.count == 1, "\(again.errors)")
    }

    /// A path is another server's: `/tenant` and `/tenant/` may be two.
    @Test func slashAfterAPathIsAnotherServer() async throws {
        var options = ConformanceServers.Options()
        options.prefix = "/tenant"
        options.metadata = "/.well-known/oauth-authorization-server/tenant"
        options.namedServer = { $0 + "/" }
        let servers = try ConformanceServers(options)
        let login = await (try CommandWorld()).run("login", servers.address, "--yes", "--register")
        #expect(login.status == 8 && servers.seen.registrations.isEmpty, "\(login.errors)")
    }

    /// A user who has not vouched for the program at a port is asked whether its tokens may be for all of it.
    @Test(arguments: [("y", 0), ("n", 3)] as [(String, Int32)]) func wholeResourceIsAQuestion(answer: String, status: Int32) async throws {
        let scenario = try #require(Self.scenarios.first { $0.name == "metadata-var2" })
        let servers = try ConformanceServers(scenario.options)
        let user = CommandWorld.User(hasTerminal: true, lines: [answer, "1"])
        let login = await world.run(["login", servers.address, "--register"], user: user)
        #expect(login.status == status, "\(login.errors)")
        #expect(login.errors.contains("all of"), "\(login.errors)")
        #expect(servers.seen.registrations.isEmpty == (status != 0))
    }

    /// `yett request` does not send its user back to the server that the resource has left.
    @Test func requestNamesTheOtherAuthorizationServer() async throws {
        let scenario = try #require(Self.scenarios.first { $0.name == "authorization-server-migration" })
        let servers = try ConformanceServers(scenario.options)
        let next = try #require(servers.next)
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        func call(_ method: String) async -> CommandResult {
            await world.run("request", "local", servers.address, "-d", #"{"jsonrpc":"2.0","id":1,"method":"\#(method)"}"#)
        }
        let list = await call("tools/list")
        #expect(list.status == 0, "\(list.errors)")
        let refused = await call("tools/call")
        #expect(refused.status == 6, "\(refused.errors)")
        for part in [next.authorizationOrigin, "yett login \(servers.address)"] {
            #expect(refused.errors.contains(part), "\(refused.errors)")
        }
        #expect(servers.seen.authorizations.count == 1 && next.seen.paths.isEmpty)
    }

    /// The user of a client that shows pages signs in for more scopes, and again after the end of the session, by clicks. In 2026-07-28, a
    /// list of tools cannot be answered with a page.
    @Test(arguments: [("2025-11-25", 2), ("2026-07-28", 1)]) func pageReplacesTheCommand(revision: String, pages: Int) async throws {
        let scenario = try #require(Self.scenarios.first { $0.name == "scope-step-up" })
        var options = scenario.options
        options.isStateless = revision == "2026-07-28"
        let servers = try ConformanceServers(options)
        await world.run("login", servers.address, "--yes", "--register", exits: 0)
        let client = ConformanceClient(world: world, address: servers.address, revision: revision, showsPages: true)
        #expect(try await client.run() == [])
        #expect(client.visitCount == 1)
        #expect(scenario.check(servers.seen, nil), "\(servers.seen.authorizations)")
        #expect(await world.run("logout", "--all", "--local").status == 0)
        #expect(try await client.run() == [])
        #expect(client.visitCount == 1 + pages)
        #expect(servers.seen.violations == [])
    }

    /// With `client_document`, no option is needed where the server accepts such documents, and public clients.
    @Test(arguments: [(true, ["none"]), (false, ["none"]), (true, ["client_secret_basic"])])
    func configuredDocumentComesBeforeRegistration(isAccepted: Bool, methods: [String]) async throws {
        let servers = try ConformanceServers(.with { ($0.acceptsDocuments, $0.authenticationMethods) = (isAccepted, methods) })
        let world = try CommandWorld.configured("client_document = \"https://example.org/yett.json\"\n")
        let login = await world.run("login", servers.address, "--yes")
        let isUsed = isAccepted && methods == ["none"]
        #expect((login.status == 0) == isUsed, "\(login.errors)")
        #expect(servers.seen.authorizations.map { $0["client_id"] } == (isUsed ? ["https://example.org/yett.json"] : []))
        #expect(servers.seen.registrations.isEmpty)
        if isUsed { #expect(try await ConformanceClient(world: world, address: servers.address, revision: "2025-11-25").run() == []) }
    }

    /// With both options, one command is for servers that accept such documents and for those that register clients.
    @Test(arguments: [(true, ["none"]), (false, ["none"]), (true, ["client_secret_basic"])])
    func givenDocumentComesBeforeRegistration(isAccepted: Bool, methods: [String]) async throws {
        let servers = try ConformanceServers(
            .with { ($0.acceptsDocuments, $0.authenticationMethods, $0.namesMethod) = (isAccepted, methods, true) })
        let document = "https://example.org/yett.json"
        await world.run("login", servers.address, "--yes", "--register", "--client-metadata", document, exits: 0)
        let isUsed = isAccepted && methods == ["none"]
        #expect(servers.seen.registrations.count == (isUsed ? 0 : 1))
        #expect(servers.seen.authorizations.map { $0["client_id"] == document } == [isUsed])
        #expect(servers.seen.violations == [])
        await world.run("login", servers.address, "--register", "--client-id", "a", exits: 64)
    }

    /// A document has the same redirect addresses at every server, so a response that does not name its own may be another one's.
    @Test(arguments: [[], ["--redirect", "http://127.0.0.1/other"]]) func documentNeedsTheNameOfTheServer(redirect: [String]) async throws {
        let servers = try ConformanceServers(
            .with { ($0.acceptsDocuments, $0.announcesIssuer, $0.callbackIssuer) = (true, nil, .missing) })
        let login = await world.run(
            ["login", servers.address, "--yes", "--client-metadata", "https://example.org/yett.json"] + redirect)
        #expect(login.status == 8 && login.errors.contains("lacks iss, so it may be of another provider"), "\(login.errors)")
        #expect(servers.seen.authorizations.count == 1 && servers.seen.tokenRequests.isEmpty)
    }

    @Test func documentIsPrinted() async throws {
        let given = await world.run("providers", "client-document", "https://example.org/yett.json", exits: 0)
        let document = try given.json
        #expect(document["client_id"] == "https://example.org/yett.json")
        #expect(document["redirect_uris"] == ["http://127.0.0.1/callback"])
        #expect(document["token_endpoint_auth_method"] == "none")
        try world.configure("client_document = \"https://example.org/yett.json\"\n")
        #expect(await world.run("providers", "client-document").output == given.output)
        try world.configure("client_document = \"http://example.org/yett.json\"\n")
        let refused = await world.run("providers", "client-document")
        #expect(refused.status == 2 && refused.errors.contains("config.toml:1"), "\(refused.errors)")
    }
}
