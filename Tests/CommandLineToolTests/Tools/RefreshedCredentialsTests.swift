import AuthModel
import Synchronization
import TestSupport
import Testing

@testable import CommandLineTool

/// The credentials that a running command asks for again and again.
struct RefreshedCredentialsTests {
    private static func credentials(_ key: String, until end: Timestamp) throws -> RoleCredentials {
        try RoleCredentials(
            Secret(
                JSONValue.members(
                    ("AccessKeyId", .string(key)), ("SecretAccessKey", "s"), ("SessionToken", "t"), ("Expiration", .string(end.description))
                ).text))
    }

    private static func key(_ result: Result<RoleCredentials, AuthFailure>) throws -> String { try result.get().accessKeyID }

    @Test func heldUntilShortlyBeforeTheirEnd() async throws {
        let time = ManualTime()
        let (first, second) = (
            try Self.credentials("first", until: time.now + .seconds(3600)),
            try Self.credentials("second", until: time.now + .seconds(7200))
        )
        let refreshed = RefreshedCredentials(first, time: time) { .success(second) }
        time.advance(by: .seconds(3200))
        #expect(try Self.key(await refreshed.current()) == "first")
        time.advance(by: .seconds(200))
        #expect(try Self.key(await refreshed.current()) == "second")
    }

    @Test func concurrentRequestsAreOne() async throws {
        let time = ManualTime()
        let (first, second) = (
            try Self.credentials("first", until: time.now), try Self.credentials("second", until: time.now + .seconds(3600))
        )
        let count = Mutex(0)
        let refreshed = RefreshedCredentials(first, time: time) {
            count.withLock { $0 += 1 }
            await Task.yield()
            return .success(second)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = await refreshed.current() } }
        }
        #expect(count.withLock { $0 } == 1)
    }

    /// A library repeats its request, and the user must not be asked each time.
    @Test func failureThatOnlyTheUserCanEndIsHeldForAWhile() async throws {
        let time = ManualTime()
        let first = try Self.credentials("first", until: time.now)
        let count = Mutex(0)
        let refreshed = RefreshedCredentials(first, time: time) {
            count.withLock { $0 += 1 }
            return .failure(AuthFailure(.signInAgain, text: "ended"))
        }
        for _ in 0..<3 { await #expect(throws: AuthFailure.self) { _ = try await refreshed.current().get() } }
        #expect(count.withLock { $0 } == 1)
        time.advance(by: .seconds(61))
        await #expect(throws: AuthFailure.self) { _ = try await refreshed.current().get() }
        #expect(count.withLock { $0 } == 2)
    }

    /// After a lock, a sign-out or the end of the session, nothing that was issued before is given again.
    @Test func withdrawnCredentialsAreNotGivenAgain() async throws {
        let time = ManualTime()
        let end = time.now + .seconds(3600)
        let (first, second) = (try Self.credentials("first", until: end), try Self.credentials("second", until: end))
        let count = Mutex(0)
        let (gates, gate) = AsyncStream.makeStream(of: Void.self)
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let refreshed = RefreshedCredentials(first, time: time) {
            count.withLock { $0 += 1 }
            begin.yield()
            for await _ in gates { break }
            return .success(second)
        }
        #expect(try Self.key(await refreshed.current()) == "first")
        await refreshed.withdraw()
        async let pending = refreshed.current()
        for await _ in begins { break }
        // The credentials of a request that was in progress are not held either.
        await refreshed.withdraw()
        gate.yield()
        #expect(try Self.key(await pending) == "second")
        gate.yield()
        #expect(try Self.key(await refreshed.current()) == "second")
        #expect(count.withLock { $0 } == 2)
        #expect(try Self.key(await refreshed.current()) == "second")
        #expect(count.withLock { $0 } == 2)
    }

    /// The session service keeps the credentials, and decides about each request.
    @Test func nothingIsHeldIfTheServiceKeepsThem() async throws {
        let time = ManualTime()
        let first = try Self.credentials("first", until: time.now + .seconds(3600))
        let isLocked = Mutex(false)
        let refreshed = RefreshedCredentials(first, isHolding: false, time: time) {
            isLocked.withLock { $0 } ? .failure(AuthFailure(.signInAgain, text: "locked")) : .success(first)
        }
        #expect(try Self.key(await refreshed.current()) == "first")
        isLocked.withLock { $0 = true }
        await #expect(throws: AuthFailure.self) { _ = try await refreshed.current().get() }
    }
}
