import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Testing

/// Plain OAuth at a provider that does not identify users: only the labels that users choose tell accounts apart.
@Suite(.serialized)
struct UnknownAccountTests {
    private func run(
        refreshTokens: SandboxConfiguration.RefreshTokens = .always, _ body: (EngineFixture) async throws -> Void
    ) async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.discovery(.userInfoEndpointMissing)]).with {
            $0.refreshTokens = refreshTokens
        }
        try await EngineFixture.run(
            configuration,
            change: {
                $0.kind = .oauth2
                $0.scopes = ["profile"]
            }, body)
    }

    private func names(_ world: EngineFixture) async throws -> [String] {
        try await world.engine.sessions().map(\.name.description)
    }

    @Test func secondSignInDoesNotReplaceAValidSession() async throws {
        try await run { world in
            let first = try await world.signedIn()
            #expect(first.subject == nil)
            #expect(first.warnings.contains { $0.english.contains("does not identify the user") })
            let tokens = try await world.store.record(first.name)?.tokens
            await world.sandbox.autoApprove(as: "grace")
            _ = try await world.signedIn()
            #expect(try await names(world) == ["sandbox/account", "sandbox/account-2"])
            #expect(try await world.store.record(first.name)?.tokens == tokens)
        }
    }

    /// A resource rejected the token, and the session cannot be renewed.
    @Test func signInReplacesARejectedSession() async throws {
        try await run(refreshTokens: .never) { world in
            let first = try await world.signedIn()
            let token = try await world.engine.token(TokenRequest(session: first.name)).token
            let request = TokenRequest(session: first.name, refused: token)
            let failure = await #expect(throws: AuthFailure.self) { try await world.engine.token(request) }
            #expect(failure?.isTokenRejection == true)
            // Also for programs that know nothing of the rejection.
            let later = await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: first.name)) }
            #expect(later?.isTokenRejection == true)
            let second = try await world.signedIn()
            #expect(try await names(world) == [first.name.description])
            #expect(second.warnings == first.warnings)
        }
    }

    /// The server forgot its clients and the client was registered again, so the old client's session can no longer be renewed.
    @Test(arguments: [nil, "alice"])
    func accountKeepsItsNameWithAnotherClient(label: String?) async throws {
        try await run { world in
            let first = try await world.signedIn { $0.account = label }
            let next = try EngineFixture(
                sandbox: world.sandbox, store: world.store,
                change: {
                    $0.kind = .oauth2
                    $0.scopes = ["profile"]
                    $0.clientID = "yett-confidential"
                    $0.clientSecret = .command(["/usr/bin/printf", "confidential-secret-0123456789"])
                })
            #expect(try await next.signedIn().name == first.name)
            #expect(try await names(world) == [first.name.description])
        }
    }

    @Test func chosenNameIdentifiesTheAccount() async throws {
        try await run { world in
            let first = try await world.signedIn { $0.account = "alice" }
            let tokens = try await world.store.record(first.name)?.tokens
            let second = try await world.signedIn { $0.account = "alice" }
            #expect(second.name == first.name)
            #expect(try await world.store.record(first.name)?.tokens != tokens)
            _ = try await world.signedIn { $0.account = "bob" }
            #expect(try await names(world) == ["sandbox/alice", "sandbox/bob"])
        }
    }

    @Test func endedSessionIsReplaced() async throws {
        try await run { world in
            let first = try await world.signedIn()
            await world.sandbox.set([.refresh(.invalidGrant)])
            await #expect(throws: AuthFailure.self) { try await world.engine.renew(first.name) }
            await world.sandbox.set([.discovery(.userInfoEndpointMissing)])
            _ = try await world.signedIn()
            #expect(try await names(world) == ["sandbox/account"])
            #expect(try await world.engine.sessions().map(\.recordedState) == [.signedIn])
        }
    }
}
