import AuthEngine
import AuthModel
import OAuth
import Sandbox
import SessionStore
import TestCertificates
import Testing

/// What is remembered of the documents that a provider publishes, and for how long it is believed that there is none.
@Suite("Metadata and keys that are kept", .serialized)
struct ProviderDocumentTests {
    private func documents(_ world: EngineWorld) -> [String] {
        world.sandbox.requests.map(\.path).filter { $0.contains(".well-known") }
    }

    private func keyRequests(_ world: EngineWorld) -> Int { world.sandbox.requests.filter { $0.path == "/jwks" }.count }

    // MARK: Documents that are not there

    @Test(arguments: [TransportFault.html, .notFound, .redirect302])
    func aMaintenancePageIsForgottenWhenItIsOver(_ fault: TransportFault) async throws {
        let folder = try TestFolder()
        let configuration = SandboxConfiguration(autoApproves: "ada", misbehaviour: [.transport(.discovery, fault)])
        try await EngineWorld.run(configuration, cacheDirectory: folder.path) { world in
            #expect(try await world.signIn().failure?.isTransient == true)
            await world.sandbox.set(.none)
            #expect(try await world.signedIn().settledState == .signedIn)
            let other = try EngineWorld(sandbox: world.sandbox, store: world.store, cacheDirectory: folder.path)
            #expect(try await other.signedIn().settledState == .signedIn)
        }
    }

    /// Plain OAuth at configured endpoints does without metadata, so its absence must not switch off what it announced.
    private static func plain(_ sandbox: SandboxServer) -> (inout ProviderConfiguration) -> Void {
        { configuration in
            configuration.kind = .oauth2
            configuration.endpoints.authorization = WebURL(sandbox.issuer + "/authorize")
            configuration.endpoints.token = WebURL(sandbox.issuer + "/token")
        }
    }

    @Test(arguments: [TransportFault.html, .notFound, .redirect302])
    func whatWasAnnouncedOnceIsNotTakenBackByAPageInItsPlace(_ fault: TransportFault) async throws {
        let folder = try TestFolder()
        let honest = SandboxConfiguration(autoApproves: "ada", pushedRequests: .offered)
        try await SandboxServer.running(honest) { sandbox in
            let store = try await SessionStore.open(directory: "/", source: .memory, time: SandboxClock())
            let world = try EngineWorld(
                sandbox: sandbox, store: store, cacheDirectory: folder.path, change: Self.plain(sandbox))
            _ = try await world.signedIn { $0.account = "ada" }
            #expect(sandbox.requests.contains { $0.path == "/par" })
            world.time.advance(by: .seconds(3601))
            await sandbox.advance(by: .seconds(3601))
            await sandbox.set([.transport(.discovery, fault)])
            sandbox.clearRequests()
            // The engine that saw it, and one that only finds what was kept.
            for change in [Duration.zero, .seconds(1)] {
                let engine =
                    change == .zero
                    ? world
                    : try EngineWorld(
                        sandbox: sandbox, store: store, time: world.time, cacheDirectory: folder.path, change: Self.plain(sandbox))
                #expect(try await engine.signIn(try engine.request { $0.account = "ada" }).failure?.isTransient == true)
            }
            #expect(!sandbox.requests.contains { $0.path == "/authorize" })
            await sandbox.set(.none)
            _ = try await world.signedIn { $0.account = "ada" }
            #expect(sandbox.requests.contains { $0.path == "/par" })
        }
    }

    @Test func aProviderWithoutMetadataIsSignedInAtByItsEndpoints() async throws {
        let folder = try TestFolder()
        let configuration = SandboxConfiguration(autoApproves: "ada", misbehaviour: [.transport(.discovery, .notFound)])
        try await SandboxServer.running(configuration) { sandbox in
            let store = try await SessionStore.open(directory: "/", source: .memory, time: SandboxClock())
            let world = try EngineWorld(
                sandbox: sandbox, store: store, cacheDirectory: folder.path, change: Self.plain(sandbox))
            #expect(try await world.signedIn { $0.account = "ada" }.settledState == .signedIn)
        }
    }

    @Test(arguments: [SandboxConfiguration.Metadata.openID, .oauth, .both])
    func aWarmSignInAsksForNoDocument(_ metadata: SandboxConfiguration.Metadata) async throws {
        let folder = try TestFolder()
        let configuration = SandboxConfiguration(autoApproves: "ada", metadata: metadata)
        try await EngineWorld.run(configuration, cacheDirectory: folder.path, change: { if metadata == .oauth { $0.kind = .oauth2 } }) {
            world in
            _ = try await world.signedIn { $0.account = "ada" }
            world.sandbox.clearRequests()
            let other = try EngineWorld(
                sandbox: world.sandbox, store: world.store, cacheDirectory: folder.path,
                change: { if metadata == .oauth { $0.kind = .oauth2 } })
            _ = try await other.signedIn { $0.account = "ada" }
            #expect(documents(other) == [])
            #expect(keyRequests(other) == 0)
        }
    }

    // MARK: Keys

    /// A well-formed token of the world's issuer, signed by nobody.
    private func forged(_ world: EngineWorld, keyID: String = "nobody") -> Secret {
        let parts = [
            #"{"alg":"RS256","kid":"\#(keyID)"}"#, #"{"iss":"\#(world.sandbox.issuer)","sub":"x"}"#, "signature",
        ]
        return Secret(parts.map { Base64URL.encode(Array($0.utf8)) }.joined(separator: "."))
    }

    @Test func keysAreAskedForAnewOnceAMinute() async throws {
        try await EngineWorld.run { world in
            _ = try await world.signedIn()
            world.sandbox.clearRequests()
            for number in 0..<5 {
                let view = try await world.engine.inspect(forged(world, keyID: "nobody-\(number)"), at: nil)
                #expect(view.verification != .opaque)
            }
            #expect(keyRequests(world) == 1)
            world.time.advance(by: .seconds(61))
            _ = try await world.engine.inspect(forged(world), at: nil)
            #expect(keyRequests(world) == 2)
        }
    }

    @Test func thoseWhoAskAtOnceShareOneAnswer() async throws {
        try await EngineWorld.run { world in
            _ = try await world.signedIn()
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

    @Test func keysThatCannotBeHadAreNotAskedForWithEveryToken() async throws {
        try await EngineWorld.run { world in
            _ = try await world.signedIn()
            await world.sandbox.set([.transport(.keys, .unavailable)])
            world.sandbox.clearRequests()
            for _ in 0..<5 { _ = try? await world.engine.inspect(forged(world), at: nil) }
            #expect(keyRequests(world) == 1)
        }
    }

    /// A key that was changed within that minute is no flaw of the token.
    @Test func aRenewalThatNeedsKeysTooSoonKeepsTheSession() async throws {
        try await EngineWorld.run { world in
            let session = try await world.signedIn()
            _ = try await world.engine.inspect(forged(world), at: nil)
            try await world.sandbox.rotateKeys()
            await #expect { try await world.engine.renew(session.name) } throws: { ($0 as? AuthFailure)?.isTransient == true }
            world.time.advance(by: .seconds(61))
            #expect(try await world.engine.renew(session.name).settledState == .signedIn)
        }
    }
}
