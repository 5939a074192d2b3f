import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

@Suite("DPoP-bound tokens", .serialized)
struct ProofTests {
    private static func configuration(
        _ nonces: SandboxConfiguration.Proofs.Nonces = .none, support: SandboxConfiguration.Proofs.Support = .required,
        pushed: SandboxConfiguration.PushedRequests = .off, faultSet: FaultSet = .none
    ) -> SandboxConfiguration {
        SandboxConfiguration(
            autoApproves: "ada", pushedRequests: pushed,
            proofs: .init(support: support, authorizationServerNonces: nonces, resourceNonces: nonces), faultSet: faultSet)
    }

    @Test(arguments: [SandboxConfiguration.Proofs.Nonces.none, .fixed, .rotating], [SandboxConfiguration.PushedRequests.off, .required])
    func signsInAndRenewsWithOneKey(_ nonces: SandboxConfiguration.Proofs.Nonces, _ pushed: SandboxConfiguration.PushedRequests)
        async throws
    {
        try await EngineFixture.runSignedIn(Self.configuration(nonces, pushed: pushed)) { world, session in
            #expect(try await world.store.record(session.name)?.tokens?.tokenType == "DPoP")
            // Another engine on the same store: the key is read from the store, not from memory.
            let later = try EngineFixture(sandbox: world.sandbox, store: world.store)
            #expect(try await later.engine.renew(session.name).recordedState == .signedIn)
            let proofs = world.sandbox.requests.compactMap { $0.header("DPoP") }
            #expect(Set(proofs).count == proofs.count)
            let keys = proofs.compactMap { try? JSONWebSignature(compact: $0).header["jwk"] }
            #expect(keys.count == proofs.count && Set(keys.map(\.text)).count == 1)
        }
    }

    @Test func authorizationRequestNamesTheKey() async throws {
        try await EngineFixture.runSignedIn(Self.configuration()) { world, _ in
            let thumbprint = world.sandbox.requests.lazy.compactMap { $0.parameter("dpop_jkt") }.first
            #expect(thumbprint?.isEmpty == false)
        }
    }

    @Test func everySessionHasItsOwnSealedKey() async throws {
        try await EngineFixture.runSignedIn(Self.configuration()) { world, ada in
            await world.sandbox.autoApprove(as: "grace")
            let grace = try await world.signedIn()
            let keys = try await [world.store.record(ada.name), world.store.record(grace.name)].compactMap {
                $0?.extras["dpop_key"]?.string
            }
            #expect(Set(keys).count == 2)
            for key in keys { #expect(!"\(try await world.engine.sessions())".contains(key)) }
        }
    }

    @Test func deviceSignInIsBoundToo() async throws {
        try await EngineFixture.run(Self.configuration(.rotating), time: HastyTime(over: SystemTimeSource())) { world in
            let session = try await world.signedIn { $0.flow = .device }
            #expect(try await world.store.record(session.name)?.tokens?.tokenType == "DPoP")
        }
    }

    @Test func unboundTokenIsRefused() async throws {
        let configuration = Self.configuration(support: .offered, faultSet: [.proof(.downgrade)])
        try await EngineFixture.run(configuration, change: { $0.proofs = .required }) { world in
            let outcome = try await world.signIn()
            #expect(outcome.failure?.kind == .security)
            #expect(outcome.failure?.summary.contains("not bound to a key") == true)
            #expect(try await world.engine.sessions().isEmpty)
        }
    }

    @Test func requiredProofsNeedASupportingProvider() async throws {
        try await EngineFixture.run(Self.configuration(support: .off), change: { $0.proofs = .required }) { (world) async throws in
            #expect(try await world.signIn().failure != nil)
            #expect(try await world.engine.sessions().isEmpty)
        }
    }

    /// A provider that supports DPoP issues Bearer tokens to a client that sends no proof.
    @Test func tokensAreBoundOnlyIfRequired() async throws {
        try await EngineFixture.runSignedIn(Self.configuration(support: .offered), change: { $0.proofs = .off }) { world, _ in
            #expect(!world.sandbox.requests.contains { $0.header("DPoP") != nil })
        }
    }

    @Test func proofRequirementHintsAtTheSetting() async throws {
        try await EngineFixture.run(Self.configuration(support: .required), change: { $0.proofs = .off }) { world in
            let failure = try #require(try await world.signIn().failure)
            #expect(failure.kind == .configuration)
            #expect(failure.hintText?.contains("set dpop = \"required\" in [providers.") == true)
        }
    }

    @Test(arguments: [(ProofFault.nonceForEver, "/token"), (.resourceNonceForEver, "/userinfo")])
    func nonceIsRetriedOnce(_ fault: ProofFault, _ path: String) async throws {
        try await EngineFixture.run(Self.configuration(.fixed, faultSet: [.proof(fault)])) { (world) async throws in
            #expect(try await world.signIn().failure != nil)
            #expect(world.sandbox.requests.filter { $0.path == path }.count == 2)
        }
    }

    @Test(arguments: [ProofFault.nonceLong, .nonceIllegal])
    func invalidNonceIsNotSent(_ fault: ProofFault) async throws {
        try await EngineFixture.run(Self.configuration(.fixed, faultSet: [.proof(fault)])) { (world) async throws in
            #expect(try await world.signIn().failure != nil)
            #expect(world.count(of: "authorization_code") == 1)
        }
    }
}
