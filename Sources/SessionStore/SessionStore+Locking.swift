public import AuthModel
import Glibc
import Synchronization

extension SessionStore {
    /// Waits for the lock on a session, which one task of one process holds at a time. It is for renewals, and independent of the lock that
    /// makes each store call atomic.
    ///
    /// Throws ``StoreError/Kind/busy`` if `deadline`, on ``TimeSource/bootTime``, passes first, and ``StoreError/Kind/cancelled`` if the
    /// task is cancelled.
    public func lock(_ name: SessionName, until deadline: Duration) async throws(StoreError) -> SessionLock {
        let lock = try await takeLock("session \(name)", until: deadline)
        let pass: StoreAccess? = try state.withLock { state throws(StoreError) in
            guard !state.isRetired else { throw StoreError(.cancelled) }
            state.held += 1
            guard let keys = state.keys, let database = state.database else { return nil }
            return StoreAccess(keys: keys, database: database)
        }
        return SessionLock(pass: pass) { [self] in
            lock.release()
            releaseLock()
        }
    }

    private func releaseLock() {
        let waiting = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.held -= 1
            guard state.held == 0 else { return [] }
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiting { waiter.resume() }
    }

    /// Waits until this process holds no lock on a session.
    public func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if state.held > 0 { state.waiting.append(continuation) }
                return state.held == 0
            }
            if isSettled { continuation.resume() }
        }
    }

    /// Waits like ``settle()``, and refuses new locks on sessions from now on: for a process that is about to end.
    public func retire() async {
        state.withLock { $0.isRetired = true }
        await settle()
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
    func takeLock(_ name: String, until deadline: Duration) async throws(StoreError) -> SessionLock {
        var pause = Duration.milliseconds(2)
        while true {
            if Task.isCancelled { throw StoreError(.cancelled) }
            if let lock = try locks.take(name) { return lock }
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
