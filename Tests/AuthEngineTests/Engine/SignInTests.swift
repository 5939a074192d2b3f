import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

@Suite(.serialized)
struct SignInTests {
    @Test func storesTheIdentityOfIDTokenAndUserInfo() async throws {
        try await EngineFixture.run { world in
            let outcome = try await world.signIn()
            let summary = try #require(outcome.result).get()
            #expect(summary.name.description == "sandbox/ada")
            #expect(summary.recordedState == .signedIn)
            #expect(summary.isRenewable)
            #expect(summary.warnings == [])
            let detail = try await world.engine.session(summary.name)
            #expect(detail.identity.idTokenClaims["sub"] == detail.identity.userInfo["sub"])
            #expect(detail.identity.text("email") == "ada@example.org")
            #expect(detail.tokens.map(\.kind) == [.access, .refresh, .id])
            #expect(detail.tokens.last?.verification == .verified(algorithm: "RS256", keyID: detail.tokens.last?.header?["kid"]?.string))
        }
    }

    @Test func reportsStepsInOrderAndFinishesOnce() async throws {
        try await EngineFixture.run { world in
            let outcome = try await world.signIn()
            let steps = outcome.events.compactMap { event -> SignInStep? in
                if case .completed(let step) = event { step } else { nil }
            }
            #expect(steps == [.discover, .open, .wait, .exchange, .verify, .seal])
            let ends = outcome.events.filter { if case .finished = $0 { true } else { false } }
            #expect(ends.count == 1)
            #expect(outcome.events.last == ends.first)
        }
    }

    @Test func secondSignInRequestsOnlyTokensAndUserInfo() async throws {
        try await EngineFixture.runSignedIn { world, _ in
            world.sandbox.clearRequests()
            _ = try await world.signedIn()
            // The check of the cached metadata runs beside the sign-in, which does not wait for it.
            let direct = world.sandbox.requests.map(\.path).filter { !$0.contains("authorize") && !$0.contains(".well-known") }
            #expect(direct == ["/token", "/userinfo"])
        }
    }

    @Test func everyAttemptHasNewSecrets() async throws {
        try await EngineFixture.runSignedIn { world, _ in
            _ = try await world.signedIn()
            let requests = world.sandbox.requests.filter { $0.parameter("state") != nil }
            #expect(requests.count == 2)
            for name in ["state", "nonce", "code_challenge"] {
                let values = Set(requests.compactMap { $0.parameter(name) })
                #expect(values.count == 2, "\(name)")
                #expect(values.allSatisfy { $0.utf8.count >= 43 })
            }
        }
    }

    @Test func sameAccountReplacesItsSessionAndKeepsItsLabel() async throws {
        try await EngineFixture.run { world in
            _ = try await world.signedIn { $0.account = "me" }
            #expect(try await world.signedIn().name.description == "sandbox/me")
            #expect(try await world.engine.sessions().count == 1)
        }
    }

    @Test func anotherAccountGetsItsOwnSession() async throws {
        try await EngineFixture.runSignedIn { world, _ in
            await world.sandbox.autoApprove(as: "grace")
            _ = try await world.signedIn()
            #expect(try await world.engine.sessions().map(\.name.description) == ["sandbox/ada", "sandbox/grace"])
        }
    }

    @Test func labelOfAnotherAccountIsRefused() async throws {
        try await EngineFixture.run { world in
            let first = try await world.signedIn { $0.account = "me" }
            await world.sandbox.autoApprove(as: "grace")
            let second = try await world.signIn(try world.request { $0.account = "me" })
            #expect(second.failure?.kind == .security)
            #expect(try await world.engine.sessions() == [first])
        }
    }

    @Test func failedAttemptKeepsTheOldSession() async throws {
        try await EngineFixture.runSignedIn { (world, before) async throws in
            await world.sandbox.set([.callback(.error)])
            #expect(try await world.signIn().failure?.kind == .denied(code: "access_denied"))
            #expect(try await world.engine.sessions() == [before])
        }
    }

    @Test func cancellationClosesThePortAndEndsTheAttempt() async throws {
        try await EngineFixture.run { world in
            let (redirects, continuation) = AsyncStream.makeStream(of: String.self)
            let attempt = try await world.engine.signIn(try world.request())
            var last: SignInEvent?
            for await event in attempt.events {
                last = event
                if case .available(.browser(_, let redirect)) = event {
                    continuation.yield(redirect)
                    await world.engine.cancel(attempt.id)
                }
            }
            guard case .finished(.failure(let failure))? = last else { throw Missing() }
            #expect(failure.kind == .cancelled)
            var iterator = redirects.makeAsyncIterator()
            let announced = await iterator.next()
            let redirect = try #require(announced.flatMap { WebURL($0) })
            await #expect(throws: AuthFailure.self) { try await world.transport.send(WebRequest(method: .get, url: redirect)) }
        }
    }

