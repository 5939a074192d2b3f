import NIOCore
import Synchronization

/// The open connections of a listener.
final class ConnectionTable: Sendable {
    private struct Entry {
        var channel: any Channel
        /// Whether its request is being validated or its page is being sent, so that closing waits for it.
        var isAnswering = false
    }

    private struct State {
        /// The connections, oldest first.
        var entries: [Entry] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a connection and removes it when it closes. Over the limit, closes the oldest connection, preferring one that is not answering.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = state.withLock { state in
            guard !state.isClosed else { return channel }
            state.entries.append(Entry(channel: channel))
            guard state.entries.count > limit else { return nil }
            return (state.entries.first { !$0.isAnswering } ?? state.entries.first)?.channel
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
        surplus?.close(promise: nil)
    }

    /// Marks the connection as answering: closing the listener waits for it.
    func markBusy(_ channel: any Channel) {
        state.withLock { state in
            for index in state.entries.indices where state.entries[index].channel === channel { state.entries[index].isAnswering = true }
        }
    }

    /// Closes all connections: idle ones at once, those that are answering when the page is sent or its time limit passes.
    func close() async {
        for channel in refuseNewConnections() { try? await channel.closeFuture.get() }
    }

    /// Closes idle connections and refuses new ones. Returns the open connections.
    @discardableResult
    func refuseNewConnections() -> [any Channel] {
        let entries = state.withLock { state in
            state.isClosed = true
            return state.entries.map { ($0.channel, $0.isAnswering) }
        }
        for (channel, isAnswering) in entries where !isAnswering { channel.close(promise: nil) }
        return entries.map(\.0)
    }

    private func remove(_ channel: any Channel) {
        state.withLock { state in state.entries.removeAll { $0.channel === channel } }
    }
}
