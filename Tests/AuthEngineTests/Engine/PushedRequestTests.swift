import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import Testing

@Suite(.serialized)
struct PushedRequestTests {
    private static let offered = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered)

    @Test(arguments: [SandboxConfiguration.PushedRequests.offered, .required])
    func browserURLHasTheReferenceAlone(_ support: SandboxConfiguration.PushedRequests) async throws {
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada", pushedRequests: support)) { world in
            let outcome = try await world.signIn()
            #expect(try outcome.result?.get().recordedState == .signedIn)
            let request = try #require(world.sandbox.requests.first { $0.path.contains("authorize") })
            #expect(request.query.map(\.name).sorted() == ["client_id", "request_uri"])
            let pushed = try #require(world.sandbox.requests.first { $0.path == "/par" })
            #expect(pushed.field("state") != nil && pushed.field("code_challenge_method") == "S256")
            #expect(pushed.field("request_uri") == nil)
        }
    }

    @Test func everyAttemptHasItsOwnReference() async throws {
        try await EngineFixture.runSignedIn(Self.offered) { world, _ in
            _ = try await world.signedIn()
            let references = world.sandbox.requests.compactMap { $0.parameter("request_uri") }
            #expect(Set(references).count == 2)
        }
    }

    @Test func pushedRequestsCanBeTurnedOff() async throws {
        try await EngineFixture.runSignedIn(Self.offered, change: { $0.pushedRequests = .off }) { world, _ in
            #expect(!world.sandbox.requests.contains { $0.path == "/par" })
        }
    }

    @Test(arguments: [
        (SandboxConfiguration.PushedRequests.off, PushedRequestMode.required), (.required, .off),
    ])
    func conflictingRequirementsFailBeforeTheBrowserOpens(_ support: SandboxConfiguration.PushedRequests, _ mode: PushedRequestMode)
        async throws
    {
        let configuration = SandboxConfiguration(autoApproves: "ada", pushedRequests: support)
        try await EngineFixture.run(configuration, change: { $0.pushedRequests = mode }) { world in
            let outcome = try await world.signIn()
            #expect(outcome.failure != nil)
            #expect(outcome.methods == [])
            #expect(!world.sandbox.requests.contains { $0.path.contains("authorize") })
        }
    }

    /// Nothing weaker is tried, but the user reads what to set.
    @Test(arguments: [(401, #"{"error":"invalid_client"}"#), (403, ""), (400, #"{"error":"unauthorized_client"}"#)])
    func endpointForOtherClientsIsNamed(status: Int, body: String) async throws {
        let transport = DialectTests.ChangingTransport { request, response in
            guard request.url.path == "/par" else { return response }
            return WebResponse(status: status, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
        }
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered), through: transport) { world in
            let outcome = try await world.signIn()
            #expect(outcome.failure?.hint?.code == "hint.par_off", "\(String(describing: outcome.failure))")
            #expect(outcome.methods == [])
        }
    }

    @Test(arguments: [PushedRequestFault.invalidRequest, .requestURIMissing, .requestURINumber, .lifetimeMissing])
    func invalidResponseOpensNoBrowser(_ fault: PushedRequestFault) async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered, faultSet: [.pushed(fault)])
        try await EngineFixture.run(configuration) { world in
            let outcome = try await world.signIn()
            let failure = try #require(outcome.failure)
            #expect(failure.summary.contains("127.0.0.1"))
            #expect(outcome.methods == [])
        }
    }
}
