public import AuthModel
import Crypto
import Glibc
import OperatingSystem
import Synchronization

/// A lock on one session, held by one task of one process. It is released by ``release()``, by the last reference, or by the end of the
/// process.
///
/// Work that started under it can be finished even if the store is locked meanwhile: ``SessionStore/update(_:holding:_:)``. The response to
/// a renewal must not be lost, because the session depends on it.
public final class SessionLock: Sendable {
    private struct Held {
        var releaseLock: @Sendable () -> Void
        /// The store's keys and database, from before the store was locked.
        var access: StoreAccess?
        var space: ReservedSpace?
    }

    private let held: Mutex<Held?>

    init(access: StoreAccess? = nil, release: @escaping @Sendable () -> Void) { held = Mutex(Held(releaseLock: release, access: access)) }

    /// Gives the holder access to the store; `nil` if the store was locked when the lock was taken, and after the release.
    var access: StoreAccess? { held.withLock { $0?.access } }

    /// Keeps disk space reserved until the next write under this lock.
    func hold(_ space: ReservedSpace) { held.withLock { $0?.space = space } }

    /// Releases the reserved disk space, for the write that it was reserved for.
    func releaseReservedSpace() {
        // Deallocate it outside the mutex.
        _ = held.withLock { held in
            defer { held?.space = nil }
            return held?.space
        }
    }

    deinit { release() }

    /// Releases the lock. A second call does nothing.
    public func release() {
        let last = held.withLock { held in
            defer { held = nil }
            return held
        }
        last?.releaseLock()
    }
}

extension SessionStore {
    /// Waits for the lock on a session, which one task of one process holds at a time. It is for renewals, and independent of the lock that
    /// makes each store call atomic.
    ///
    /// Throws ``StoreError/Kind/busy`` if `deadline`, on ``TimeSource/bootTime``, passes first, and ``StoreError/Kind/cancelled`` if the
    /// task is cancelled.
    public func lock(_ name: SessionName, until deadline: Duration) async throws(StoreError) -> SessionLock {
        let lock = try await acquireLock("session \(name)", until: deadline)
        let access: StoreAccess? = try state.withLock { state throws(StoreError) in
            guard !state.isRetired else { throw StoreError(.cancelled) }
            state.sessionLockCount += 1
            guard let keys = state.keys, let database = state.database else { return nil }
            return StoreAccess(keys: keys, database: database)
        }
        return SessionLock(access: access) { [self] in
            lock.release()
            releaseLock()
        }
    }

    private func releaseLock() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.sessionLockCount -= 1
            guard state.sessionLockCount == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until this process holds no lock on a session.
    public func waitForLockHolders() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.sessionLockCount > 0 { state.waiting.append(continuation) }
                return state.sessionLockCount == 0
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Waits like ``waitForLockHolders()``, and refuses new locks on sessions from now on: for a process that is about to end.
    public func shutDown() async {
        state.withLock { $0.isRetired = true }
        await waitForLockHolders()
    }

    /// Runs `body` under the lock on a session. Rethrows what it throws.
    public func withLock<Result>(
        _ name: SessionName, until deadline: Duration, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let lock = try await lock(name, until: deadline)
        defer { lock.release() }
        return try await body()
    }

    /// Waits for a lock by polling, because the kernel offers no pollable notification of a released lock. The pause grows up to 50 ms.
    func acquireLock(_ name: String, until deadline: Duration) async throws(StoreError) -> SessionLock {
        var pause = Duration.milliseconds(2)
        while true {
            if Task.isCancelled { throw StoreError(.cancelled) }
            if let lock = try locks.acquire(name) { return lock }
            let now = time.bootTime
            guard now < deadline else { throw StoreError(.busy, path: directory) }
            do {
                try await time.sleep(until: min(now + pause, deadline))
            } catch {
                throw StoreError(.cancelled)
            }
            pause = min(pause * 2, .milliseconds(50))
        }
    }
}

/// The keys, and the database that they open.
struct StoreAccess: Sendable {
    var keys: StoreKeys
    var database: DatabaseQueue
}

/// The place where locks are kept.
///
/// In a file, a lock is one byte, chosen by the name's hash, and held by an open file description. It excludes other tasks as well as other
/// processes, leaves nothing behind, and the kernel releases it when its owner dies.
enum LockLocation: Sendable {
    case file(path: String)
    case process(InMemoryLocks)

    /// Takes the lock; returns `nil` if it is not free.
    func acquire(_ name: String) throws(StoreError) -> SessionLock? {
        switch self {
        case .process(let held):
            guard held.names.withLock({ $0.insert(name).inserted }) else { return nil }
            return SessionLock { held.names.withLock { _ = $0.remove(name) } }
        case .file(let path):
            let descriptor = try FileGuard.openOrCreate(path)
            let byte = Self.offset(of: name)
            if FileLock.take(descriptor, byte: byte) { return SessionLock { FileLock.close(descriptor, byte: byte) } }
            let code = errno
            close(descriptor)
            guard code == EAGAIN || code == EACCES else { throw StoreError.system("lock", code, path: path) }
            return nil
        }
    }

    /// Returns the position of a name's byte, between 0 and 2^62.
    private static func offset(of name: String) -> Int {
        SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(0) { $0 << 8 | Int($1) & 0xFF } & (1 << 62 - 1)
    }
}

/// The locks on a store in memory.
final class InMemoryLocks: Sendable {
    let names = Mutex<Set<String>>([])
}
