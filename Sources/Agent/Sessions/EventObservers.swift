import AuthModel
import Synchronization

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
    /// Held while an event is sent, so that all observers get the events in the same order. Never while an observer is removed: that
    /// happens under a lock of its task, which sending to that task needs too.
    private let sending = Mutex(())

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
        sending.withLock { _ in
            for watcher in state.withLock({ Array($0.watchers.values) }) {
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

/// Tells one reader in the agent that something changed. Does not count as an observer.
final class ChangeSignal: Sendable {
    private let continuation = Mutex<AsyncStream<Void>.Continuation?>(nil)

    /// Returns the changes from now on; those in a row count as one.
    func stream() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.continuation.withLock { $0 = continuation }
        return stream
    }

    /// Reports a change.
    func send() { continuation.withLock { _ = $0?.yield() } }
}
