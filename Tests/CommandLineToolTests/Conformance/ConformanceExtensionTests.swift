import AuthEngine
import AuthModel
import Crypto
import OAuth
import Sandbox
import Testing

@testable import CommandLineTool
@testable import UserConfiguration

/// The scenarios of the official client conformance suite (modelcontextprotocol/conformance) about the extensions of authorization, under
/// their names: sessions that no page opens.
@Suite(.serialized) struct ConformanceExtensionTests {
    private let world: CommandWorld

    init() throws { world = try CommandWorld() }

    private static let revisions = ["2025-11-25", "2026-07-28"]
    private static let jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    private static let profile = "urn:ietf:params:oauth:grant-profile:id-jag"

    private static func options(_ change: (inout ConformanceServers.Options) -> Void) -> ConformanceServers.Options {
        var options = ConformanceServers.Options()
        options.registersClients = false
        change(&options)
        return options
    }

    private func basic(_ id: String, _ secret: String) -> String { "Basic " + Base64.encode(Array("\(id):\(secret)".utf8)) }

    // MARK: auth/enterprise-managed-authorization

    private static let client = "conformance-test-xaa-client"
    private static let secret = "conformance-test-xaa-secret"
    /// The client at the company is another one.
    private static let companyClient = "conformance-test-idp-client"

    /// Runs `body` with a company where the user is signed in, and an MCP server whose authorization server accepts the company's grants.
    private func enterprise(
        isAnnounced: Bool = true, moves: Bool = false, _ body: (SandboxServer, ConformanceServers, CommandWorld) async throws -> Void
    ) async throws {
        var configuration = SandboxConfiguration.lasting
        configuration.issuesIdentityGrants = true
        configuration.clients = [SandboxClient(id: Self.companyClient, name: "Yett", redirects: ["http://127.0.0.1/callback"])]
        try await SandboxServer.running(configuration) { company in
            let keys = try await keys(of: company)
            let authorization = basic(Self.client, Self.secret)
            let servers = try ConformanceServers(
                Self.options {
                    ($0.grantTypes, $0.authenticationMethods) = ([Self.jwtBearer], ["client_secret_basic"])
                    $0.grantProfiles = isAnnounced ? [Self.profile] : nil
                    $0.moves = moves
                    $0.redeem = { [issuer = company.issuer] request in
                        if request.authorization != authorization { return "invalid_client" }
                        if request.form["grant_type"] != Self.jwtBearer { return "unsupported_grant_type" }
                        guard let token = try? JSONWebSignature(compact: request.form["assertion"] ?? ""),
                            (try? token.signer(among: keys, announcedAlgorithms: ["RS256"], host: nil)) != nil
                        else { return "invalid_grant" }
                        let claims = token.unverifiedClaims
                        let isRight =
                            token.type == "oauth-id-jag+jwt" && claims["iss"]?.string == issuer && claims["aud"]?.string == request.issuer
                            && claims["client_id"]?.string == Self.companyClient && claims["sub"]?.string == "sandbox-ada"
                            && claims["resource"]?.string?.hasSuffix("/mcp") == true
                        return isRight ? nil : "invalid_grant"
                    }
                })
            let world = try CommandWorld.configured(
                """
                [providers.company]
                kind = "oidc"
                issuer = "\(company.issuer)"
                client_id = "\(Self.companyClient)"
                scopes = ["openid", "profile", "offline_access"]
                login_timeout = 600
                """)
            try PrivateFile.replace(world.home + "/secret", with: Array(Self.secret.utf8))
            #expect(await world.run("login", "company").status == 0)
            try await body(company, servers, world)
        }
    }

    private func keys(of server: SandboxServer) async throws -> KeySet {
        let url = try #require(WebURL(server.issuer + "/jwks"))
        let response = try await CurlTransport(version: "test", environment: [:]).send(WebRequest(method: .get, url: url))
        return try KeySet(response, from: url, now: SystemTimeSource().now)
    }

    /// Signs in to the MCP server.
    ///
    /// - Parameter answer: the user's answer whether the company session may be used; `nil` if the user cannot be asked.
    private func login(
        _ servers: ConformanceServers, _ world: CommandWorld, _ more: String..., answering answer: String? = "y"
    ) async -> CommandResult {
        await world.run(
            ["login", servers.address, "--yes", "--client-id", Self.client, "--client-secret-file", world.home + "/secret"] + more,
            user: .init(hasTerminal: answer != nil, lines: answer.map { [$0] } ?? []))
    }

