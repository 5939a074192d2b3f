internal import AuthModel
internal import Synchronization

/// The observers of the agent's events.
final class EventObservers: Sendable {
    /// Sends events to one observer.
    typealias Continuation = AsyncStream<SessionServiceEvent>.Continuation

    private struct Watcher {
        var continuation: Continuation
        var wantsActivity: Bool
    }

    private struct State {
        var watchers: [Int: Watcher] = [:]
        var next = 0
    }

    private let state = Mutex(State())

    /// Whether there is no observer.
    var isEmpty: Bool { state.withLock { $0.watchers.isEmpty } }

    /// Whether an observer wants to know of each use of a token.
    var wantActivity: Bool { state.withLock { $0.watchers.values.contains { $0.wantsActivity } } }

    /// Adds an observer and returns its number.
    func add(_ observer: Continuation, withActivity: Bool = true) -> Int {
        state.withLock { state in
            let id = state.next
            state.next += 1
            state.watchers[id] = Watcher(continuation: observer, wantsActivity: withActivity)
            return id
        }
    }

    /// Removes an observer.
    func remove(_ id: Int) { state.withLock { $0.watchers[id] = nil } }

    /// Reports an event to all observers.
    func announce(_ event: SessionServiceEvent) {
        // Under the lock, so that all observers get the events in the same order.
        state.withLock { state in
            for watcher in state.watchers.values {
                if case .activity = event, !watcher.wantsActivity { continue }
                watcher.continuation.yield(event)
            }
        }
    }

    /// Ends all streams.
    func finish() {
        let watchers = state.withLock { state in
            defer { state.watchers.removeAll() }
            return state.watchers
        }
        for watcher in watchers.values { watcher.continuation.finish() }
    }
}
