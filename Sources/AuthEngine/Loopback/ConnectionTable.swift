import NIOCore
import Synchronization

/// The open connections of a listener.
final class ConnectionTable: Sendable {
    private struct Entry {
        var channel: any Channel
        /// Whether its page is being judged or written, so that it is worth waiting for.
        var isAnswering = false
    }

    private struct State {
        /// Oldest first.
        var entries: [Entry] = []
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes a connection in; it leaves by itself when it closes.
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

    /// From now on the connection is waited for when the listener closes.
    func markAnswering(_ channel: any Channel) {
        state.withLock { state in
            for index in state.entries.indices where state.entries[index].channel === channel { state.entries[index].isAnswering = true }
        }
    }

    /// Closes all connections: idle ones at once, those with a page under way when it is sent or its time is over.
    func close() async {
        for channel in shut() { try? await channel.closeFuture.get() }
    }

    /// Closes idle connections and refuses new ones; returns those that are not closed yet.
    @discardableResult
    func shut() -> [any Channel] {
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
