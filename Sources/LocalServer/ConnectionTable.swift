package import NIOCore
import Synchronization

/// The open connections of a server: limits their number, and closes them at the end.
///
/// A connection is idle between its requests. The one that has been idle for longest makes room for a new one, so a client that opens many
/// connections does not keep others out.
package final class ConnectionTable: Sendable {
    private enum Phase {
        case idle
        case answering
        /// Events, or bytes in both directions, until the other side disconnects or the stream ends.
        case streaming

        /// The time that the connection gets when the server stops.
        var grace: TimeAmount {
            switch self {
            case .idle: .zero
            case .answering: .seconds(5)
            case .streaming: .seconds(1)
            }
        }
    }

    private struct Entry {
        let channel: any Channel
        let end: @Sendable () -> Void
        var phase = Phase.idle
        /// Increases with each connection that becomes idle: the smallest has been idle for longest.
        var since: Int
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var limit: Int
        var clock = 0
        var isClosed = false
        /// Waits until there is room for another connection.
        var waiting: CheckedContinuation<Void, Never>?

        var isFull: Bool { entries.count >= limit }

        mutating func tick() -> Int {
            clock += 1
            return clock
        }

        /// Removes the connection that has been idle for longest, so that the next call finds another one.
        mutating func removeLongestIdle() -> Entry? { removeOldest { $0.phase == .idle } }

        mutating func removeOldest(where isCandidate: (Entry) -> Bool) -> Entry? {
            var oldest: (key: ObjectIdentifier, since: Int)?
            for (key, entry) in entries where isCandidate(entry) && entry.since < oldest?.since ?? .max { oldest = (key, entry.since) }
            guard let oldest else { return nil }
            return entries.removeValue(forKey: oldest.key)
        }

        mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
            defer { waiting = nil }
            return waiting
        }
    }

    private let state: Mutex<State>
    private let whenUnused: @Sendable () -> Void

    /// - Parameters:
    ///   - limit: the maximum number of connections.
    ///   - whenUnused: called when the last connection has closed.
    package init(limit: Int, whenUnused: @escaping @Sendable () -> Void = {}) {
        state = Mutex(State(limit: limit))
        self.whenUnused = whenUnused
    }

    /// Whether a request is being answered, or events are being sent, on any connection.
    package var isBusy: Bool { state.withLock { $0.entries.values.contains { $0.phase != .idle } } }

    /// Adds a connection and removes it when it closes. Over the limit, ends the connection that has been idle for longest, or the oldest
    /// one if all are busy.
    ///
    /// - Parameter end: ends the connection and the work for it. Default: closes the channel.
    package func add(_ channel: any Channel, end: (@Sendable () -> Void)? = nil) {
        let entry = { (since: Int) in Entry(channel: channel, end: end ?? { channel.close(promise: nil) }, since: since) }
        let surplus: Entry? = state.withLock { state in
            guard !state.isClosed else { return entry(0) }
            let now = state.tick()
            state.entries[ObjectIdentifier(channel)] = entry(now)
            return state.entries.count > state.limit ? state.removeLongestIdle() ?? state.removeOldest { _ in true } : nil
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
        surplus?.end()
    }

    /// Waits until there is room for another connection. Ends the connection that has been idle for longest; if none is idle, waits until
    /// one becomes idle or closes. Only one task may wait.
    package func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let idle: Entry? = state.withLock { state in
                    guard state.isFull, !Task.isCancelled else {
                        continuation.resume()
                        return nil
                    }
                    guard let idle = state.removeLongestIdle() else {
                        state.waiting = continuation
                        return nil
                    }
                    continuation.resume()
                    return idle
                }
                idle?.end()
            }
        } onCancel: {
            state.withLock { $0.takeWaiting() }?.resume()
        }
    }

    /// Marks a connection as busy: its request is being answered, or it streams. Returns false if the connection has ended or must end.
    @discardableResult package func begin(_ channel: any Channel, streaming: Bool = false) -> Bool {
        state.withLock { state in
            state.entries[ObjectIdentifier(channel)]?.phase = streaming ? .streaming : .answering
            return state.entries[ObjectIdentifier(channel)] != nil
        }
    }

    /// Marks a connection as idle after its answer. Returns whether it may wait for another request.
    package func markIdle(_ channel: any Channel) -> Bool {
        state.withLock { state in
            let now = state.tick()
            state.entries[ObjectIdentifier(channel)]?.phase = .idle
            state.entries[ObjectIdentifier(channel)]?.since = now
            return !state.isClosed && !(state.waiting != nil && state.isFull)
        }
    }

    /// Reduces the limit to half of the open connections, after no descriptor was left for a new one, so that the work has descriptors.
    /// Ends the connections that have been idle for longest.
    func reduceLimit() {
        let surplus = state.withLock { state in
            state.limit = max(1, min(state.limit, state.entries.count / 2))
            return (0..<max(0, state.entries.count - state.limit)).compactMap { _ in state.removeLongestIdle() }
        }
        for entry in surplus { entry.end() }
    }

    /// Ends all connections at once, with the requests that are being answered. New ones are accepted.
    package func endAll() {
        for entry in state.withLock({ Array($0.entries.values) }) { entry.end() }
    }

    /// Refuses new connections and closes the open ones: idle ones at once, the others when their answer is sent or their grace time is
    /// over.
    package func close() async {
        for channel in refuseNewConnections() { try? await channel.closeFuture.get() }
    }

    /// Does what ``close()`` does, without waiting. Returns the open connections.
    @discardableResult func refuseNewConnections() -> [any Channel] {
        let entries = state.withLock { state in
            state.isClosed = true
            return Array(state.entries.values)
        }
        for entry in entries { entry.channel.eventLoop.scheduleTask(in: entry.phase.grace) { entry.end() } }
        return entries.map(\.channel)
    }

    private func remove(_ channel: any Channel) {
        let (isUnused, waiting) = state.withLock { state in
            state.entries[ObjectIdentifier(channel)] = nil
            // A connection that made room for another one is no longer in the table, so its end makes no room.
            return (state.entries.isEmpty, state.isFull ? nil : state.takeWaiting())
        }
        if isUnused { whenUnused() }
        waiting?.resume()
    }
}