    @Test func missingCallbackTimesOut() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) { world in
            let outcome = try await world.signIn(try world.request { $0.timeout = .seconds(2) }) { _, _ in
                time.advance(by: .seconds(2))
            }
            #expect(outcome.failure?.kind == .timedOut)
        }
    }

    @Test func onlyForgedCallbacksAreASecurityFailure() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) { world in
            await world.sandbox.set([.callback(.stateWrong)])
            let transport = world.transport
            let outcome = try await world.signIn(try world.request { $0.timeout = .seconds(2) }) { url, _ in
                await follow(url, transport: transport)
                time.advance(by: .seconds(2))
            }
            #expect(outcome.failure?.kind == .security)
            #expect(outcome.events.contains(.ignoredCallback(reason: "phrase.callback_wrong_state")))
            #expect(world.count(of: "authorization_code") == 0)
        }
    }

    @Test func pastedRedirectFinishesTheAttempt() async throws {
        try await EngineFixture.run { world in
            let engine = world.engine
            let transport = world.transport
            let outcome = try await world.signIn(try world.request()) { url, attempt in
                guard let response = try? await transport.send(WebRequest(method: .get, url: url)),
                    let location = response.header("Location")
                else { return }
                try? await engine.paste(Secret("  \(location)\n"), into: attempt)
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
        }
    }

    @Test func invalidPasteIsRefusedAndTheAttemptContinues() async throws {
        try await EngineFixture.run { world in
            let engine = world.engine
            let transport = world.transport
            let (failures, continuation) = AsyncStream.makeStream(of: AuthFailure.self)
            let outcome = try await world.signIn(try world.request()) { url, attempt in
                for text in ["https://evil.example/?code=x&state=y", "hello", "code=x&state=y"] {
                    do throws(AuthFailure) {
                        try await engine.paste(Secret(text), into: attempt)
                    } catch {
                        continuation.yield(error)
                    }
                }
                continuation.finish()
                await follow(url, transport: transport)
            }
            #expect(try outcome.result?.get().recordedState == .signedIn)
            var kinds: [AuthFailure.Kind] = []
            for await failure in failures { kinds.append(failure.kind) }
            #expect(kinds == [.usage, .usage, .security])
        }
    }

    @Test func rotatedKeysAreFetched() async throws {
        try await EngineFixture.runSignedIn { world, _ in
            try await world.sandbox.rotateKeys()
            #expect(try await world.signedIn().recordedState == .signedIn)
        }
    }

    @Test func unpublishedKeyIsRequestedOnce() async throws {
        try await EngineFixture.runSignedIn { (world, _) async throws in
            world.sandbox.clearRequests()
            await world.sandbox.set([.idToken(.keyIdentifierUnknown)])
            #expect(try await world.signIn().failure?.kind == .security)
            #expect(world.sandbox.requests.filter { $0.path.contains("jwks") }.count == 1)
            #expect(!world.sandbox.requests.contains { $0.path == "/userinfo" })
        }
    }

    @Test func signUpSendsPromptCreateIfSupported() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.run(time: time) { world in
            let transport = world.transport
            _ = try await world.signIn(
                try world.request {
                    $0.purpose = .signUp; $0.timeout = .seconds(2)
                }
            ) { url, _ in
                await follow(url, transport: transport)
                time.advance(by: .seconds(2))
            }
            #expect(world.sandbox.requests.contains { $0.parameter("prompt") == "create" })
        }
    }

    @Test func unsupportedSignUpFailsBeforeAnythingOpens() async throws {
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada").with { $0.offersPromptCreate = false }) { world in
            let outcome = try await world.signIn(try world.request { $0.purpose = .signUp })
            #expect(outcome.failure?.kind == .configuration)
            #expect(!outcome.events.contains { if case .available = $0 { true } else { false } })
        }
    }

    /// At the sandbox's OpenID provider, the planned steps are those that run.
    @Test func plannedStepsMatchTheStepsThatBegin() async throws {
        try await EngineFixture.run { world in
            let outcome = try await world.signIn()
            let planned = outcome.events.compactMap { if case .planned(let steps) = $0 { steps } else { nil } }
            let begun = outcome.events.compactMap { if case .began(let step) = $0 { step } else { nil } }
            #expect(planned == [begun])
            #expect(outcome.events.first == .planned(begun))
        }
    }
}

/// An expected value is missing.
struct Missing: Error {}
