import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Testing

@Suite("Token exchange", .serialized)
struct ExchangeTests {
    /// Runs `body` with a second provider, `api`, whose sessions are derived from those of the first.
    private func run(
        _ sandbox: SandboxConfiguration = SandboxConfiguration(autoApproves: "ada"), from: String = "sandbox",
        grant: ProviderConfiguration.Exchange.Grant = .tokenExchange, presented: TokenRequest.Wanted = .access,
        skipsWaits: Bool = false, _ body: (EngineFixture, SignInRequest) async throws -> Void
    ) async throws {
        let api = try #require(ProviderName("api"))
        let base = try #require(SessionName(from))
        let others = { (configuration: ProviderConfiguration) in
            [configuration.exchanged(as: api, .init(from: base, grant: grant, presented: presented))]
        }
        try await EngineFixture.run(sandbox, skipsWaits: skipsWaits, others: others) { try await body($0, SignInRequest(provider: api)) }
    }

    @Test(arguments: [
        (ProviderConfiguration.Exchange.Grant.tokenExchange, TokenRequest.Wanted.access), (.tokenExchange, .id), (.assertion, .id),
    ])
    func exchangeNeedsNoPromptAndKeepsTheSubject(
        _ grant: ProviderConfiguration.Exchange.Grant, _ presented: TokenRequest.Wanted
    ) async throws {
        try await run(grant: grant, presented: presented) { world, request in
            let base = try await world.signedIn()
            let outcome = try await world.signIn(request)
            let session = try #require(outcome.result).get()
            #expect(session.name.description == "api/ada")
            #expect(session.subject == base.subject)
            #expect(session.isRenewable)
            #expect(outcome.methods == [])
            #expect(world.sandbox.requests.last { $0.path == "/token" }?.field("resource") == "https://api.example.org/")
            let record = try #require(try await world.store.record(session.name))
            #expect(record.tokens?.refreshToken == nil)
        }
    }

    @Test func renewalUsesTheBaseSessionsToken() async throws {
        let stale = SandboxConfiguration(autoApproves: "ada", lifetimes: .init(accessToken: .seconds(30)))
        try await run(stale) { world, request in
            _ = try await world.signedIn()
            let session = try #require(try await world.signIn(request).result).get()
            let first = try await world.engine.token(TokenRequest(session: session.name)).token
            let second = try await world.engine.token(TokenRequest(session: session.name)).token
            #expect(first != second)
            #expect(world.count(of: "refresh_token") >= 2)
        }
    }

    @Test func missingBaseSessionHintsAtTheSignIn() async throws {
        try await run { world, request in
            let outcome = try await world.signIn(request)
            #expect(outcome.failure?.kind == .notSignedIn)
            #expect(outcome.failure?.hintText?.contains("yett login sandbox") == true)
        }
    }

    @Test func circularExchangeIsRefused() async throws {
        try await run(from: "api") { (world, request) async throws in
            #expect(try await world.signIn(request).failure?.kind == .configuration)
        }
    }

    @Test(arguments: ExchangeFault.allCases)
    func invalidResponseCreatesNoSession(_ fault: ExchangeFault) async throws {
        try await run(SandboxConfiguration(autoApproves: "ada", faultSet: [.exchange(fault)])) { world, request in
            _ = try await world.signedIn()
            #expect(try await world.signIn(request).failure != nil)
            #expect(try await world.engine.sessions().count == 1)
        }
    }

    // MARK: Failed renewals

