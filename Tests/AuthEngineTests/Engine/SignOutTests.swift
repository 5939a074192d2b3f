import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import Synchronization
import TestSupport
import Testing

@Suite(.serialized)
struct SignOutTests {
    @Test func revokesBothTokensThenDeletesTheSession() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            #expect(receipt.isComplete)
            #expect(receipt.entries.map(\.step) == [.revokeRefreshToken, .revokeAccessToken, .forget])
            let hints = world.sandbox.requests.filter { $0.path == "/revoke" }.compactMap { $0.field("token_type_hint") }
            #expect(hints == ["refresh_token", "access_token"])
            #expect(try await world.engine.sessions().isEmpty)
        }
    }

    @Test func localOnlySignOutSendsNothing() async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            world.sandbox.clearRequests()
            #expect(try await world.engine.signOut(session.name, mode: .localOnly).entries == [.init(.forget, .done)])
            #expect(world.sandbox.requests.isEmpty)
            #expect(try await world.engine.sessions().isEmpty)
        }
    }

    @Test(arguments: [TransportFault.unavailable, .serverError, .closed])
    func failedRevocationIsQueuedAndTheSessionDeleted(_ fault: TransportFault) async throws {
        try await EngineFixture.runSignedIn { (world, session) async throws in
            await world.sandbox.set([.transport(.revocation, fault)])
            #expect(try await !world.engine.signOut(session.name, mode: .revoke).isComplete)
            #expect(try await world.engine.sessions().isEmpty)
            #expect(try await world.store.pendingRevocations().count == 2)
        }
    }

    @Test func queuedRevocationIsSentLater() async throws {
        // The pause is over when the test says so.
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSignedIn(time: time) { world, session in
            await world.sandbox.set([.transport(.revocation, .unavailable)])
            _ = try await world.engine.signOut(session.name, mode: .revoke)
            await world.sandbox.set(.none)
            world.sandbox.clearRequests()
            _ = try await world.signedIn()
            // The provider asked for a pause of seven seconds (RFC 7009 section 2.2.1).
            #expect(!world.sandbox.requests.contains { $0.path == "/revoke" })
            #expect(try await world.store.pendingRevocations().count == 2)
            time.advance(by: .seconds(8))
            _ = try await world.signedIn()
            #expect(world.sandbox.requests.filter { $0.path == "/revoke" }.count == 2)
            #expect(try await world.store.pendingRevocations().isEmpty)
        }
    }

    /// The activity log reports the result of a queued revocation.
    @Test(arguments: [("yett", "was revoked"), ("nobody", "stays valid until it expires: ")])
    func resultOfAQueuedRevocationIsReported(client: String, words: String) async throws {
        try await EngineFixture.runSignedIn { world, session in
            let token = try await world.engine.token(TokenRequest(session: session.name)).token
            let endpoint = try #require(WebURL(world.sandbox.issuer + "/revoke"))
            _ = try await world.store.enqueue(
                QueuedRevocation(session: session.name, token: token, tokenTypeHint: "access_token", endpoint: endpoint, clientID: client))
            var events = await world.engine.events().makeAsyncIterator()
            #expect(await world.engine.deliverRevocations() == nil)
            guard case .activity(let activity)? = await events.next() else { throw Missing() }
            #expect(activity.kind == .signedOut && activity.session == session.name)
            #expect(activity.message.english.contains(words), "\(activity.message.english)")
        }
    }

    /// If the process is killed during the revocation, the next process shows the session as revoked, issues no token for it, and finishes
    /// the sign-out when it is repeated.
    @Test func interruptedSignOutIsShownAsRevoked() async throws {
        let transport = HeldTransport()
        try await EngineFixture.runSignedIn(through: transport) { world, session in
            let next = try EngineFixture(sandbox: world.sandbox, store: world.store)
            let foundLocations = Mutex<[SessionSummary]>([])
            transport.hold(field: "token_type_hint=refresh_token") {
                let now = try? await next.engine.sessions()
                foundLocations.withLock { $0 = now ?? [] }
                let refusal = await failure { try await next.engine.token(TokenRequest(session: session.name, caller: "test")) }
                #expect(refusal?.kind == .signInAgain)
            }
            _ = try await world.engine.signOut(session.name, mode: .revoke)
            let shown = try #require(foundLocations.withLock { $0 }.first)
            #expect(shown.recordedState == .revoked && !shown.isRenewable)
            #expect(shown.warnings.last?.english.contains("yett logout") == true)
        }
    }

    @Test func interruptedSignOutCanBeRepeated() async throws {
        let transport = HeldTransport()
        try await EngineFixture.runSignedIn(through: transport) { world, session in
            let left = Mutex<SessionRecord?>(nil)
            transport.hold(field: "token_type_hint=refresh_token") {
                let record = try? await world.store.record(session.name)
                left.withLock { $0 = record }
            }
            _ = try await world.engine.signOut(session.name, mode: .revoke)
            // The store as a kill during the sign-out would leave it.
            let record = try #require(left.withLock { $0 })
            _ = try await world.store.store(record, label: .chosen)
            world.sandbox.clearRequests()
            #expect(try await world.engine.signOut(session.name, mode: .revoke).isComplete)
            let hints = world.sandbox.requests.filter { $0.path == "/revoke" }.compactMap { $0.field("token_type_hint") }
            #expect(hints == ["refresh_token", "access_token"])
            #expect(try await world.engine.sessions().isEmpty)
        }
    }

    private struct Missing: Error {}

    /// A sign-in does not wait for a queued revocation at a provider that never answers.
    @Test(.timeLimit(.minutes(15))) func silentProviderDoesNotDelayASignIn() async throws {
        let transport = HeldTransport()
        // Skips the wait for the delivery, and none that is longer.
        let time = HastyTime(over: ManualTime(now: SystemTimeSource().now), limit: .seconds(2))
        try await EngineFixture.runSignedIn(time: time, through: transport) { world, session in
            await world.sandbox.set([.transport(.revocation, .serverError)])
            _ = try await world.engine.signOut(session.name, mode: .revoke)
            let (silence, end) = AsyncStream.makeStream(of: Never.self)
            transport.hold(field: "token_type_hint") { for await _ in silence {} }
            _ = try await world.signedIn()
            // Waits that overlap share the time that is skipped.
            #expect(time.pauses.reduce(0, +) >= 2)
            #expect(try await world.store.pendingRevocations().count == 2)
            end.finish()
        }
    }

    /// The provider accepts every request and never answers: one time limit covers all requests of the sign-out.
    @Test(.timeLimit(.minutes(15)), arguments: [SignOutMode.revoke, .endBrowserSession])
    func silentProviderDoesNotDelayASignOut(_ mode: SignOutMode) async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSignedIn(time: time) { world, session in
            await world.sandbox.set([.transport(.revocation, .hanging), .transport(.discovery, .hanging)])
            time.advance(by: .seconds(4_000))
            world.sandbox.clearRequests()
            let signingOut = Task { try await world.engine.signOut(session.name, mode: mode) }
            // The metadata twice, then the first revocation; no time is left for the second.
            await time.until(sleepers: 1)
            time.advance(by: .seconds(3))
            await time.until(sleepers: 2)
            time.advance(by: .seconds(3))
            time.advance(by: .seconds(9))
            let receipt = try await signingOut.value
            let revocations = receipt.entries.filter { $0.step != .endBrowserSession && $0.step != .forget }
            #expect(revocations.count == 2)
            for entry in revocations {
                guard case .failed(let reason, isQueued: true) = entry.outcome else {
                    Issue.record("\(entry.outcome)")
                    continue
                }
                #expect(reason.english == "\(world.sandbox.issuer) did not respond within 15 s, the limit for a sign-out")
            }
            #expect(receipt.entries.last?.step == .forget)
            #expect(receipt.entries.last?.outcome == .done)
            #expect(try await world.engine.sessions().isEmpty)
            #expect(try await world.store.pendingRevocations().count == 2)
        }
    }

    @Test(.timeLimit(.minutes(15))) func unavailableMetadataLeavesTimeForTheRevocation() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSignedIn(time: time) { world, session in
            await world.sandbox.set([.transport(.discovery, .hanging)])
            time.advance(by: .seconds(4_000))
            let signingOut = Task { try await world.engine.signOut(session.name, mode: .revoke) }
            // One timeout to find the revocation endpoint, and one before each of the two tokens.
            for sleepers in [1, 2, 2] {
                await time.until(sleepers: sleepers)
                time.advance(by: .seconds(3))
            }
            let receipt = try await signingOut.value
            #expect(receipt.isComplete)
        }
    }

    @Test func browserSessionEndsAtTheProvidersEndpoint() async throws {
        try await EngineFixture.runSignedIn { world, session in
            let receipt = try await world.engine.signOut(session.name, mode: .endBrowserSession)
            // The browser starts at a one-time local URL without a token, which redirects to the provider.
            let url = try #require(receipt.browserURL)
            #expect(url.origin.host == "127.0.0.1" && url.query == nil)
            #expect(receipt.shownURL?.text == world.sandbox.issuer + "/logout?client_id=yett")
            let way = try #require(receipt.browserReturn)
            #expect(way.redirect == nil)
            async let outcome = world.engine.browserReturn(way.id)
            let sent = try await transport().send(WebRequest(method: .get, url: url))
            #expect(sent.status == 303 && sent.header("Location")?.contains("/logout?id_token_hint=ey") == true)
            #expect(try await outcome == receipt.entries.first { $0.step == .endBrowserSession }?.outcome)
            let step = receipt.entries.first { $0.step == .endBrowserSession }
            let reason = UserMessage("sign_out.browser_cannot_return", ["reason": UserMessage("sign_out.no_redirect_configured")])
            #expect(step?.outcome == .unconfirmed(reason: reason))
        }
    }

    @Test func unknownBrowserReturnIsRefused() async throws {
        try await EngineFixture.run { world in
            await #expect(throws: AuthFailure(.usage, "sign_out.not_waiting_for_browser")) {
                try await world.engine.browserReturn(.init("return-0"))
            }
            await world.engine.stopWaiting(for: .init("return-0"))
        }
    }

    @Test func missingRevocationEndpointIsReported() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.discovery(.revocationEndpointMissing)])
        try await EngineFixture.runSignedIn(configuration) { world, session in
            let receipt = try await world.engine.signOut(session.name, mode: .revoke)
            #expect(receipt.isComplete)
            #expect(receipt.entries.first?.outcome == .skipped(reason: "sign_out.no_revocation_endpoint"))
        }
    }
}
