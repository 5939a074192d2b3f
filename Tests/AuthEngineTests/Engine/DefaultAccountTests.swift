import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Testing

@Suite(.serialized)
struct DefaultAccountTests {
    private static let sandbox = SessionName("sandbox")

    /// Runs `body` with ada and grace signed in.
    private func run(
        others: (ProviderConfiguration) -> [ProviderConfiguration] = { _ in [] },
        _ body: (EngineFixture, SessionName, ProviderName) async throws -> Void
    ) async throws {
        try await EngineFixture.run(others: others) { world in
            _ = try await world.signedIn()
            await world.sandbox.autoApprove(as: "grace")
            _ = try await world.signedIn()
            try await body(world, try #require(Self.sandbox), try #require(EngineFixture.provider))
        }
    }

    private func account(_ world: EngineFixture, _ name: SessionName) async throws -> String? {
        try await world.engine.token(TokenRequest(session: name)).session.account
    }

    @Test func severalAccountsNeedAChoice() async throws {
        try await run { world, name, provider in
            let failure = await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: name)) }
            #expect(failure?.kind == .usage)
            #expect(failure?.hintText?.contains("yett switch sandbox ACCOUNT") == true)
            for account in ["ada", "grace"] {
                try await world.engine.makeDefault(account, at: provider)
                #expect(try await self.account(world, name) == account)
                #expect(try await world.engine.renew(name).name.account == account)
                #expect(try await world.engine.providers().map(\.defaultAccount) == [account])
            }
            try await world.engine.makeDefault(nil, at: provider)
            let again = await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: name)) }
            #expect(again == failure)
        }
    }

    @Test func choiceSurvivesARenameAndASignOut() async throws {
        try await run { world, name, provider in
            try await world.engine.makeDefault("ada", at: provider)
            await world.sandbox.autoApprove(as: "ada")
            _ = try await world.signedIn { $0.account = "countess" }
            #expect(try await account(world, name) == "countess")
            _ = try await world.engine.signOut(name, mode: .revoke)
            // The remaining account is the only one.
            #expect(try await account(world, name) == "grace")
            #expect(try await world.engine.providers().map(\.defaultAccount) == [nil])
            _ = try await world.signedIn()
            #expect(try await account(world, name) == "ada")
        }
    }

    @Test func unknownAccountCannotBeActivated() async throws {
        try await run { world, name, provider in
            let failure = await #expect(throws: AuthFailure.self) { try await world.engine.makeDefault("eve", at: provider) }
            #expect(failure?.kind == .notSignedIn)
            let unnamed = await #expect(throws: AuthFailure.self) { try await world.engine.makeDefault("a\nb", at: provider) }
            #expect(unnamed?.kind == .usage)
            await #expect(throws: AuthFailure.self) { try await world.engine.token(TokenRequest(session: name)) }
        }
    }

    /// A derived session keeps its base account, even after another account becomes active.
    @Test func derivedSessionKeepsItsAccount() async throws {
        let api = try #require(ProviderName("api"))
        let base = try #require(Self.sandbox)
        let others = { (configuration: ProviderConfiguration) in
            [configuration.exchanged(as: api, .init(from: base, grant: .tokenExchange, presented: .access))]
        }
        try await run(others: others) { world, name, provider in
            try await world.engine.makeDefault("grace", at: provider)
            let made = try #require(try await world.signIn(SignInRequest(provider: api)).result).get()
            #expect(made.name.account == "grace")
            try await world.engine.makeDefault("ada", at: provider)
            #expect(try await world.engine.renew(made.name).subject == made.subject)
            let receipt = try await world.engine.signOut(made.name, mode: .withBase)
            #expect(receipt.entries.last == .init(.endBaseSession, .done))
            #expect(try await world.engine.sessions().map(\.name.description) == ["sandbox/ada"])
        }
    }

    @Test func ordinarySessionHasNoBaseSessionToEnd() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let receipt = try await world.engine.signOut(session.name, mode: .withBase)
            #expect(receipt.isComplete)
            #expect(receipt.entries.last == .init(.endBaseSession, .skipped(reason: "session.not_derived")))
        }
    }
}