    @Test(arguments: revisions) func enterpriseManagedAuthorization(revision: String) async throws {
        try await enterprise { (company, servers, world) async throws in
            let login = await login(servers, world)
            #expect(login.status == 0, "\(login.errors)")
            #expect(world.openedAddresses.count == 1)
            #expect(try await ConformanceClient(world: world, address: servers.address, revision: revision).run() == [])
            let asked = company.requests.last { $0.path == "/token" }
            #expect(asked?.field("requested_token_type") == "urn:ietf:params:oauth:token-type:id-jag")
            #expect(asked?.field("audience") == servers.authorizationOrigin && asked?.field("resource") == servers.address)
            #expect(servers.seen.tokenRequests.map { $0.form["grant_type"] } == [Self.jwtBearer])
            #expect(servers.seen.authorizations.isEmpty && servers.seen.violations == [])
            let status = await world.run("status")
            #expect(status.output.contains("derived from company"), "\(status.output)")
        }
    }

    /// Where the user cannot sign in at the company, its ID token comes from a file, as in the official scenario.
    @Test(arguments: revisions) func companysTokenComesFromAFile(revision: String) async throws {
        try await enterprise { company, servers, world in
            let token = String(await world.run("token", "company", "--id-token").output.trimmed)
            try PrivateFile.replace(world.home + "/id-token", with: Array(token.utf8))
            #expect(await world.run("logout", "--all", "--local").status == 0)
            try world.configure(
                try world.text(world.configurationPath) + """

                    [providers.tools]
                    kind = "exchange"
                    grant = "id-jag"
                    from = "company"
                    assertion_file = "~/id-token"
                    issuer = "\(servers.authorizationOrigin)"
                    resource = "\(servers.address)"
                    client_id = "\(Self.client)"
                    client_secret_file = "~/secret"
                    """)
            let login = await world.run("login", servers.address)
            #expect(login.status == 0 && login.output.contains("tools/"), "\(login.output) \(login.errors)")
            #expect(try await ConformanceClient(world: world, address: servers.address, revision: revision).run() == [])
            #expect(await world.run("renew", "tools").status == 0)
            #expect(company.requests.last { $0.path == "/token" }?.field("subject_token") == token)
            #expect(servers.seen.tokenRequests.map { $0.form["grant_type"] } == [Self.jwtBearer, Self.jwtBearer])
            #expect(servers.seen.authorizations.isEmpty && servers.seen.violations == [] && world.openedAddresses.count == 1)
        }
    }

    /// A company that announces nothing is used only if the user names it.
    @Test func sessionIsNamedWithFrom() async throws {
        try await enterprise(isAnnounced: false) { company, servers, world in
            let login = await login(servers, world, "--from", "company")
            #expect(login.status == 0, "\(login.errors)")
            let failures = try await ConformanceClient(world: world, address: servers.address, revision: "2026-07-28").run()
            #expect(failures == [])
            #expect(servers.seen.authorizations.isEmpty)
            await world.run("login", servers.address, "--from", "other", exits: 64)
            #expect(await world.run("login", "company", "--from", "company").status == 64)
        }
    }

    /// The resource chooses the scopes and no page asks the user, so a session that was found automatically is used only after a question.
    @Test(arguments: [nil, "n", ""] as [String?]) func foundSessionNeedsConfirmation(answer: String?) async throws {
        try await enterprise { company, servers, world in
            let before = company.requests.count { $0.path == "/token" }
            let refused = await login(servers, world, answering: answer)
            #expect(refused.status != 0)
            let host = try #require(WebURL(servers.address)).origin.authority
            for part in [host, servers.authorizationOrigin, "company", "scopes: "] {
                #expect(refused.errors.contains(part), "\(refused.errors)")
            }
            if answer == nil {
                #expect(refused.status == 64, "\(refused.errors)")
                #expect(refused.errors.contains("at a terminal: yett login \(servers.address)"), "\(refused.errors)")
            }
            #expect(company.requests.count { $0.path == "/token" } == before && servers.seen.tokenRequests.isEmpty)
            #expect(try !world.text(world.configurationPath).contains("id-jag"))
            #expect(await login(servers, world, "--from", "company", answering: nil).status == 0)
        }
    }

