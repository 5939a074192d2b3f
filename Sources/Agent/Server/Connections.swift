import NIOCore
import Synchronization

/// The open connections of the server.
final class Connections: Sendable {
    private struct Entry {
        var channel: any Channel
        var phase: Phase
    }

    /// What a connection is at.
    enum Phase {
        /// Between requests. The number counts up with every connection that falls idle: the smallest has been idle for longest.
        case idle(since: Int)
        case answering
        /// Events are sent until somebody has enough.
        case streaming

        fileprivate var idleSince: Int {
            if case .idle(let since) = self { since } else { .max }
        }

        /// What is left to it when the server ends.
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

        /// Takes the connection that has been idle for longest out, so that the next one who looks finds another.
        mutating func removeIdlest() -> (any Channel)? {
            guard let idlest = entries.min(by: { $0.value.phase.idleSince < $1.value.phase.idleSince })?.key else { return nil }
            return entries.removeValue(forKey: idlest)?.channel
        }
    }

    private let state: Mutex<State>

    init(limit: Int) { state = Mutex(State(limit: limit)) }

    var count: Int { state.withLock { $0.entries.count } }

    /// Takes a connection in; it leaves by itself when it closes.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = state.withLock { state in
            guard !state.isClosed else { return channel }
            state.clock += 1
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, phase: .idle(since: state.clock))
            return state.entries.count > state.limit ? state.removeIdlest() : nil
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
        surplus?.close(promise: nil)
    }

    /// Notes that there was no descriptor for one more. From now on half as many are taken in, so that the others are left for the work;
    /// who has been idle for longest is let go.
    func shed() {
        let surplus = state.withLock { state in
            state.limit = max(1, min(state.limit, state.entries.count / 2))
            let count = min(state.entries.count - state.limit, state.entries.values.filter { $0.phase.idleSince < .max }.count)
            return (0..<max(0, count)).compactMap { _ in state.removeIdlest() }
        }
        for channel in surplus { channel.close(promise: nil) }
    }

    /// Notes that a connection's request is being answered, by an answer or by a stream.
    func begin(_ channel: any Channel, streaming: Bool = false) {
        state.withLock { $0.entries[ObjectIdentifier(channel)]?.phase = streaming ? .streaming : .answering }
    }

    /// Notes that a connection's answer is sent; whether it may wait for another request.
    func fallIdle(_ channel: any Channel) -> Bool {
        state.withLock { state in
            state.clock += 1
            state.entries[ObjectIdentifier(channel)]?.phase = .idle(since: state.clock)
            return !state.isClosed
        }
    }

    /// Refuses new connections and closes those that are open: idle ones at once, the others when their answer is sent, or their grace is
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
        state.withLock { state in state.entries[ObjectIdentifier(channel)] = nil }
    }
}