    /// Signs in at both providers. The pauses between renewals take no time.
    private func exchanged(_ body: (EngineFixture, SessionSummary) async throws -> Void) async throws {
        try await run(skipsWaits: true) { world, request in
            _ = try await world.signedIn()
            try await body(world, try #require(try await world.signIn(request).result).get())
        }
    }

    private func state(_ session: SessionSummary, in world: EngineFixture) async throws -> SessionState? {
        try await world.engine.sessions().first { $0.name == session.name }?.recordedState
    }

    @Test(arguments: [
        Fault.transport(.token, .redirect302), .transport(.token, .closed), .transport(.token, .notFound), .transport(.token, .html),
        .exchange(.issuedTypeOther), .token(.typeMAC),
    ])
    func otherFailuresKeepTheSession(_ fault: Fault) async throws {
        try await exchanged { (world, session) async throws in
            await world.sandbox.set([fault])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(try await state(session, in: world) == .signedIn)
            await world.sandbox.set(.none)
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    /// If the configuration now names another provider, its tokens do not renew this session.
    @Test func renewsOnlyAtTheIssuingProvider() async throws {
        try await exchanged { world, session in
            try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { other in
                let api = session.name.provider
                let base = try #require(EngineFixture.provider.flatMap { SessionName(provider: $0, account: nil) })
                let others = { (configuration: ProviderConfiguration) in
                    var moved = configuration
                    moved.name = api
                    moved.kind = .exchange
                    moved.issuer = Issuer(other.issuer)
                    moved.exchange = .init(from: base, grant: .tokenExchange, presented: .access)
                    return [moved]
                }
                let moved = try EngineFixture(sandbox: world.sandbox, store: world.store, others: others)
                let refusal = await failure { try await moved.engine.renew(session.name) }
                #expect(refusal?.summary == "the configuration of api has changed since api/ada signed in")
                #expect(!other.requests.contains { $0.path == "/token" })
                #expect(try await state(session, in: world) == .signedIn)
            }
        }
    }

    @Test func refusalEndsTheSessionAtOnce() async throws {
        try await exchanged { (world, session) async throws in
            await world.sandbox.set([.exchange(.invalidTarget)])
            world.sandbox.clearRequests()
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(try await state(session, in: world) == .needsSignIn)
            #expect(world.sandbox.requests.filter { $0.path == "/token" }.count == 1)
        }
    }

    @Test func secondUnreadableRefusalEndsTheSession() async throws {
        try await exchanged { (world, session) async throws in
            await world.sandbox.set(FaultSet(.transport(.token, .empty400), times: 1))
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            await world.sandbox.set([.transport(.token, .empty400)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(session.name) }
            #expect(try await state(session, in: world) == .needsSignIn)
        }
    }

    /// Only issuer and subject together identify a user (OpenID Connect Core section 5.7).
    @Test func sameSubjectAtAnotherIssuerIsAnotherUser() async throws {
        try await exchanged { world, session in
            let base = try #require(EngineFixture.provider)
            let api = try #require(ProviderName("api"))
            let from = try #require(SessionName(base.text))
            try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada")) { other in
                let moved = try EngineFixture(
                    sandbox: other, store: world.store,
                    others: { configuration in
                        var exchange = configuration
                        exchange.name = api
                        exchange.kind = .exchange
                        exchange.issuer = Issuer(world.sandbox.issuer)
                        exchange.scopes = ["openid", "profile"]
                        exchange.exchange = .init(from: from)
                        return [exchange]
                    })
                let before = try #require(try await moved.engine.sessions().first { $0.name.provider == base })
                _ = try await moved.engine.signOut(before.name, mode: .localOnly)
                let after = try await moved.signedIn()
                #expect(after.name == before.name && after.subject == before.subject && after.issuer != before.issuer)
                world.sandbox.clearRequests()
                #expect(await failure { try await moved.engine.renew(session.name) }?.kind == .security)
                #expect(!world.sandbox.requests.contains { $0.path == "/token" })
                #expect(try await state(session, in: moved) == .signedIn)
            }
        }
    }
}

extension ProviderConfiguration {
    /// Returns a provider at the same issuer whose sessions are derived from another provider's.
    func exchanged(as name: ProviderName, _ exchange: Exchange) -> ProviderConfiguration {
        var other = self
        other.name = name
        other.kind = .exchange
        other.scopes = ["openid", "profile"]
        other.resources = ["https://api.example.org/"]
        other.exchange = exchange
        return other
    }
}