    /// A resource that moves to another authorization server gets nothing of the company session there before the user agrees.
    @Test(arguments: ["n", "y"]) func movedResourceNeedsConfirmation(answer: String) async throws {
        try await enterprise(moves: true) { company, servers, world in
            let next = try #require(servers.next)
            #expect(await login(servers, world, "--from", "company").status == 0)
            // It moves after the first list of tools.
            let list = #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#
            #expect(await world.run("request", "local", servers.address, "-d", list).status == 0)
            #expect(await world.run("request", "local", servers.address, "-d", list).status != 0)
            let before = company.requests.count { $0.path == "/token" }
            #expect(next.seen.tokenRequests.isEmpty)
            let moved = await world.run(
                ["login", servers.address, "--client-id", Self.client, "--client-secret-file", world.home + "/secret"],
                user: .init(hasTerminal: true, lines: ["1", answer]))
            #expect(moved.errors.contains("Use company for ") && moved.errors.contains(next.authorizationOrigin), "\(moved.errors)")
            #expect((moved.status == 0) == (answer == "y"), "\(moved.errors)")
            #expect(next.seen.tokenRequests.count == (answer == "y" ? 1 : 0))
            #expect((company.requests.count { $0.path == "/token" } > before) == (answer == "y"))
        }
    }

    /// A session that is made from one whose tokens need consent needs it too.
    @Test func newProviderHasTheCompanysPolicy() async throws {
        try await enterprise { _, servers, world in
            let text = try world.text(world.configurationPath)
            try world.configure(text.replacing("login_timeout = 600", with: "login_timeout = 600\npolicy = \"ask\""))
            let login = await login(servers, world)
            #expect(login.status == 0 && login.errors.contains("policy = \"ask\""), "\(login.errors)")
            #expect(try world.text(world.configurationPath).ranges(of: "policy = \"ask\"").count == 2)
        }
    }

    /// A company that has a fault for a moment is no reason to add the server without its access.
    @Test(arguments: [TransportFault.unavailable, .serverError, .closed])
    func unreachableCompanyAddsNothing(fault: TransportFault) async throws {
        try await enterprise { company, servers, world in
            let before = try world.text(world.configurationPath)
            await company.set([.transport(.discovery, fault)])
            let refused = await login(servers, world)
            #expect(refused.status == 7, "\(refused.errors)")
            #expect(try world.text(world.configurationPath) == before && servers.seen.authorizations.isEmpty)
            await company.set(.none)
            #expect(await login(servers, world).status == 0)
            #expect(await world.run("status").output.contains("derived from company"))
        }
    }

    /// A refusal by the company's rules leads to no page, from the command and from the bridge.
    @Test(arguments: revisions) func refusalLeadsToNoPage(revision: String) async throws {
        try await enterprise { (company, servers, world) async throws in
            await company.set([.exchange(.accessDenied)])
            let refused = await login(servers, world)
            #expect(refused.status == 5 && refused.errors.contains("ask the administrator of"), "\(refused.errors)")
            #expect(servers.seen.tokenRequests.isEmpty)
            await company.set(.none)
            #expect(await login(servers, world).status == 0)
            #expect(await world.run("logout", "--all", "--local").status == 0)
            #expect(await world.run("login", "company").status == 0)
            await company.set([.exchange(.accessDenied)])
            let client = ConformanceClient(world: world, address: servers.address, revision: revision, showsPages: true)
            #expect(try await client.run() != [])
            // Without a refusal, the bridge signs in by itself.
            await company.set(.none)
            #expect(try await client.run() == [])
            #expect(client.visitCount == 0)
            #expect(servers.seen.authorizations.isEmpty)
            #expect(world.openedAddresses.count == 2)
        }
    }

    // MARK: auth/client-credentials-basic, auth/client-credentials-jwt

    /// Configures the provider `machine` for the servers, and signs in.
    private func machine(_ servers: ConformanceServers, _ world: CommandWorld, _ settings: String) async throws -> CommandResult {
        try world.configure(
            """
            [providers.machine]
            kind = "exchange"
            issuer = "\(servers.authorizationOrigin)"
            resource = "\(servers.address)"
            \(settings)
            """)
        return await world.run("login", servers.address)
    }

