import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import TestSupport
import Testing

@Suite(.serialized)
struct DeviceFlowTests {
    /// Signs in with the device flow only, on a clock that skips the waits between polls.
    private func signIn(
        _ faults: FaultSet = .none, device: SandboxConfiguration.Device = .init(), autoApproves: String? = "ada",
        change: (inout ProviderConfiguration) -> Void = { _ in }
    ) async throws -> (outcome: EngineFixture.Outcome, time: HastyTime, polls: Int) {
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now))
        var result: (EngineFixture.Outcome, HastyTime, Int)?
        let configuration = SandboxConfiguration(autoApproves: autoApproves, device: device, time: time, faultSet: faults)
        try await EngineFixture.run(configuration, time: time, change: change) { world in
            let outcome = try await world.signIn(try world.request { $0.flow = .device })
            result = (outcome, time, world.count(of: "urn:ietf:params:oauth:grant-type:device_code"))
        }
        return try #require(result)
    }

    @Test func deviceSignInNeedsNoPortOrBrowser() async throws {
        let (outcome, time, polls) = try await signIn()
        let session = try #require(outcome.result).get()
        #expect(session.name.description == "sandbox/ada")
        #expect(session.isRenewable)
        #expect(session.warnings == [])
        #expect(polls == 1)
        #expect(time.pauses == [5])
        #expect(outcome.methods.count == 1)
    }

    @Test func promptShowsHostPageAndUserCodeOnly() async throws {
        let (outcome, _, _) = try await signIn()
        let way = try #require(outcome.device)
        #expect(way.host == way.page.origin.authority)
        #expect(way.page.path == "/device")
        #expect(way.completePage?.query?.contains(way.userCode) == true)
        #expect(way.qrCode.count > 10)
        #expect(!"\(outcome.events)".contains("device_code"))
    }

    @Test func slowDownAppliesToAllLaterPolls() async throws {
        let (_, time, _) = try await signIn([.device(.slowDown)], device: .init(codeLifetime: .seconds(60)))
        #expect(time.pauses == [5, 10, 15, 20])
    }

    @Test func missingIntervalMeansFiveSeconds() async throws {
        let (outcome, time, _) = try await signIn([.device(.intervalMissing)])
        #expect(try outcome.result?.get() != nil)
        #expect(time.pauses == [5])
    }

    @Test(arguments: [DeviceFault.firstPollHTML, .firstPollClosed, .firstPollTooMany, .firstPollUnavailable])
    func transientErrorsOnlySlowThePolling(_ fault: DeviceFault) async throws {
        let (outcome, time, polls) = try await signIn([.device(fault)])
        #expect(try outcome.result?.get().recordedState == .signedIn)
        #expect(polls == 2)
        #expect(time.pauses == [5, 10])
    }

    @Test(arguments: [(DeviceFault.denied, AuthFailure.Kind.denied(code: "access_denied")), (.expired, .timedOut)])
    func finalResponseEndsThePollingAtOnce(_ fault: DeviceFault, _ kind: AuthFailure.Kind) async throws {
        let (outcome, _, polls) = try await signIn([.device(fault)])
        #expect(outcome.failure?.kind == kind)
        #expect(polls == 1)
    }

    @Test func unusedCodeExpires() async throws {
        let (outcome, _, polls) = try await signIn(device: .init(codeLifetime: .seconds(23)), autoApproves: nil)
        #expect(outcome.failure?.kind == .timedOut)
        #expect(polls == 4)
    }

    @Test(arguments: [
        DeviceFault.deviceCodeMissing, .userCodeMissing, .userCodeHostile, .lifetimeMissing, .lifetimeNegative, .verificationMissing,
        .verificationJavaScript, .verificationHTTP,
    ])
    func invalidResponseIsNeitherShownNorPolledFor(_ fault: DeviceFault) async throws {
        let (outcome, _, polls) = try await signIn([.device(fault)])
        #expect(outcome.failure != nil)
        #expect(outcome.device == nil)
        #expect(polls == 0)
    }

    @Test func completePageOfAnotherHostIsIgnoredWithAWarning() async throws {
        let (outcome, _, _) = try await signIn([.device(.completeElsewhere)])
        #expect(try #require(outcome.device).completePage == nil)
        #expect(outcome.events.contains { if case .warning(let text) = $0 { text.english.contains("ignored a page") } else { false } })
    }

    @Test(arguments: [IDTokenFault.issuerWrong, .audienceWrong, .signatureWrong, .algorithmNone, .expired])
    func idTokenIsValidated(_ fault: IDTokenFault) async throws {
        let (outcome, _, _) = try await signIn([.idToken(fault)])
        #expect(outcome.failure?.kind == .security)
    }

    @Test func missingIDTokenUsesUserInfoWithAWarning() async throws {
        let (outcome, _, _) = try await signIn([.token(.idTokenMissing)])
        let session = try #require(outcome.result).get()
        #expect(session.name.description == "sandbox/ada")
        #expect(session.warnings.contains { $0.english.contains("no ID token") })
    }

    @Test func unsupportedDeviceFlowFailsBeforeAnythingOpens() async throws {
        let (outcome, _, _) = try await signIn(device: .init(isOffered: false))
        #expect(outcome.failure?.kind == .configuration)
        #expect(outcome.methods == [])
    }
}
