import AuthEngine
import AuthModel
import Localization
import OAuth
import Sandbox
import SessionStore
import TestSupport
import Testing

/// How long a provider's metadata and keys are cached, and what happens when they are missing.
@Suite("Cached metadata and keys", .serialized)
struct ProviderDocumentTests {
    private let folder: TestFolder

    init() throws { folder = try TestFolder() }

    private func documents(_ world: EngineFixture) -> [String] {
        world.sandbox.requests.map(\.path).filter { $0.contains(".well-known") }
    }

    private func keyRequests(_ world: EngineFixture) -> Int { world.sandbox.requests.filter { $0.path == "/jwks" }.count }

    // MARK: Missing documents

    @Test(arguments: [TransportFault.html, .notFound, .redirect302, .empty400])
    func maintenancePageIsNotCached(_ fault: TransportFault) async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.transport(.discovery, fault)])
        try await EngineFixture.run(configuration, cacheDirectory: folder.path) { world in
            #expect(try await world.signIn().failure?.isTransient == true)
            await world.sandbox.set(.none)
            #expect(try await world.signedIn().recordedState == .signedIn)
            let other = try EngineFixture(sandbox: world.sandbox, store: world.store, cacheDirectory: folder.path)
            #expect(try await other.signedIn().recordedState == .signedIn)
        }
    }

    /// A server's front answers so for a path that it does not know; the document is at the next place.
    @Test func faultAtOnePlaceDoesNotEndTheSearch() async throws {
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada").with { $0.metadata = .openID }) { sandbox in
            let store = try await SessionStore.open(directory: "/", source: .memory, time: SandboxClock())
            let transport = DialectTests.ChangingTransport { request, response in
                guard request.url.path == "/.well-known/oauth-authorization-server" else { return response }
                return WebResponse(status: 503, body: Array("<html>no server</html>".utf8))
            }
            let world = try EngineFixture(sandbox: sandbox, store: store, through: transport, change: { $0.kind = .oauth2 })
            #expect(try await world.signedIn { $0.account = "ada" }.recordedState == .signedIn)
            // Without a document anywhere, the fault is what the user has to know.
            await sandbox.set([.transport(.discovery, .notFound)])
            let other = try EngineFixture(sandbox: sandbox, store: store, through: transport, change: { $0.kind = .oauth2 })
            #expect(try await other.signIn(try other.request { $0.account = "ada" }).failure?.isTransient == true)
        }
    }

    /// Frameworks serve their documents elsewhere and redirect to them. Another origin is not followed, and a circle ends.
    @Test(arguments: [("/moved", true), ("/.well-known/openid-configuration", false), ("https://other.example/moved", false)])
    func documentMayBeMovedWithinItsOrigin(place: String, isFound: Bool) async throws {
        try await SandboxServer.running(SandboxConfiguration(autoApproves: "ada").with { $0.metadata = .openID }) { sandbox in
            let store = try await SessionStore.open(directory: "/", source: .memory, time: SandboxClock())
            let transport = MovingTransport(place: place)
            let world = try EngineFixture(sandbox: sandbox, store: store, through: transport)
            let outcome = try await world.signIn()
            #expect((outcome.failure == nil) == isFound, "\(String(describing: outcome.failure))")
            #expect(outcome.failure?.isTransient != false)
        }
    }

    /// Has the documents at another place.
    private struct MovingTransport: HTTPTransport {
        private let inner = CurlTransport(version: "test", environment: [:])
        let place: String

        init(place: String) { self.place = place }

        func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
            let path = request.url.path
            if path.hasPrefix("/.well-known") || path == "/jwks" { return WebResponse(status: 302, headers: [("Location", place + path)]) }
            guard path.hasPrefix("/moved"), let url = WebURL(request.url.text.replacing("/moved", with: "")) else {
                return try await inner.send(request, policy: policy)
            }
            return try await inner.send(WebRequest(method: request.method, url: url, headers: request.headers), policy: policy)
        }
    }

    /// The endpoints of a sign-in that fails may be out of date.
    @Test func failureNamesADocumentThatWasFetchedEarlier() async throws {
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada"), cacheDirectory: folder.path) { world in
            _ = try await world.signedIn()
            await world.sandbox.set([.transport(.token, .closed)])
            func named(_ world: EngineFixture) async throws -> Bool {
                let failure = try #require(try await world.signIn().failure)
                #expect(failure.isTransient)
                // The test itself takes a while, too.
                return failure.message.english.contains(#/\/\.well-known\/openid-configuration, which it read 1[2-9] min ago/#)
            }
            #expect(try await !named(world))
            await world.advance(by: .seconds(750))
            #expect(try await named(world), "from memory")
        }
    }

    /// Plain OAuth with configured endpoints needs no metadata, but a missing document must not disable the features that it announced.
    private static func plain(_ sandbox: SandboxServer) -> (inout ProviderConfiguration) -> Void {
        { configuration in
            configuration.kind = .oauth2
            configuration.endpoints.authorization = WebURL(sandbox.issuer + "/authorize")
            configuration.endpoints.token = WebURL(sandbox.issuer + "/token")
        }
    }

    /// With cached documents, the browser would open, and the sign-in would end after it.
    @Test func signInDoesNotBeginWithoutLibcurl() async throws {
        try await EngineFixture.run(cacheDirectory: folder.path) { world in
            _ = try await world.signedIn()
            let other = try EngineFixture(
                sandbox: world.sandbox, store: world.store, through: MissingTransport(), cacheDirectory: folder.path)
            #expect(await failure { try await other.signIn() }?.kind == .configuration)
        }
    }

    @Test(arguments: [TransportFault.html, .notFound, .redirect302, .empty400])
    func missingDocumentDoesNotDisableAnnouncedFeatures(_ fault: TransportFault) async throws {
        let withPushedRequests = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered)
        try await SandboxServer.running(withPushedRequests) { sandbox in
            let store = try await SessionStore.open(directory: "/", source: .memory, time: SandboxClock())
            let world = try EngineFixture(
                sandbox: sandbox, store: store, cacheDirectory: folder.path, change: Self.plain(sandbox))
            _ = try await world.signedIn { $0.account = "ada" }
            #expect(sandbox.requests.contains { $0.path == "/par" })
            world.time.advance(by: .seconds(3601))
            await sandbox.advance(by: .seconds(3601))
            await sandbox.set([.transport(.discovery, fault)])
            sandbox.clearRequests()
            // The engine that read the document, and one that finds it only in the cache.
            for change in [Duration.zero, .seconds(1)] {
                let engine =
                    change == .zero
                    ? world
                    : try EngineFixture(
                        sandbox: sandbox, store: store, time: world.time, cacheDirectory: folder.path, change: Self.plain(sandbox))
                #expect(try await engine.signIn(try engine.request { $0.account = "ada" }).failure?.isTransient == true)
            }
            #expect(!sandbox.requests.contains { $0.path == "/authorize" })
            await sandbox.set(.none)
            _ = try await world.signedIn { $0.account = "ada" }
            #expect(sandbox.requests.contains { $0.path == "/par" })
        }
    }

    @Test func configuredEndpointsReplaceMissingMetadata() async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada", faultSet: [.transport(.discovery, .notFound)])
        try await SandboxServer.running(configuration) { sandbox in
            let store = try await SessionStore.open(directory: "/", source: .memory, time: SandboxClock())
            let world = try EngineFixture(
                sandbox: sandbox, store: store, cacheDirectory: folder.path, change: Self.plain(sandbox))
            #expect(try await world.signedIn { $0.account = "ada" }.recordedState == .signedIn)
        }
    }

    /// The documents are asked for beside the second sign-in, which does not wait for the answer.
    @Test(arguments: [SandboxConfiguration.Metadata.openID, .oauth, .both])
    func secondSignInUsesCachedDocuments(_ metadata: SandboxConfiguration.Metadata) async throws {
        let configuration = SandboxConfiguration(autoApproves: "ada").with { $0.metadata = metadata }
        try await EngineFixture.run(configuration, cacheDirectory: folder.path, change: { if metadata == .oauth { $0.kind = .oauth2 } }) {
            world in
            _ = try await world.signedIn { $0.account = "ada" }
            world.sandbox.clearRequests()
            let transport = UnansweredTransport { $0.url.path.contains(".well-known") }
            let other = try EngineFixture(
                sandbox: world.sandbox, store: world.store, through: transport, cacheDirectory: folder.path,
                change: { if metadata == .oauth { $0.kind = .oauth2 } })
            let outcome = try await other.signIn(try other.request { $0.account = "ada" })
            #expect(try outcome.result?.get().recordedState == .signedIn)
            let hasFailed = outcome.events.contains { $0.isFailedDiscovery }
            #expect(!hasFailed, "a check that was cancelled reports nothing")
            #expect(documents(other) == [])
            #expect(keyRequests(other) == 0)
        }
    }

    /// Cached metadata opens the browser at once. If the provider no longer answers, the attempt says so and continues: the user's browser
    /// may reach what this machine does not.
    @Test(arguments: [true, false], [TransportFault.closed, .unavailable])
    func providerThatNoLongerAnswersIsReported(isInMemory: Bool, _ fault: TransportFault) async throws {
        try await EngineFixture.run(SandboxConfiguration(autoApproves: "ada"), cacheDirectory: folder.path) { world in
            _ = try await world.signedIn { $0.account = "ada" }
            await world.sandbox.set([.transport(.discovery, fault)])
            let second =
                isInMemory ? world : try EngineFixture(sandbox: world.sandbox, store: world.store, cacheDirectory: folder.path)
            let attempt = try await second.engine.signIn(try second.request { $0.account = "ada" })
            var isBrowsing = false
            var outcome = EngineFixture.Outcome()
            for await event in attempt.events {
                outcome.events.append(event)
                if case .stepFailed(.discover, let failure) = event { #expect(failure.isTransient) }
                // The browser starts after the report, and only once.
                guard !isBrowsing, outcome.events.contains(where: { $0.isFailedDiscovery }),
                    case .browser(let url, _)? = outcome.methods.first
                else { continue }
                isBrowsing = true
                Task { await follow(url, transport: second.transport) }
            }
            let failures = outcome.events.count { $0.isFailedDiscovery }
            #expect(failures == 1)
            #expect(try outcome.result?.get().recordedState == .signedIn)
        }
    }

    /// The first sign-in has just asked the provider.
    @Test func metadataOfThisAttemptIsNotAskedForAgain() async throws {
        try await EngineFixture.runSignedIn { world, _ in
            let asked = documents(world).count { $0.hasSuffix("openid-configuration") }
            #expect(asked == 1)
        }
    }

    // MARK: Keys

    /// Returns a well-formed token of the sandbox's issuer, without a valid signature.
    private func forged(_ world: EngineFixture, keyID: String = "nobody") -> Secret {
        let parts = [
            #"{"alg":"RS256","kid":"\#(keyID)"}"#, #"{"iss":"\#(world.sandbox.issuer)","sub":"x"}"#, "signature",
        ]
        return Secret(parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: "."))
    }

    @Test func keysAreRefetchedAtMostOnceAMinute() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSignedIn(time: time) { world, _ in
            world.sandbox.clearRequests()
            for number in 0..<5 {
                let view = try await world.engine.inspect(forged(world, keyID: "nobody-\(number)"), at: nil)
                #expect(view.verification != .opaque)
            }
            #expect(keyRequests(world) == 1)
            time.advance(by: .seconds(61))
            _ = try await world.engine.inspect(forged(world), at: nil)
            #expect(keyRequests(world) == 2)
        }
    }

    @Test func concurrentKeyRequestsShareOneResponse() async throws {
        try await EngineFixture.runSignedIn { world, _ in
            try await world.sandbox.rotateKeys()
            world.sandbox.clearRequests()
            let engine = world.engine
            let token = forged(world)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<20 { group.addTask { _ = try await engine.inspect(token, at: nil) } }
                try await group.waitForAll()
            }
            #expect(keyRequests(world) == 1)
        }
    }

    @Test func unavailableKeysAreNotRequestedForEveryToken() async throws {
        try await EngineFixture.runSignedIn(time: ManualTime(now: SystemTimeSource().now)) { world, _ in
            await world.sandbox.set([.transport(.keys, .unavailable)])
            world.sandbox.clearRequests()
            for _ in 0..<5 { _ = try? await world.engine.inspect(forged(world), at: nil) }
            #expect(keyRequests(world) == 1)
        }
    }

    /// A key rotation within that minute is not an error of the token.
    @Test func renewalWithAnUnknownKeyKeepsTheSession() async throws {
        let time = ManualTime(now: SystemTimeSource().now)
        try await EngineFixture.runSignedIn(time: time) { world, session in
            _ = try await world.engine.inspect(forged(world), at: nil)
            try await world.sandbox.rotateKeys()
            #expect(await failure { try await world.engine.renew(session.name) }?.isTransient == true)
            time.advance(by: .seconds(61))
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }
}

/// A machine without libcurl.
private struct MissingTransport: HTTPTransport {
    let obstacle: AuthFailure? = AuthFailure(.configuration, text: "libcurl is missing")

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        throw AuthFailure(.configuration, text: "libcurl is missing")
    }
}

extension SignInEvent {
    /// Whether the event reports a provider that no longer answers.
    fileprivate var isFailedDiscovery: Bool { if case .stepFailed(.discover, _) = self { true } else { false } }
}

/// A transport that never answers the selected requests, until they are cancelled.
private final class UnansweredTransport: HTTPTransport {
    private let inner = CurlTransport(version: "test", environment: [:])
    private let isSelected: @Sendable (WebRequest) -> Bool

    init(_ isSelected: @escaping @Sendable (WebRequest) -> Bool) { self.isSelected = isSelected }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        guard isSelected(request) else { return try await inner.send(request, policy: policy) }
        // Ends only with the task.
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        for await _ in stream {}
        continuation.finish()
        throw AuthFailure(.cancelled, "sign_in.cancelled")
    }
}
