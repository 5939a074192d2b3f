public import AuthModel
import Glibc

extension SessionStore {
    /// Waits for the lock on a session: one task of one process has it at a time. It is for renewals, and independent of the lock that
    /// makes each store call one step.
    ///
    /// Throws ``StoreError/Kind/busy`` when `deadline`, on ``TimeSource/bootTime``, passes first, and ``StoreError/Kind/cancelled``
    /// when the task is cancelled.
    public func lock(_ name: SessionName, until deadline: Duration) async throws(StoreError) -> SessionLock {
        try await takeLock("session \(name)", until: deadline)
    }

    /// Runs `body` under the lock on a session; what it throws is passed on.
    public func withLock<Result>(
        _ name: SessionName, until deadline: Duration, isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> Result
    ) async throws -> Result {
        let lock = try await lock(name, until: deadline)
        defer { lock.release() }
        return try await body()
    }

    /// The kernel tells nobody in a pollable way that a lock became free, so waiting is asking again, ever less often up to 50 ms.
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
