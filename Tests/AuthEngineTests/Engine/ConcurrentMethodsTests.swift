import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import Synchronization
import TestSupport
import Testing

@Suite("Concurrent sign-in methods", .serialized)
struct ConcurrentMethodsTests {
    private static let remote = Surroundings(
        isRemote: true, hasDisplay: false, isWSL: false, sshServer: .init(address: "203.0.113.7"))

    /// Signs in; the browser starts when `isTime` returns true for an event.
    private func signIn(in world: EngineFixture, browsing isTime: (SignInEvent) -> Bool) async throws -> EngineFixture.Outcome {
        let attempt = try await world.engine.signIn(try world.request())
        var outcome = EngineFixture.Outcome()
        for await event in attempt.events {
            outcome.events.append(event)
            guard isTime(event), case .browser(let url, _)? = outcome.methods.first else { continue }
            await follow(url, transport: world.transport)
        }
        return outcome
    }

    private static func isCode(_ event: SignInEvent) -> Bool { if case .available(.device) = event { true } else { false } }

    @Test(arguments: [
        Surroundings.desktop, remote, Surroundings(isRemote: false, hasDisplay: false, isWSL: false),
        Surroundings(isRemote: false, hasDisplay: false, isWSL: true),
    ])
    func allMethodsAreOpenInAllSurroundings(_ surroundings: Surroundings) async throws {
        try await EngineFixture.runSkippingSeconds(surroundings: surroundings) { world in
            let outcome = try await signIn(in: world, browsing: Self.isCode)
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(outcome.methods.contains(.paste))
            #expect(outcome.redirect != nil && outcome.device != nil)
            #expect(world.count(of: "authorization_code") == 1)
        }
    }

