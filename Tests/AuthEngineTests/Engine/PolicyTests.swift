import AuthEngine
import AuthModel
import Localization
import Sandbox
import SessionStore
import TestSupport
import Testing

/// What `policy` means for proofs and derived sessions; the tests of the agent and of the command cover tokens.
@Suite(.serialized)
struct PolicyTests {
    private static let bound = SandboxConfiguration(autoApproves: "ada", proofs: .init(support: .required))

    private func proof(_ token: Secret, of session: SessionSummary, in world: EngineFixture) async throws -> String {
        let url = try #require(WebURL(world.sandbox.issuer + "/api/hello"))
        return try await world.engine.proof(ProofRequest(session: session.name, accessToken: token, method: "GET", url: url))
    }

    @Test func consentToATokenCoversItsProofs() async throws {
        try await EngineFixture.runSignedIn(Self.bound, change: { $0.policy = .ask }) { world, session in
            var request = TokenRequest(session: session.name)
            await #expect(throws: AuthFailure.consentRequired(session.name)) { try await world.engine.token(request) }
            request.consent = .given
            let grant = try await world.engine.token(request)
            for _ in 0..<2 { #expect(!(try await proof(grant.token, of: session, in: world)).isEmpty) }
        }
    }

    /// The record names who confirmed the consent; the caller's own claim never counts as the user's.
    @Test(arguments: [
        (nil, Activity.Kind.consentedByCaller, "token for curl: the caller gave consent itself"),
        (7, .consentedByCaller, "token for curl: the caller gave consent itself"),
        (8, .consented, "token for curl: consent given in /usr/bin/app (process 8)"),
    ])
    func consentIsRecordedWithItsSource(witness: Int32?, kind: Activity.Kind, text: String) async throws {
        try await EngineFixture.runSignedIn(change: { $0.policy = .ask }) { world, session in
            let events = await world.engine.events()
            var request = TokenRequest(session: session.name, caller: "curl")
            request.process = 7
            request.consent = .given
            request.witness = witness.map { RequestingProcess(program: "/usr/bin/app", process: $0) }
            _ = try await world.engine.token(request)
            for await event in events {
                guard case .activity(let activity) = event, activity.kind != .issued else { continue }
                #expect(activity.kind == kind && activity.message.english == text)
                break
            }
        }
    }

    @Test func proofForAnUnknownTokenNeedsConsent() async throws {
        try await EngineFixture.runSignedIn(Self.bound, change: { $0.policy = .ask }) { world, session in
            for guess in ["", "guessed"] {
                await #expect(throws: AuthFailure.consentRequired(session.name)) { try await proof(Secret(guess), of: session, in: world) }
            }
        }
    }

    @Test func denyRefusesProofsForEveryToken() async throws {
        try await EngineFixture.runSignedIn(Self.bound, change: { $0.policy = .deny }) { world, session in
            let token = try #require(try await world.store.record(session.name)?.tokens?.accessToken)
            await #expect(throws: AuthFailure.tokenDenied(session.name)) { try await proof(token, of: session, in: world) }
        }
    }

    @Test func allowGivesProofsForAnyToken() async throws {
        try await EngineFixture.runSignedIn(Self.bound) { (world, session) async throws in
            #expect(!(try await proof(Secret("another program's"), of: session, in: world)).isEmpty)
        }
    }

    /// No program plants or reads what the engine keeps for itself, and nothing is kept longer than a role's credentials live.
    @Test func purposesOfTheEngineAreItsOwn() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let end = world.time.now + .seconds(100_000)
            await #expect(throws: AuthFailure(.usage, "session.credential_purpose_reserved")) {
                try await world.engine.keep(
                    DerivedCredential(purpose: "engine:roles", secret: Secret("[]"), usableUntil: end), of: session.name)
            }
            try await world.engine.keep(DerivedCredential(purpose: "aws", secret: Secret("keys"), usableUntil: end), of: session.name)
            let kept = try #require(try await world.engine.derivedCredential(for: "aws", TokenRequest(session: session.name)))
            #expect(kept.usableUntil <= world.time.now + .seconds(43_200))
        }
    }
}
