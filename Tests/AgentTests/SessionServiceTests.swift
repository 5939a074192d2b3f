@testable import Agent
import AuthModel
import Glibc
import Localization
import NIOCore
import TestSupport
import Testing

/// A session service that is reached through the agent behaves like the session service itself.
@Suite(.startsPrograms, .timeLimit(.minutes(15)))
struct SessionServiceTests {
    private let service = ScriptedSessionService()

    @Test func clientReturnsTheServicesResults() async throws {
        try await AgentFixture.run(service) { world in
            let providers = try await world.client.providers()
            #expect(providers == [Sample.provider])
            #expect(try await world.client.sessions() == [Sample.session])
            #expect(try await world.client.session(Sample.name) == Sample.detail)
            let renewed = try await world.client.renew(Sample.name)
            #expect(await service.summary == renewed)
            #expect(try await world.client.token(TokenRequest(session: Sample.name)) == Sample.grant)
            #expect(try await world.client.signOut(Sample.name, mode: .endBrowserSession) == Sample.receipt)
            let outcome = try await world.client.browserReturn(.init("return-1"))
            #expect(outcome == .unconfirmed(reason: "the browser came back with another state"))
            await world.client.stopWaiting(for: .init("return-2"))
            #expect(await service.awaited == [.init("return-1")])
            #expect(await service.released == [.init("return-2")])
            #expect(try await world.client.inspect(Secret("x.y.z"), at: nil) == Sample.view)
            #expect(try await world.client.inspect(Secret("x"), at: Sample.name.provider) == Sample.view)
            #expect(await service.inspectedAt == [nil, Sample.name.provider])
            #expect(try await world.client.storeState() == .unlocked)
            #expect(await service.modes == [.endBrowserSession])
        }
    }

    @Test func proofsAndTokensComeFromTheService() async throws {
        let request = Sample.proof
        try await AgentFixture.run(service) { world in
            let proof = try await world.client.proof(request)
            #expect(proof == "proof 1")
            #expect(await service.proofs == [request])
            let tokens = try await world.client.tokens(of: Sample.name)
            #expect(tokens == [Sample.view])
            await #expect(throws: Sample.notSignedIn) { try await world.client.tokens(of: Sample.named("work/nobody")) }
        }
    }