    private func expectSession(_ servers: ConformanceServers, _ world: CommandWorld, _ revision: String) async throws {
        #expect(try await ConformanceClient(world: world, address: servers.address, revision: revision).run() == [])
        #expect(servers.seen.tokenRequests.count == 1)
        #expect(servers.seen.authorizations.isEmpty && world.openedAddresses.isEmpty)
        #expect(await world.run("renew", "machine").status == 0)
        #expect(servers.seen.tokenRequests.count == 2)
        let status = await world.run("status")
        #expect(status.output.contains("a machine's session"), "\(status.output)")
    }

    @Test(arguments: revisions) func clientCredentialsBasic(revision: String) async throws {
        let authorization = basic("conformance-test-client", "conformance-test-secret")
        let servers = try ConformanceServers(
            Self.options {
                ($0.grantTypes, $0.authenticationMethods) = (["client_credentials"], ["client_secret_basic"])
                $0.redeem = { request in
                    if request.form["grant_type"] != "client_credentials" { return "unsupported_grant_type" }
                    return request.authorization == authorization && request.form["client_secret"] == nil ? nil : "invalid_client"
                }
            })
        try PrivateFile.replace(world.home + "/secret", with: Array("conformance-test-secret".utf8))
        let login = try await machine(
            servers, world,
            "grant = \"client_credentials\"\nclient_id = \"conformance-test-client\"\nclient_secret_file = \"~/secret\"")
        #expect(login.status == 0, "\(login.errors)")
        try await expectSession(servers, world, revision)
    }

    @Test(arguments: revisions) func clientCredentialsJWT(revision: String) async throws {
        let key = P256.Signing.PrivateKey()
        let keys = try Self.keySet(key)
        let servers = try ConformanceServers(
            Self.options {
                ($0.grantTypes, $0.authenticationMethods) = (["client_credentials"], ["private_key_jwt"])
                $0.redeem = { request in
                    let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
                    if request.form["grant_type"] != "client_credentials" { return "unsupported_grant_type" }
                    guard request.form["client_assertion_type"] == type,
                        let token = try? JSONWebSignature(compact: request.form["client_assertion"] ?? ""),
                        (try? token.signer(among: keys, announcedAlgorithms: ["ES256"], host: nil)) != nil
                    else { return "invalid_client" }
                    let claims = token.unverifiedClaims
                    let names = ["iss", "sub"].map { claims[$0]?.string }
                    return names == ["conformance-test-client", "conformance-test-client"] && claims["aud"]?.string == request.issuer
                        ? nil : "invalid_client"
                }
            })
        try PrivateFile.replace(world.home + "/key.pem", with: Array(key.pemRepresentation.utf8))
        let login = try await machine(
            servers, world,
            """
            grant = "client_credentials"
            client_id = "conformance-test-client"
            client_auth = "private_key_jwt"
            client_key_file = "~/key.pem"
            """)
        #expect(login.status == 0, "\(login.errors)")
        try await expectSession(servers, world, revision)
    }

    private static func keySet(_ key: P256.Signing.PrivateKey) throws -> KeySet {
        let raw = Array(key.publicKey.rawRepresentation)
        return try KeySet(
            document: [
                "keys": [
                    [
                        "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(Array(raw[..<32]))),
                        "y": .string(Base64URL.encode(Array(raw[32...]))),
                    ]
                ]
            ], host: nil)
    }

    // MARK: auth/wif-jwt-bearer

    private static let workload = """
        grant = "jwt-bearer"
        client_id = "conformance-wif-workload"
        assertion_file = "~/token"
        """

    /// An authorization server that accepts the assertions of a workload's platform.
    ///
    /// - Parameter refusal: the error that answers a right request.
    private func workloadServers(_ keys: KeySet, refusal: String? = nil) throws -> ConformanceServers {
        try ConformanceServers(
            Self.options {
                $0.grantTypes = [Self.jwtBearer]
                $0.redeem = { request in
                    if request.form["grant_type"] != Self.jwtBearer { return "unsupported_grant_type" }
                    guard request.form["client_id"] == "conformance-wif-workload", request.authorization == nil else {
                        return "invalid_client"
                    }
                    guard let token = try? JSONWebSignature(compact: request.form["assertion"] ?? ""),
                        (try? token.signer(among: keys, announcedAlgorithms: ["ES256"], host: nil)) != nil,
                        token.unverifiedClaims["aud"]?.string == request.issuer,
                        let end = token.unverifiedClaims["exp"]?.double, Timestamp(seconds: end) > SystemTimeSource().now
                    else { return "invalid_grant" }
                    return refusal
                }
            })
    }