    @Test(arguments: [TransportFault.hanging, .unavailable])
    func browserDoesNotWaitForTheDeviceCode(_ fault: TransportFault) async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.transport(.device, fault)])
        try await EngineFixture.runSkippingSeconds(configuration) { world in
            // The browser starts after the code was requested.
            let outcome = try await world.signIn(try world.request()) { url, _ in
                for await request in world.sandbox.followRequests() where request.path == "/device_authorization" { break }
                await follow(url, transport: world.transport)
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(outcome.device == nil)
            #expect(outcome.methods.first.map { if case .browser = $0 { true } else { false } } == true)
        }
    }

    @Test func unsafeDeviceCodeGivesAWarning() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.device(.verificationJavaScript)])
        try await EngineFixture.runSkippingSeconds(configuration) { world in
            let outcome = try await signIn(in: world) { if case .warning = $0 { true } else { false } }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(outcome.device == nil)
        }
    }

    @Test func sshForwardCommandHasTheAttemptsPort() async throws {
        try await EngineFixture.run(surroundings: Self.remote) { world in
            let outcome = try await world.signIn()
            let port = try #require(outcome.redirect).origin.port
            #expect(outcome.methods.contains(.sshForward(command: "ssh -L \(port):127.0.0.1:\(port) 203.0.113.7")))
            #expect(outcome.methods.contains(.paste))
        }
    }

    @Test func sshForwardCommandHasServerPortAndIPv6Address() {
        let server = Surroundings(environment: ["SSH_CONNECTION": "198.51.100.2 50122 2001:db8::7 2222"]).sshServer
        #expect(server?.forwarding(port: 41_234, to: "::1") == "ssh -p 2222 -L 41234:[::1]:41234 2001:db8::7")
    }

    @Test(arguments: ["", "a b c d", "1.2.3.4 5 $(id) 22", "1.2.3.4 5 6.7.8.9 99999"])
    func invalidSSHConnectionGivesNoCommand(_ connection: String) {
        #expect(Surroundings(environment: ["SSH_CONNECTION": connection]).sshServer == nil)
    }

    @Test func browserSignInEndsThePolling() async throws {
        let clock = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSkippingSeconds(
            SandboxConfiguration(autoApproves: "ada", faultSet: [.device(.pending)]), surroundings: Self.remote, clock: clock
        ) { world in
            let outcome = try await signIn(in: world, browsing: Self.isCode)
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(world.count(of: "authorization_code") == 1)
            #expect(clock.sleeperCount == 0)
        }
    }

    @Test func deviceSignInClosesThePort() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", device: .init(interval: .seconds(1)))
        try await EngineFixture.runSkippingSeconds(configuration, surroundings: Self.remote) { world in
            let outcome = try await world.signIn(try world.request()) { _, _ in }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(world.count(of: "authorization_code") == 0)
            let redirect = try #require(outcome.redirect)
            await #expect(throws: AuthFailure.self) { try await world.transport.send(WebRequest(method: .get, url: redirect)) }
        }
    }

    @Test func expiredDeviceCodeKeepsTheBrowserFlow() async throws {
        let configuration = SandboxConfiguration(
            autoApproves: "ada", device: .init(interval: .seconds(1)), faultSet: [.device(.expired)])
        try await EngineFixture.runSkippingSeconds(configuration, surroundings: Self.remote) { world in
            let attempt = try await world.engine.signIn(try world.request())
            var page: WebURL?
            var result: Result<SessionSummary, AuthFailure>?
            for await event in attempt.events {
                if case .available(.browser(let url, _)) = event { page = url }
                if case .warning(let text) = event, text.english.contains("still work"), let page {
                    await follow(page, transport: world.transport)
                }
                if case .finished(let end) = event { result = end }
            }
            #expect(try result?.get().recordedState == .signedIn)
        }
    }

    @Test func denialOnTheDeviceEndsTheAttempt() async throws {
        let configuration = SandboxConfiguration(
            autoApproves: "ada", device: .init(interval: .seconds(1)), faultSet: [.device(.denied)])
        try await EngineFixture.runSkippingSeconds(configuration, surroundings: Self.remote) { world in
            let outcome = try await world.signIn(try world.request()) { _, _ in }
            #expect(outcome.failure?.kind == .denied(code: "access_denied"))
        }
    }

    @Test func refusedDeviceFlowKeepsTheBrowserFlow() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.device(.refused)])
        try await EngineFixture.runSkippingSeconds(configuration, surroundings: Self.remote) { world in
            let outcome = try await signIn(in: world) { if case .deviceCodeRefused = $0 { true } else { false } }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(outcome.device == nil)
            #expect(!outcome.events.contains(.deviceCodeOffered))
        }
    }

    @Test func cancellationEndsEveryMethod() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.device(.pending)])
        try await EngineFixture.runSkippingSeconds(configuration, surroundings: Self.remote) { world in
            let attempt = try await world.engine.signIn(try world.request())
            var events: [SignInEvent] = []
            for await event in attempt.events {
                events.append(event)
                if Self.isCode(event) { await world.engine.cancel(attempt.id) }
            }
            let outcome = EngineFixture.Outcome(events: events)
            #expect(outcome.methods.count == 4)
            #expect(events.last == .finished(.failure(AuthFailure(.cancelled, "sign_in.cancelled"))))
            let redirect = try #require(outcome.redirect)
            await #expect(throws: AuthFailure.self) { try await world.transport.send(WebRequest(method: .get, url: redirect)) }
        }
    }

    @Test func manualSignInNeedsNoPort() async throws {
        try await EngineFixture.run { world in
            let engine = world.engine
            let transport = world.transport
            let isOpen = Mutex<Bool?>(nil)
            let outcome = try await world.signIn(try world.request { $0.flow = .manual }) { url, attempt in
                guard let location = try? await transport.send(WebRequest(method: .get, url: url)).header("Location"),
                    let redirect = WebURL(location)
                else { return }
                let answer = try? await transport.send(WebRequest(method: .get, url: redirect))
                isOpen.withLock { $0 = answer != nil }
                try? await engine.paste(Secret(location), into: attempt)
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(isOpen.withLock { $0 } == false)
        }
    }

    @Test func pastedCodeIsAcceptedOnlyForOutOfBandRedirects() async throws {
        try await EngineFixture.run(change: { $0.redirects = [.outOfBand] }) { world in
            let engine = world.engine
            let outcome = try await world.signIn(try world.request()) { _, attempt in
                try? await engine.paste(Secret(" SplxlOBeZQQYbYS6WxSbIA\n"), into: attempt)
            }
            #expect(outcome.redirect == nil && outcome.methods.contains(.paste))
            #expect(world.sandbox.requests.compactMap { $0.field("code") } == ["SplxlOBeZQQYbYS6WxSbIA"])
            #expect(world.sandbox.requests.last { $0.path == "/token" }?.field("redirect_uri") == "urn:ietf:wg:oauth:2.0:oob")
        }
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) { world in
            let engine = world.engine
            let refusals = Mutex<[AuthFailure.Kind]>([])
            _ = try await world.signIn(
                try world.request {
                    $0.flow = .manual; $0.timeout = .seconds(1)
                }
            ) { _, attempt in
                do throws(AuthFailure) {
                    try await engine.paste(Secret("SplxlOBeZQQYbYS6WxSbIA"), into: attempt)
                } catch {
                    refusals.withLock { $0.append(error.kind) }
                }
                time.advance(by: .seconds(1))
            }
            #expect(refusals.withLock { $0 } == [.usage])
            #expect(world.count(of: "authorization_code") == 0)
        }
    }

    @Test func knownAccountIsSentAsLoginHint() async throws {
        try await EngineFixture.run { world in
            _ = try await world.signedIn { $0.account = "me" }
            world.sandbox.clearRequests()
            _ = try await world.signedIn { $0.account = "me" }
            #expect(world.sandbox.requests.compactMap { $0.parameter("login_hint") } == ["ada"])
        }
    }
}