    @Test func listsAndRevokesRemoteTokens() async throws {
        try await AgentFixture.run(service) { world in
            let tokens = try await world.client.remoteTokens(of: Sample.name)
            #expect(tokens == [Sample.remoteToken])
            let after = try await world.client.revokeRemoteToken("t-1", of: Sample.name)
            #expect(after == Sample.session)
            #expect(await service.revokedRemotely == ["t-1"])
            await #expect(throws: Sample.notSignedIn) {
                try await world.client.revokeRemoteToken("t-1", of: Sample.named("work/nobody"))
            }
        }
    }

    @Test func activatesAnAccount() async throws {
        try await AgentFixture.run(service) { world in
            try await world.client.makeDefault("ada", at: Sample.name.provider)
            try await world.client.makeDefault(nil, at: Sample.name.provider)
            #expect(await service.activated == ["ada at work", "nobody at work"])
        }
    }

    @Test func adoptsATokenFromAResource() async throws {
        try await AgentFixture.run(service) { world in
            let resource = try #require(WebURL("https://gateway.example/comment"))
            try await world.client.adopt(Secret("new"), inPlaceOf: Secret("old"), in: Sample.name, from: resource)
            #expect(await service.adopted == ["new in place of old in \(Sample.name) from https://gateway.example/comment"])
        }
    }

    @Test(arguments: [true, false])
    func reportsWhetherAPassphraseIsNeeded(answer: Bool) async throws {
        await service.change { $0.takesPassphraseAnswer = answer }
        try await AgentFixture.run(service) { world in
            let seal = try await world.client.perform(ReadSeal())
            #expect(seal.needsPassphrase == answer)
        }
    }

    /// If the agent ends during an unlock, the key may have counted the PIN already.
    @Test func pinIsNotSentTwice() {
        #expect(AgentClient.mayRepeat(UnlockStore(Secret("open sesame"))) && AgentClient.mayRepeat(LockStore()))
        #expect(!AgentClient.mayRepeat(UnlockStore(Secret("1234"), isPIN: true)))
        #expect(!AgentClient.mayRepeat(ChangeSeal(.securityKey)))
    }

    @Test func keepsAndRemovesARegistration() async throws {
        let management = Sample.management
        try await AgentFixture.run(service) { world in
            try await world.client.keep(management)
            #expect(await service.kept == [management])
            #expect(try await world.client.unregister(management.clientID, at: management.issuer, caFile: "/etc/ca.pem"))
            #expect(try await world.client.unregister("other", at: management.issuer, caFile: nil) == false)
            #expect(await service.unregistered == ["client-1 https://id.example.org /etc/ca.pem", "other https://id.example.org -"])
        }
    }

    @Test(arguments: Sample.failures)
    func failuresComeFromTheService(failure: AuthFailure) async throws {
        await service.change { $0.tokenAnswer = .failure(failure) }
        try await AgentFixture.run(service) { world in
            await #expect(throws: failure) { try await world.client.token(TokenRequest(session: Sample.name)) }
        }
    }

    @Test func forwardsAllSignInEvents() async throws {
        var request = SignInRequest(provider: Sample.name.provider)
        request.loginHint = "ada"
        let last = try #require(Sample.signInEvents.firstIndex { $0.isLast })
        let events = Array(Sample.signInEvents[...last])
        try await AgentFixture.run(service) { [request, events] world in
            let attempt = try await world.client.signIn(request)
            for event in events { await service.report(event) }
            var seen: [SignInEvent] = []
            for await event in attempt.events { seen.append(event) }
            #expect(seen == events)
            #expect(await service.requests == [request])
        }
    }

    @Test func sendsTheUsersEnvironment() async throws {
        let remote = Surroundings(environment: ["SSH_CONNECTION": "198.51.100.2 50122 192.0.2.7 2222", "DISPLAY": ":0"])
        try await AgentFixture.run(service) { world in
            let client = AgentClient(location: world.place, home: world.agentHome, surroundings: remote)
            var request = SignInRequest(provider: Sample.name.provider)
            _ = try await client.signIn(request)
            request.surroundings = .desktop
            _ = try await client.signIn(request)
            #expect(await service.requests.map(\.surroundings) == [remote, .desktop])
        }
    }

    @Test func pastesIntoAndCancelsTheAttempt() async throws {
        try await AgentFixture.run(service) { world in
            let attempt = try await world.client.signIn(SignInRequest(provider: Sample.name.provider))
            try await world.client.paste(Secret("http://127.0.0.1/?code=x"), into: attempt.id)
            #expect(await service.pasted == [Secret("http://127.0.0.1/?code=x")])
            await world.client.cancel(attempt.id)
            #expect(await service.cancelled == [attempt.id])
            var seen: [SignInEvent] = []
            for await event in attempt.events { seen.append(event) }
            #expect(seen == [.finished(.failure(AuthFailure(.cancelled, "sign_in.cancelled")))])
        }
    }

    @Test func requestsADeviceCodeAndReportsARefusal() async throws {
        try await AgentFixture.run(service) { world in
            let attempt = try await world.client.signIn(SignInRequest(provider: Sample.name.provider))
            try await world.client.requestDeviceCode(for: attempt.id)
            let failure = AuthFailure(.configuration, text: "work does not support device sign-in", hint: "use --flow browser")
            await service.change { $0.deviceCodeFailure = failure }
            await #expect(throws: failure) { try await world.client.requestDeviceCode(for: attempt.id) }
            #expect(await service.codesAskedFor == [attempt.id, attempt.id])
        }
    }

    @Test func disconnectedClientEndsItsAttempt() async throws {
        try await AgentFixture.run(service) { world in
            let attempt = try await world.client.signIn(SignInRequest(provider: Sample.name.provider))
            let watcher = Task { for await _ in attempt.events {} }
            await service.until { $0.attemptIsOpen }
            watcher.cancel()
            await service.until { $0.endedAttempts == 1 }
        }
    }

    @Test func forwardsEvents() async throws {
        try await AgentFixture.run(service) { world in
            let events = await world.client.events()
            await service.until { $0.watcherCount == 1 }
            for event in Sample.serviceEvents { await service.announce(event) }
            var seen: [SessionServiceEvent] = []
            for await event in events {
                seen.append(event)
                if seen.count == Sample.serviceEvents.count { break }
            }
            #expect(seen == Sample.serviceEvents)
        }
    }

    @Test func eventsEndWithTheAgent() async throws {
        try await AgentFixture.run(service) { world in
            let events = await world.client.events()
            await service.until { $0.watcherCount == 1 }
            await world.server.stop()
            for await _ in events {}
        }
    }

    @Test func recordsWhoUsedAToken() async throws {
        try await AgentFixture.run(service) { world in
            var request = TokenRequest(session: Sample.name)
            request.caller = "/usr/bin/somebody-else"
            _ = try await world.client.token(request)
            let line = try #require(try world.log.recent().first)
            #expect(line.process == ownProcess)
            #expect(line.program == ownProgram)
            #expect(line.activity.session == Sample.name)
            let caller = try #require(await service.asked.first?.caller)
            #expect(caller == Caller(process: getpid(), user: geteuid()).message && caller.programPath == ownProgram)
        }
    }

    @Test func recordsTheRestrictionsOfAToken() async throws {
        try await AgentFixture.run(service) { world in
            let restrictions = TokenRestrictions(scopes: ["read"], audience: "https://api.example.org/")
            _ = try await world.client.token(TokenRequest(session: Sample.name, restrictions: restrictions))
            let text = try #require(try world.log.recent().first).activity.message.english
            #expect(text.hasSuffix(" limited to scope read for https://api.example.org/"))
        }
    }

    @Test func lockedStoreRefusesRequests() async throws {
        try await AgentFixture.run(service) { world in
            try await world.client.lock()
            let locked = AuthFailure(.configuration, "store.locked", hint: "hint.unlock_store_with_agent")
            await #expect(throws: locked) { try await world.client.token(TokenRequest(session: Sample.name)) }
            await #expect(throws: locked) { try await world.client.session(Sample.name) }
            await #expect(throws: locked) { try await world.client.renew(Sample.name) }
            await #expect(throws: locked) { try await world.client.signOut(Sample.name, mode: .revoke) }
            await #expect(throws: locked) { try await world.client.inspect(Secret("x"), at: nil) }
            await #expect(throws: locked) { try await world.client.activity(10) }
            await #expect(throws: locked) { try await world.client.signIn(SignInRequest(provider: Sample.name.provider)) }
            #expect(await service.asked == [])
            #expect(try await world.client.sessions() == [Sample.session])
            #expect(try await world.client.status()?.seal == .locked(isNew: false))
            try await world.client.unlock(passphrase: Secret("open sesame"))
            #expect(try await world.client.token(TokenRequest(session: Sample.name)) == Sample.grant)
        }
    }

    @Test func reportsAnUnresponsiveAgent() async throws {
        try await AgentFixture.run(service) { world in
            await service.hold()
            let body = JSONValue.members(("session", .string("work")))
            await #expect {
                try await world.client.connection.ask(IssueToken.route, body: body, limit: .milliseconds(50))
            } throws: {
                guard case .unusable(let failure) = $0 as? AgentConnection.Failure else { return false }
                return failure.kind == .timedOut && failure.summary == "the agent does not answer"
                    && failure.hintText == "stop it with: kill -KILL \(ownProcess); the next command starts a new one"
            }
            await service.releaseHeld()
        }
    }

    @Test func reportsAnOutdatedAgent() async throws {
        try await AgentFixture.run(service) { world in
            await #expect(throws: AgentConnection.Failure.unusable(AgentConnection.outdated)) {
                try await world.client.connection.ask(ListSessions.route, target: "/v1/something-new")
            }
        }
    }

    @Test func refusesAnotherHome() async throws {
        try await AgentFixture.run(service) { world in
            let otherClient = AgentClient(
                location: world.place, home: AgentHome(store: "/elsewhere", configuration: world.agentHome.configuration))
            await #expect(throws: AuthFailure.self) { try await otherClient.token(TokenRequest(session: Sample.name)) }
            await #expect(throws: AuthFailure.self) { try await otherClient.status() }
        }
    }

    @Test func reportsAMissingAgent() async throws {
        var gone: AgentClient?
        try await AgentFixture.run(service) { world in gone = world.client }
        let client = try #require(gone)
        #expect(try await client.status() == nil)
        await #expect(throws: AuthFailure.self) { try await client.sessions() }
    }

    @Test func stopsTheAgent() async throws {
        try await AgentFixture.run(service) { world in
            let wasThere = try await world.client.stop()
            #expect(wasThere)
            #expect(world.stops.value == 1)
        }
    }
}
