import AuthEngine
import AuthModel
import OAuth
import Sandbox
import TestSupport
import Testing

/// A server that a resource named, whose document or answer has an address of another server.
@Suite(.serialized)
struct SignInSitesTests {
    private static func forResource(_ configuration: inout ProviderConfiguration) {
        configuration.resources = ["https://mcp.example.org/mcp"]
    }

    /// Puts members of an answer on another host.
    private static func moving(_ members: String..., in path: String = "/.well-known/") -> DialectTests.ChangingTransport {
        let moved = members
        return DialectTests.ChangingTransport { request, response in
            guard request.url.path.hasPrefix(path), let members = response.document?.members else { return response }
            let changed = members.map { old in
                guard moved.contains(old.name), let text = old.value.string else { return old }
                return JSONValue.Member(old.name, .string(text.replacing("127.0.0.1", with: "127.0.0.9")))
            }
            return WebResponse(status: response.status, headers: response.headers, body: Array(JSONValue.object(changed).text.utf8))
        }
    }

    private func expectRefusal(_ outcome: EngineFixture.Outcome, in world: EngineFixture) {
        #expect(outcome.failure?.kind == .security, "\(String(describing: outcome.result))")
        #expect(outcome.failure?.unconfirmedHosts == ["127.0.0.9:\(world.sandbox.port)", "127.0.0.1:\(world.sandbox.port)"])
        #expect(outcome.failure?.hint == UserMessage("hint.confirm_sign_in_hosts", ["provider": "sandbox"]))
        #expect(outcome.methods == [])
        #expect(!world.sandbox.requests.contains { $0.path == "/token" })
    }

    @Test(arguments: ["authorization_endpoint", "pushed_authorization_request_endpoint"])
    func noPageOfAnotherServerIsOpened(member: String) async throws {
        let sandbox = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered)
        try await EngineFixture.run(sandbox, through: Self.moving(member), change: Self.forResource) { world in
            for flow in [SignInRequest.Flow.browser, .manual] {
                expectRefusal(try await world.signIn(try world.request { $0.flow = flow }), in: world)
            }
            #expect(!world.sandbox.requests.contains { $0.path == "/par" })
        }
    }

    @Test(arguments: [("device_authorization_endpoint", "/.well-known/"), ("verification_uri", "/device_authorization")])
    func noCodeOfAnotherServerIsShown(member: String, path: String) async throws {
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now))
        let sandbox = SandboxConfiguration(autoApproves: "ada", time: time)
        let transport = Self.moving(member, in: path)
        try await EngineFixture.run(sandbox, time: time, through: transport, change: Self.forResource) { world in
            expectRefusal(try await world.signIn(try world.request { $0.flow = .device }), in: world)
        }
    }

    /// The user signs in at the server's own page meanwhile.
    @Test func noCodeOfAnotherServerJoinsTheBrowser() async throws {
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now), limit: .seconds(1))
        let sandbox = SandboxConfiguration(autoApproves: "ada", time: time)
        let transport = Self.moving("verification_uri", in: "/device_authorization")
        try await EngineFixture.run(sandbox, time: time, through: transport, change: Self.forResource) { world in
            let attempt = try await world.engine.signIn(try world.request())
            var outcome = EngineFixture.Outcome()
            for await event in attempt.events {
                outcome.events.append(event)
                let hasAnswered =
                    switch event {
                    case .warning(let message): message.code == "sign_in.hosts_not_confirmed"
                    case .available(.device): true
                    default: false
                    }
                guard hasAnswered else { continue }
                for case .browser(let url, _) in outcome.methods { await follow(url, transport: world.transport) }
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(outcome.device == nil)
        }
    }

    /// The metadata of the sign-in may be others than those that the user was asked about: the resource would get another service's tokens.
    @Test(arguments: [SignInRequest.Flow.browser, .manual, .device])
    func noTokensOfAnotherServiceAreRequested(flow: SignInRequest.Flow) async throws {
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now))
        let sandbox = SandboxConfiguration(autoApproves: "ada", time: time)
        let transport = Self.moving("authorization_endpoint", "device_authorization_endpoint", "token_endpoint")
        try await EngineFixture.run(sandbox, time: time, through: transport, change: Self.forResource) { world in
            expectRefusal(try await world.signIn(try world.request { $0.flow = flow }), in: world)
        }
    }

    /// The token would go to a server that is not the one that issued it.
    @Test func userInfoOfAnotherServerIsNotRequested() async throws {
        let transport = Self.moving("userinfo_endpoint")
        try await EngineFixture.run(through: transport, change: Self.forResource) { world in
            let outcome = try await world.signIn(try world.request { $0.flow = .browser })
            #expect(try outcome.result?.get().recordedState == .signedIn)
            #expect(!transport.requests.contains { $0.url.origin.host == "127.0.0.9" })
        }
    }

    @Test func confirmedPageIsOpened() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time, through: Self.moving("authorization_endpoint")) { configuration in
            Self.forResource(&configuration)
            let host = configuration.issuer?.url.origin.authority ?? ""
            configuration.signInHosts = [host, host.replacing("127.0.0.1", with: "127.0.0.9")]
        } _: { world in
            let request = try world.request {
                $0.flow = .browser
                $0.timeout = .seconds(2)
            }
            let outcome = try await world.signIn(request) { _, _ in time.advance(by: .seconds(2)) }
            #expect(outcome.failure?.kind == .timedOut)
            #expect(outcome.methods.count > 0)
        }
    }

    /// The page for browsers may be on another host than the one where the code is typed.
    @Test func deviceCodeNamesTheHostOfItsPage() async throws {
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now))
        let sandbox = SandboxConfiguration(autoApproves: "ada", time: time)
        try await EngineFixture.run(sandbox, time: time, through: Self.moving("authorization_endpoint")) { world in
            let outcome = try await world.signIn(try world.request { $0.flow = .device })
            let host = "127.0.0.1:\(world.sandbox.port)"
            let named = outcome.events.filter { if case .hosts = $0 { true } else { false } }
            #expect(named == [.hosts(authorization: host, token: host)])
            #expect(try outcome.result?.get().recordedState == .signedIn)
        }
    }
}
