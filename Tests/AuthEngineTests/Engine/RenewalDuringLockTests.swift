import AuthEngine
import AuthModel
import FoundationEssentials
import OAuth
import Sandbox
import SessionStore
import Synchronization
import Testing

/// The store is locked, or the process ends, during a renewal; the response may hold the only valid refresh token of a session.
@Suite(.serialized)
struct RenewalDuringLockTests {
    /// Runs `body` on a store that can be locked; renewal requests are delayed until `meanwhile` returns.
    private func run(
        meanwhile: @escaping @Sendable (EngineFixture) async -> Void, _ body: (EngineFixture, SessionSummary) async throws -> Void
    ) async throws {
        let folder = "/tmp/yett-engine-\(UInt64.random(in: .min ... .max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let store = try await SessionStore.open(directory: folder, source: .keyFile(folder + "/key"), time: SystemTimeSource())
        let transport = HeldTransport()
        try await EngineFixture.runSignedIn(store: store, through: transport) { world, session in
            transport.hold(field: "grant_type=refresh_token") { await meanwhile(world) }
            try await body(world, session)
        }
    }

    @Test func renewalSentBeforeALockIsStoredAfterIt() async throws {
        try await run {
            try? $0.store.lock()
        } _: { world, session in
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
            #expect(world.store.storeState == .locked(isNew: false))
            try await world.store.unlock()
            let spent = world.sandbox.requests.compactMap { $0.field("refresh_token") }
            let kept = try #require(try await world.store.record(session.name)?.tokens?.refreshToken)
            #expect(spent.count == 1 && spent.first != kept.reveal())
            #expect(try await world.engine.renew(session.name).recordedState == .signedIn)
        }
    }

    @Test func refusalAfterALockEndsTheSession() async throws {
        try await run {
            await $0.sandbox.set([.refresh(.invalidGrant)])
            try? $0.store.lock()
        } _: { (world, session) async throws in
            #expect(await failure { try await world.engine.renew(session.name) }?.kind == .signInAgain)
            #expect(try await world.engine.sessions().map(\.recordedState) == [.needsSignIn])
        }
    }

    @Test func lockWaitsForTheRenewal() async throws {
        let lock = Lock()
        try await run { world in
            lock.begin(world.engine)
            while world.store.storeState == .unlocked { await Task.yield() }
            lock.note("sent")
        } _: { world, session in
            _ = try await world.engine.renew(session.name)
            await lock.finish()
            #expect(lock.notes == ["sent", "locked"])
        }
    }

    /// A lock operation in progress, and notes of what happened meanwhile.
    private final class Lock: Sendable {
        private let task = Mutex<Task<Void, Never>?>(nil)
        private let recorded = Mutex<[String]>([])

        func begin(_ engine: Engine) {
            let task = Task {
                try? await engine.lock()
                note("locked")
            }
            self.task.withLock { $0 = task }
        }

        func finish() async { await task.withLock(\.self)?.value }
        func note(_ text: String) { recorded.withLock { $0.append(text) } }
        var notes: [String] { recorded.withLock(\.self) }
    }

    @Test func retiredEngineSendsNothing() async throws {
        try await run { _ in
        } _: { (world, session) async throws in
            await world.engine.shutDown()
            #expect(await failure { try await world.engine.renew(session.name) }?.kind == .cancelled)
            #expect(world.count(of: "refresh_token") == 0)
        }
    }
}
