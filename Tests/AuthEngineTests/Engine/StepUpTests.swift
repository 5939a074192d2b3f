import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Testing

@Suite("Step-up sign-ins and token introspection", .serialized)
struct StepUpTests {
    private static let again = "urn:yett:sandbox:password-again"

    @Test func stepUpReplacesTheSession() async throws {
        try await EngineFixture.runSignedIn { world, first in
            let second = try await world.signedIn {
                $0.acrValues = Self.again; $0.maxAge = 60
            }
            #expect(first.name == second.name)
            #expect(try await world.engine.session(second.name).identity.idTokenClaims["acr"]?.string == Self.again)
            #expect(try await world.engine.sessions().count == 1)
        }
    }

    @Test func wrongContextClassIsRefusedAndKeepsTheOldSession() async throws {
        try await EngineFixture.runSignedIn { world, before in
            let outcome = try await world.signIn(try world.request { $0.acrValues = "urn:example:passkey" })
            #expect(outcome.failure?.kind == .security)
            #expect(try await world.engine.sessions() == [before])
        }
    }

    @Test(arguments: [IDTokenFault.authenticationTimeMissing, .authenticationTimeOld])
    func missingOrOldAuthenticationTimeIsRefused(_ fault: IDTokenFault) async throws {
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada", faultSet: [.idToken(fault)])) { world in
            let outcome = try await world.signIn(try world.request { $0.maxAge = 60 })
            #expect(outcome.failure?.kind == .security)
        }
    }

    @Test func opaqueTokenIsIntrospected() async throws {
        let secret = ProviderConfiguration.SecretSource.command(["echo", "confidential-secret-0123456789"])
        try await EngineFixture.run(
            change: {
                $0.clientID = "yett-confidential"
                $0.clientSecret = secret
            }
        ) { world in
            let session = try await world.signedIn()
            world.sandbox.clearRequests()
            _ = try await world.engine.session(session.name)
            #expect(world.sandbox.requests.isEmpty)
            let access = try #require(try await world.engine.tokens(of: session.name).first)
            #expect(access.claims?["active"] == true)
            #expect(access.claims?["sub"]?.string == session.subject)
            guard case .unverified(let reason) = access.verification else { throw Missing() }
            #expect(reason.english.contains("127.0.0.1") && reason.english.contains("is active"))
        }
    }

    @Test func publicClientDoesNotIntrospect() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            world.sandbox.clearRequests()
            #expect(try await world.engine.tokens(of: session.name).first?.verification == .opaque)
            #expect(!world.sandbox.requests.contains { $0.path == "/introspect" })
        }
    }

    @Test func everyRequestNamesTheResource() async throws {
        let resource = "https://api.example.org/"
        try await EngineFixture.runSignedIn(change: { $0.resources = [resource] }) { world, session in
            _ = try await world.engine.renew(session.name)
            let asked = world.sandbox.requests.compactMap { $0.parameter("resource") ?? $0.field("resource") }
            #expect(asked == [resource, resource, resource])
        }
    }
}
