import AuthEngine
import AuthModel
import FoundationEssentials
import Sandbox
import SessionStore
import Testing

/// The store's folder is moved away while the session service runs: the service reports it, and uses the store that appears there next.
@Suite(.timeLimit(.minutes(10)))
struct MissingStoreTests {
    private let root = "/tmp/yett-lost-\(UInt64.random(in: .min ... .max))"
    private var folder: String { root + "/store" }
    private var away: String { root + "/away" }

    /// Runs `body` with a session, in a store in a folder.
    private func run(passphrase: Secret? = nil, _ body: (EngineFixture, SessionSummary) async throws -> Void) async throws {
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: root) }
        try await EngineFixture.run(store: open(passphrase)) { world in try await body(world, try await world.signedIn()) }
    }

    private func open(_ passphrase: Secret?) async throws -> SessionStore {
        let source = passphrase == nil ? KeySource.keyFile(folder + "/sessions.key") : .passphrase
        let store = try await SessionStore.open(
            directory: folder, source: source, time: SystemTimeSource(), settings: .init(bounds: .init(accepted: 10...18, fresh: 10)))
        if let passphrase { try await store.unlock(passphrase: passphrase) }
        return store
    }

    private func removeStore() throws { try FileManager.default.moveItem(atPath: folder, toPath: away) }
    private func restoreStore() throws { try FileManager.default.moveItem(atPath: away, toPath: folder) }

    private var isGone: AuthFailure {
        AuthFailure(
            .notSignedIn, UserMessage("store.missing", ["path": "\(folder)/sessions.db"]),
            hint: UserMessage("hint.restore_store_or_sign_in_again", ["provider": EngineFixture.provider?.text ?? ""]))
    }

    @Test func missingStoreIsReportedUntilItReturns() async throws {
        try await run { world, session in
            let request = TokenRequest(session: session.name)
            let token = try await world.engine.token(request).token
            try removeStore()
            await #expect(throws: isGone) { try await world.engine.token(request) }
            await #expect(throws: isGone) { try await world.engine.renew(session.name) }
            #expect(try await world.engine.sessions() == [])
            try await world.engine.unlockIfNoPassphraseNeeded()
            // Nothing was created in its place.
            #expect(!FileManager.default.fileExists(atPath: folder))
            try restoreStore()
            #expect(try await world.engine.token(request).token == token)
        }
    }

    @Test func newSignInCreatesANewStore() async throws {
        try await run { world, session in
            try removeStore()
            #expect(try await world.engine.storeState() == .unlocked)
            let again = try await world.signedIn()
            #expect(again.name == session.name)
            _ = try await world.engine.token(TokenRequest(session: again.name))
            // The old store is unchanged.
            try FileManager.default.removeItem(atPath: folder)
            try restoreStore()
            #expect(try await world.engine.sessions().map(\.grantedAt) == [session.grantedAt])
        }
    }

    @Test func missingPassphraseStoreIsNotRecreated() async throws {
        try await run(passphrase: Secret("open sesame")) { world, session in
            try removeStore()
            #expect(try await world.engine.storeState() == .locked(isNew: true))
            await #expect(throws: isGone) { try await world.engine.token(TokenRequest(session: session.name)) }
            await #expect(throws: AuthFailure(.configuration, "store.none_yet", hint: "hint.create_store")) {
                try await world.engine.signIn(try world.request())
            }
            try restoreStore()
            #expect(try await world.engine.storeState() == .locked(isNew: false))
            try await world.engine.unlock(passphrase: Secret("open sesame"))
            _ = try await world.engine.token(TokenRequest(session: session.name))
        }
    }

    /// A client that watches sees the sessions disappear, and those that another process then adds.
    @Test func watchersSeeTheReplacementStore() async throws {
        try await run { world, session in
            var events = await world.engine.events().makeAsyncIterator()
            func sessions(_ wanted: [SessionName]) async {
                while let event = await events.next() {
                    if case .sessionsChanged(let now) = event, now.map(\.name) == wanted { return }
                }
            }
            try removeStore()
            await sessions([])
            let other = try EngineFixture(sandbox: world.sandbox, store: try await open(nil))
            _ = try await world.engine.sessions()
            _ = try await other.signedIn()
            await sessions([session.name])
        }
    }
}
