import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

/// Enterprise-managed authorization: sessions at another server from grants of the company's identity provider.
@Suite("Identity grants", .serialized)
struct IdentityGrantTests {
    private static let type = "urn:ietf:params:oauth:token-type:id-jag"

    /// Runs `body` with a company's provider where the user is signed in, and a second server, `tools`, that trusts it or not.
    private func run(
        isTrusted: Bool = true, from: String = "sandbox",
        _ body: (EngineFixture, SandboxServer, SignInRequest) async throws -> Void
    ) async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada").with { $0.issuesIdentityGrants = true }
        try await SandboxServer.running(configuration) { company in
            let other = SandboxConfiguration().with { $0.identityProviders = isTrusted ? [company.issuer] : [] }
            try await SandboxServer.running(other) { server in
                let name = try #require(ProviderName("tools"))
                let base = try #require(SessionName(from))
                let store = try await SessionStore.open(directory: "/", source: .memory, time: SystemTimeSource())
                let world = try EngineFixture(
                    sandbox: company, store: store,
                    others: { configuration in
                        var tools = configuration.exchanged(as: name, .init(from: base, grant: .identityGrant, presented: .id))
                        tools.issuer = Issuer(server.issuer)
                        tools.scopes = ["mcp"]
                        tools.resources = [server.issuer + "/mcp"]
                        return [tools]
                    })
                _ = try await world.signedIn()
                try await body(world, server, SignInRequest(provider: name))
            }
        }
    }

    private func grants(_ server: SandboxServer) -> [String] {
        server.requests.filter { $0.path == "/token" }.compactMap { $0.field("grant_type") }
    }

    private func answer(_ server: SandboxServer, to token: Secret, _ world: EngineFixture) async throws -> Int {
        let url = try #require(WebURL(server.issuer + "/mcp"))
        let request = WebRequest(method: .get, url: url, headers: [("Authorization", "Bearer " + token.reveal())])
        return try await world.transport.send(request).status
    }

    @Test func grantOpensTheOtherServerWithoutAPage() async throws {
        try await run { world, server, request in
            let outcome = try await world.signIn(request)
            let session = try #require(outcome.result).get()
            #expect(session.name.description == "tools/ada" && session.isRenewable)
            #expect(outcome.methods == [])
            let asked = try #require(world.sandbox.requests.last { $0.path == "/token" })
            #expect(asked.field("requested_token_type") == Self.type && asked.field("audience") == server.issuer)
            #expect(asked.field("resource") == server.issuer + "/mcp" && asked.field("scope") == "mcp")
            #expect(grants(server) == ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
            #expect(!server.requests.contains { $0.path == "/authorize" })
            let record = try #require(try await world.store.record(session.name))
            #expect(record.tokens?.refreshToken == nil)
            let token = try await world.engine.token(TokenRequest(session: session.name)).token
            #expect(try await answer(server, to: token, world) == 200)
        }
    }

    /// The ID token has expired, so the base session is renewed first.
    @Test func renewalAsksForAnotherGrant() async throws {
        try await run { world, server, request in
            let session = try #require(try await world.signIn(request).result).get()
            let first = try await world.engine.token(TokenRequest(session: session.name)).token
            await world.advance(by: .seconds(900))
            await server.advance(by: .seconds(900))
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            let second = try await world.engine.token(TokenRequest(session: session.name)).token
            #expect(first != second)
            #expect(world.count(of: "refresh_token") == 1)
            #expect(Set(grants(server)) == ["urn:ietf:params:oauth:grant-type:jwt-bearer"])
            #expect(try await answer(server, to: second, world) == 200)
        }
    }

    @Test func refusalByTheCompanyIsFinal() async throws {
        try await run { world, server, request in
            await world.sandbox.set([.exchange(.accessDenied)])
            let outcome = try await world.signIn(request)
            #expect(outcome.failure?.kind == .denied(code: "access_denied"))
            #expect(outcome.failure?.summary.contains("does not let you use") == true)
            #expect(outcome.failure?.hintText?.contains("ask the administrator") == true)
            #expect(outcome.methods == [])
            #expect(grants(server) == [] && !server.requests.contains { $0.path == "/authorize" })
        }
    }

    @Test func refusedRenewalKeepsTheSession() async throws {
        try await run { world, server, request in
            let session = try #require(try await world.signIn(request).result).get()
            await world.sandbox.set([.exchange(.accessDenied)])
            #expect(await failure { try await world.engine.renew(session.name) }?.kind == .denied(code: "access_denied"))
            #expect(try await world.engine.sessions().first { $0.name == session.name }?.recordedState == .signedIn)
            #expect(grants(server).count == 1)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test func refusalByTheServerIsFinal() async throws {
        try await run(isTrusted: false) { world, server, request in
            let outcome = try await world.signIn(request)
            #expect(outcome.failure?.kind == .denied(code: "invalid_grant"))
            #expect(outcome.failure?.hintText?.contains("accepts grants of sandbox for the client yett") == true)
            #expect(outcome.methods == [])
            #expect(grants(server).count == 1 && !server.requests.contains { $0.path == "/authorize" })
        }
    }

    @Test(arguments: [ExchangeFault.issuedTypeMissing, .issuedTypeOther])
    func invalidGrantIsNotSentOn(_ fault: ExchangeFault) async throws {
        try await run { (world, server, request) async throws in
            await world.sandbox.set([.exchange(fault)])
            #expect(try await world.signIn(request).failure?.kind == .security)
            #expect(grants(server) == [])
        }
    }

    @Test func companyMustBeAnotherProvider() async throws {
        try await run(from: "tools") { (world, server, request) async throws in
            #expect(try await world.signIn(request).failure?.kind == .configuration)
            #expect(grants(server) == [])
        }
    }
}