    private func assertion(
        _ key: P256.Signing.PrivateKey, issuer: String = "https://idp.conformance-test.local", audience: String,
        lifetime: Duration = .seconds(3600)
    ) throws -> String {
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": "conformance-workload", "aud": .string(audience),
            "exp": .number((SystemTimeSource().now + lifetime).seconds),
        ]
        let header: JSONValue = ["alg": "ES256", "typ": "JWT"]
        let input = [header, claims].map { Base64URL.encode(Array($0.text.utf8)) }.joined(separator: ".")
        let signature = try key.signature(for: Array(input.utf8)).rawRepresentation
        return input + "." + Base64URL.encode(Array(signature))
    }

    @Test(arguments: revisions) func workloadIdentity(revision: String) async throws {
        let key = P256.Signing.PrivateKey()
        let servers = try workloadServers(Self.keySet(key))
        let valid = try assertion(key, audience: servers.authorizationOrigin)
        try PrivateFile.replace(world.home + "/token", with: Array(valid.utf8))
        let login = try await machine(servers, world, Self.workload)
        #expect(login.status == 0, "\(login.errors)")
        #expect(login.output.contains("machine/conformance-workload"), "\(login.output)")
        try await expectSession(servers, world, revision)
    }

    /// Only issuer and subject together identify a workload.
    @Test func sameSubjectOfAnotherIssuerIsAnotherWorkload() async throws {
        let key = P256.Signing.PrivateKey()
        let servers = try workloadServers(Self.keySet(key))
        func present(_ issuer: String) throws {
            let token = try assertion(key, issuer: issuer, audience: servers.authorizationOrigin)
            try PrivateFile.replace(world.home + "/token", with: Array(token.utf8))
        }
        try present("https://one.example")
        #expect(try await machine(servers, world, Self.workload).status == 0)
        #expect(await world.run("renew", "machine").status == 0)
        let count = servers.seen.tokenRequests.count
        try present("https://two.example")
        let renewed = await world.run("renew", "machine")
        #expect(renewed.status == 8 && renewed.errors.contains("belongs to another client or workload"), "\(renewed.errors)")
        #expect(servers.seen.tokenRequests.count == count)
        try present("https://one.example")
        #expect(await world.run("renew", "machine").status == 0)
    }

    /// The server's refusal is the answer: there is no second try and no other grant.
    @Test(arguments: ["audience", "expired"]) func refusedAssertionIsNotRepeated(fault: String) async throws {
        let key = P256.Signing.PrivateKey()
        let servers = try workloadServers(Self.keySet(key))
        let bad =
            try fault == "expired"
            ? assertion(key, audience: servers.authorizationOrigin, lifetime: .seconds(-60))
            : assertion(key, audience: "https://wrong.example")
        try PrivateFile.replace(world.home + "/token", with: Array(bad.utf8))
        let login = try await machine(servers, world, Self.workload)
        #expect(login.status == 5 && login.errors.contains("is for the audience \(servers.authorizationOrigin)"), "\(login.errors)")
        #expect(servers.seen.tokenRequests.map { $0.form["grant_type"] } == [Self.jwtBearer])
        #expect(servers.seen.authorizations.isEmpty)
    }

    /// Nor after a refusal of the client or of its scopes.
    @Test(arguments: ["unauthorized_client", "invalid_scope"]) func refusedWorkloadIsNotRepeated(code: String) async throws {
        let key = P256.Signing.PrivateKey()
        let servers = try workloadServers(Self.keySet(key), refusal: code)
        let valid = try assertion(key, audience: servers.authorizationOrigin)
        try PrivateFile.replace(world.home + "/token", with: Array(valid.utf8))
        let login = try await machine(servers, world, Self.workload)
        #expect(login.status != 0 && !login.errors.isEmpty, "\(login.errors)")
        #expect(servers.seen.tokenRequests.map { $0.form["grant_type"] } == [Self.jwtBearer])
        #expect(servers.seen.authorizations.isEmpty && world.openedAddresses.isEmpty)
    }
}
