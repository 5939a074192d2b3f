@testable import Agent
import AuthEngine
import AuthModel
import OAuth
import ProviderKinds
import Sandbox
import SessionStore
import TestSupport
import Testing

/// The agent with the real engine, a store and a provider.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct EngineTests {
    /// Runs `body` with a session at a sandbox provider, served by an agent.
    private func withSession(
        time: ShiftedTime = ShiftedTime(), _ body: (AgentFixture, SandboxServer, SessionSummary) async throws -> Void
    ) async throws {
        let sandbox = try await SandboxServer.start(SandboxConfiguration(autoApproves: "ada"))
        let transport = CurlTransport(version: "test", environment: [:])
        let store = try await SessionStore.open(directory: "/", source: .memory, time: time)
        let name = Sample.named("sandbox").provider
        var provider = ProviderConfiguration(
            name: name, kind: .oidc, issuer: Issuer(sandbox.issuer), clientID: "yett", scopes: ["openid", "profile", "offline_access"])
        provider.loginTimeout = .seconds(900)
        let service = AgentSessionService(
            source: SessionServiceSource(
                revision: { [1] },
                make: { [provider] in
                    Engine(
                        providers: [provider], store: store,
                        environment: EngineEnvironment(
                            makeAdapter: EngineEnvironment.allKinds, transport: transport, time: time, cacheDirectory: nil))
                }), log: ActivityLog(folder: nil), time: time)
        do {
            try await AgentFixture.run(service) { world in
                let attempt = try await world.client.signIn(SignInRequest(provider: name))
                var session: SessionSummary?
                for await event in attempt.events {
                    if case .available(.browser(let url, _)) = event { Task { await follow(url, transport: transport) } }
                    if case .finished(let result) = event { session = try result.get() }
                }
                try await body(world, sandbox, try #require(session))
            }
        } catch {
            await sandbox.stop()
            throw error
        }
        await service.end()
        await sandbox.stop()
    }

    private func renewals(at sandbox: SandboxServer) -> Int {
        sandbox.requests.filter { $0.field("grant_type") == "refresh_token" }.count
    }

    @Test func signsInIssuesATokenAndSignsOut() async throws {
        try await withSession { world, _, session in
            let grant = try await world.client.token(TokenRequest(session: session.name))
            #expect(!grant.token.isEmpty)
            #expect(try await world.client.sessions().map(\.name) == [session.name])
            #expect(try await world.client.signOut(session.name, mode: .revoke).isComplete)
            await #expect(throws: AuthFailure.self) { try await world.client.token(TokenRequest(session: session.name)) }
        }
    }

    @Test func hundredCallersCauseOneRenewal() async throws {
        let time = ShiftedTime()
        try await withSession(time: time) { world, sandbox, session in
            let old = try await world.client.token(TokenRequest(session: session.name)).token
            time.advance(by: .seconds(295))
            let client = world.client
            let tokens = await withTaskGroup(of: Secret?.self) { group -> [Secret] in
                for _ in 0..<100 { group.addTask { try? await client.token(TokenRequest(session: session.name)).token } }
                var tokens: [Secret] = []
                for await token in group { if let token { tokens.append(token) } }
                return tokens
            }
            #expect(tokens.count == 100)
            #expect(tokens.allSatisfy { $0 == tokens.first })
            #expect(tokens.first != old)
            #expect(renewals(at: sandbox) == 1)
        }
    }

    @Test func noResponseContainsARefreshToken() async throws {
        try await withSession { world, sandbox, session in
            let given = sandbox.requests.compactMap { $0.field("refresh_token") }
            let name = JSONValue.members(("session", .string(session.name.description)))
            let connection = world.client.connection
            var responses = ""
            for (route, target, body) in [
                (ListSessions.route, nil, nil),
                (ShowSession.route, "/v1/session?" + FormEncoding.encode([("name", session.name.description)]), nil),
                (ListProviders.route, nil, nil), (RenewSession.route, nil, name), (IssueToken.route, nil, name),
                (ListActivity.route, nil, nil), (SignOutSession.route, nil, name),
            ] as [(OperationRoute, String?, JSONValue?)] {
                responses += try await connection.ask(route, target: target, body: body).text
            }
            let sent = sandbox.requests.compactMap {
                $0.field("refresh_token") ?? ($0.field("token_type_hint") == "refresh_token" ? $0.field("token") : nil)
            }
            #expect(given.isEmpty)
            #expect(!sent.isEmpty)
            for token in sent { #expect(!responses.contains(token)) }
        }
    }
}