/// Sessions of machines: of the client itself, and of workloads.
@Suite("Sessions of machines", .serialized)
struct MachineSessionTests {
    private func run(
        clientID: String = "yett-post", secret: String = "confidential-secret-0123456789",
        _ body: (EngineFixture, SignInRequest) async throws -> Void
    ) async throws {
        let name = try #require(ProviderName("machine"))
        let others = { (configuration: ProviderConfiguration) in
            var machine = configuration.exchanged(as: name, .init(grant: .clientCredentials))
            machine.clientID = clientID
            machine.clientSecret = .command(["/usr/bin/printf", secret])
            machine.clientAuthentication = clientID == "yett-post" ? .clientSecretPost : .clientSecretBasic
            machine.scopes = ["mcp"]
            return [machine]
        }
        try await EngineFixture.run(skipsWaits: true, others: others) { try await body($0, SignInRequest(provider: name)) }
    }

    @Test(arguments: ["yett-post", "yett-confidential"]) func clientNeedsNoUser(_ clientID: String) async throws {
        try await run(clientID: clientID) { world, request in
            let outcome = try await world.signIn(request)
            let session = try #require(outcome.result).get()
            #expect(session.name.account == clientID && session.subject == clientID)
            #expect(session.isRenewable && outcome.methods == [])
            #expect(session.warnings == ["exchange.session_of_machine"])
            #expect(world.count(of: "client_credentials") == 1)
            let first = try await world.engine.token(TokenRequest(session: session.name)).token
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(try await world.engine.token(TokenRequest(session: session.name)).token != first)
            #expect(world.count(of: "client_credentials") == 2 && world.count(of: "refresh_token") == 0)
        }
    }

    /// The secret may be replaced while the session lives, so a refusal does not end it.
    @Test func refusalKeepsTheSession() async throws {
        try await run { world, request in
            let session = try #require(try await world.signIn(request).result).get()
            await world.sandbox.set([.token(.invalidClient)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(try await world.engine.sessions().first?.recordedState == .signedIn)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test func wrongSecretMakesNoSession() async throws {
        try await run(secret: "wrong") { world, request in
            let outcome = try await world.signIn(request)
            #expect(outcome.failure?.kind == .denied(code: "invalid_client") || outcome.failure?.kind == .unknownClient)
            #expect(try await world.engine.sessions().isEmpty)
        }
    }

    @Test func machineHasNoAccountsToCreate() async throws {
        try await run { (world, request) async throws in
            var request = request
            request.purpose = .signUp
            #expect(try await world.signIn(request).failure?.message.code == "exchange.no_sign_up_of_machine")
        }
    }
}
