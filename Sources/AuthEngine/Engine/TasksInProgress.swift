import AuthModel
import Synchronization

/// Operations in progress by key, so that concurrent callers share one task and its result.
final class TasksInProgress<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// An operation. It removes itself when its result is final.
    typealias Running = Task<Result<Value, AuthFailure>, Never>

    private let tasks = Mutex<[Key: Running]>([:])

    /// Returns the task for `key`; `nil` if there is none.
    subscript(key: Key) -> Running? { tasks.withLock { $0[key] } }

    /// Joins the task for `key`, or starts one. The check and the start are one atomic step.
    ///
    /// - Parameter start: starts the task; called at most once. The task must end with ``remove(_:)``.
    /// - Returns: the task, and whether this call started it.
    func join(_ key: Key, orStart start: () -> Running) -> (task: Running, isNew: Bool) {
        tasks.withLock { tasks in
            if let running = tasks[key] { return (running, false) }
            let task = start()
            tasks[key] = task
            return (task, true)
        }
    }

    /// Removes the task for `key`, which has its result. Later callers start a new one.
    func remove(_ key: Key) { tasks.withLock { $0[key] = nil } }

    /// Reads what the tasks change, again if one ended meanwhile: what was read may be from before its end, when it seems to be from after it.
    func whileNoneEnds<Read, Failure: Error>(_ read: () async throws(Failure) -> Read) async throws(Failure) -> Read {
        while true {
            let running = tasks.withLock { Set($0.keys) }
            let result = try await read()
            if tasks.withLock({ tasks in running.allSatisfy { tasks[$0] != nil } }) { return result }
        }
    }
}
