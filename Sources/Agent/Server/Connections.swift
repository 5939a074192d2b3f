import NIOCore
import Synchronization

/// The open connections of the server.
final class Connections: Sendable {
    private struct Entry {
        var channel: any Channel
        var phase: Phase
    }

    /// The state of a connection.
    enum Phase {
        /// Between requests. The number increases with each connection that becomes idle: the smallest has been idle for longest.
        case idle(since: Int)
        case answering
        /// Events are sent until the reader disconnects or the stream ends.
        case streaming

        fileprivate var idleSince: Int {
            if case .idle(let since) = self { since } else { .max }
        }

        /// The time that the connection gets when the server stops.
        fileprivate var grace: TimeAmount {
            switch self {
            case .idle: .zero
            case .answering: .seconds(5)
            case .streaming: .seconds(1)
            }
        }
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var limit: Int
        var clock = 0
        var isClosed = false

        /// Removes the connection that has been idle for longest, so that the next call finds another one.
        mutating func removeLongestIdle() -> (any Channel)? {
            guard let idlest = entries.min(by: { $0.value.phase.idleSince < $1.value.phase.idleSince })?.key else { return nil }
            return entries.removeValue(forKey: idlest)?.channel
        }
    }

    private let state: Mutex<State>
    private let whenUnused: @Sendable () -> Void

    /// - Parameter whenUnused: called when the last connection has closed.
    init(limit: Int, whenUnused: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(limit: limit))
        self.whenUnused = whenUnused
    }

    var count: Int { state.withLock { $0.entries.count } }

    /// Whether a request is being answered, or events are being sent, on any connection.
    var isBusy: Bool { state.withLock { $0.entries.values.contains { $0.phase.idleSince == .max } } }

    /// Adds a connection and removes it when it closes. Over the limit, closes the connection that has been idle for longest.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = state.withLock { state in
            guard !state.isClosed else { return channel }
            state.clock += 1
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, phase: .idle(since: state.clock))
            return state.entries.count > state.limit ? state.removeLongestIdle() : nil
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
        surplus?.close(promise: nil)
    }

    /// Reduces the limit to half of the open connections, after no descriptor was left for a new one, so that the work has descriptors.
    /// Closes the connections that have been idle for longest.
    func reduceLimit() {
        let surplus = state.withLock { state in
            state.limit = max(1, min(state.limit, state.entries.count / 2))
            let count = min(state.entries.count - state.limit, state.entries.values.filter { $0.phase.idleSince < .max }.count)
            return (0..<max(0, count)).compactMap { _ in state.removeLongestIdle() }
        }
        for channel in surplus { channel.close(promise: nil) }
    }

    /// Marks a connection as busy: its request is being answered, or it streams events.
    func begin(_ channel: any Channel, streaming: Bool = false) {
        state.withLock { $0.entries[ObjectIdentifier(channel)]?.phase = streaming ? .streaming : .answering }
    }

    /// Marks a connection as idle after its answer. Returns whether it may wait for another request.
    func markIdle(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.clock += 1
            state.entries[ObjectIdentifier(channel)]?.phase = .idle(since: state.clock)
            return !state.isClosed
        }
    }

    /// Refuses new connections and closes the open ones: idle ones at once, the others when their answer is sent or their grace time is
    /// over.
    func close() async {
        let entries = state.withLock { state in
            state.isClosed = true
            return Array(state.entries.values)
        }
        for entry in entries {
            let channel = entry.channel
            channel.eventLoop.scheduleTask(in: entry.phase.grace) { channel.close(promise: nil) }
        }
        for entry in entries { try? await entry.channel.closeFuture.get() }
    }

    private func remove(_ channel: any Channel) {
        let isUnused = state.withLock { state in
            state.entries[ObjectIdentifier(channel)] = nil
            return state.entries.isEmpty
        }
        if isUnused { whenUnused() }
    }
}
