import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import Synchronization
import Testing

/// The user may request the device code before it exists, and another one after it has expired.
@Suite(.serialized)
struct DeviceCodeRequestTests {
    /// Runs an attempt; `body` receives each event and the outcome so far.
    private func attempt(
        in world: EngineFixture, _ change: (inout SignInRequest) -> Void = { _ in },
        _ body: (SignInEvent, SignInAttempt.ID, EngineFixture.Outcome) async throws -> Void
    ) async throws -> EngineFixture.Outcome {
        let attempt = try await world.engine.signIn(try world.request(change))
        var outcome = EngineFixture.Outcome()
        for await event in attempt.events {
            outcome.events.append(event)
            try await body(event, attempt.id, outcome)
        }
        return outcome
    }

    private func codes(_ world: EngineFixture) -> Int { world.sandbox.requests.filter { $0.path == "/device_authorization" }.count }

    private func browse(_ outcome: EngineFixture.Outcome, in world: EngineFixture) async {
        for case .browser(let url, _) in outcome.methods { await follow(url, transport: world.transport) }
    }

    @Test func concurrentRequestsShareOneCode() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.device(.pending)])
        try await EngineFixture.runSkippingSeconds(configuration) { world in
            let outcome = try await attempt(in: world) { event, id, outcome in
                guard event == .began(.wait) else { return }
                async let first: Void = world.engine.requestDeviceCode(for: id)
                async let second: Void = world.engine.requestDeviceCode(for: id)
                _ = try await (first, second)
                try await world.engine.requestDeviceCode(for: id)
                await browse(outcome, in: world)
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(world.count(of: "authorization_code") == 1)
            #expect(codes(world) == 1)
        }
    }

    @Test(arguments: [
        ("sandbox does not support device sign-in", false, SignInRequest.Flow.auto, nil),
        ("a prompt is not possible with a device code", true, .auto, "login"),
        ("this sign-in allows only --flow browser", true, .browser, nil),
        ("this sign-in allows only --flow manual", true, .manual, nil),
    ])
    func refusalNamesItsReason(_ reason: String, isOffered: Bool, flow: SignInRequest.Flow, prompt: String?) async throws {
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada", device: .init(isOffered: isOffered))) { world in
            var refusal: AuthFailure?
            let outcome = try await attempt(
                in: world,
                {
                    $0.flow = flow
                    $0.prompt = prompt
                }
            ) { event, id, _ in
                guard event == .began(.wait) else { return }
                do throws(AuthFailure) { try await world.engine.requestDeviceCode(for: id) } catch { refusal = error }
                await world.engine.cancel(id)
            }
            #expect(refusal?.summary == reason)
            #expect(!outcome.events.contains(.deviceCodeOffered))
            #expect(codes(world) == 0)
        }
    }

    @Test func refusalByTheProviderIsReported() async throws {
        try await EngineFixture.runSkippingSeconds(SandboxConfiguration(autoApproves: "ada", faultSet: [.device(.refused)])) { world in
            var refusals: [AuthFailure.Kind] = []
            let outcome = try await attempt(in: world) { event, id, outcome in
                guard case .deviceCodeRefused = event else { return }
                do throws(AuthFailure) { try await world.engine.requestDeviceCode(for: id) } catch { refusals.append(error.kind) }
                await browse(outcome, in: world)
            }
            #expect(refusals == [.denied(code: "unauthorized_client")])
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(outcome.device == nil)
        }
    }

    @Test func requestRetriesAfterAServerError() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.transport(.device, .unavailable)])
        try await EngineFixture.runSkippingSeconds(configuration) { world in
            var refusals: [AuthFailure] = []
            let outcome = try await attempt(in: world) { event, id, outcome in
                guard event == .deviceCodeOffered else { return }
                do throws(AuthFailure) { try await world.engine.requestDeviceCode(for: id) } catch { refusals.append(error) }
                await browse(outcome, in: world)
            }
            #expect(refusals.map(\.isTransient) == [true])
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(codes(world) == 2)
        }
    }

    @Test func requestReplacesAnExpiredCode() async throws {
        let configuration = SandboxConfiguration(
            autoApproves: "ada", device: .init(interval: .seconds(1)), faultSet: [.device(.expired)])
        try await EngineFixture.runSkippingSeconds(configuration) { world in
            let outcome = try await attempt(in: world) { event, id, outcome in
                guard event == .deviceCodeOffered else { return }
                switch outcome.events.count(where: { $0 == .deviceCodeOffered }) {
                case 1: try await world.engine.requestDeviceCode(for: id)
                default: await browse(outcome, in: world)
                }
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(codes(world) == 2)
        }
    }

    @Test func cancellationEndsPendingCodeRequests() async throws {
        let configuration = SandboxConfiguration(
            autoApproves: "ada", faultSet: [.transport(.device, .hanging)])
        try await EngineFixture.runSkippingSeconds(configuration) { world in
            let asking = Mutex<Task<AuthFailure?, Never>?>(nil)
            let outcome = try await attempt(in: world) { event, id, _ in
                guard event == .began(.wait) else { return }
                asking.withLock {
                    $0 = Task {
                        do throws(AuthFailure) { try await world.engine.requestDeviceCode(for: id) } catch { return error }
                        return nil
                    }
                }
                while codes(world) == 0 { await Task.yield() }
                await world.engine.cancel(id)
            }
            #expect(outcome.failure?.kind == .cancelled)
            #expect(await asking.withLock { $0 }?.value?.summary == "this sign-in has already ended")
        }
    }

    @Test func endedAttemptHasNoDeviceCode() async throws {
        try await EngineFixture.run { world in
            let engine = world.engine
            await #expect(throws: AuthFailure(.usage, "sign_in.already_ended", hint: "hint.start_new_one")) {
                try await engine.requestDeviceCode(for: SignInAttempt.ID("attempt-0"))
            }
        }
    }
}
