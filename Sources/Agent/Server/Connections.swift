import NIOCore
import Synchronization

/// The open connections of the server.
final class Connections: Sendable {
    private struct Entry {
        var channel: any Channel
        /// Counts up with every connection that falls idle: the smallest has been idle for longest. `nil`: a request is being answered.
        var idleSince: Int?
    }

    private struct State {
        var entries: [ObjectIdentifier: Entry] = [:]
        var clock = 0
        var isClosed = false
    }

    private let state = Mutex(State())
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var count: Int { state.withLock { $0.entries.count } }

    /// Takes a connection in; it leaves by itself when it closes.
    func add(_ channel: any Channel) {
        let surplus: (any Channel)? = state.withLock { state in
            guard !state.isClosed else { return channel }
            state.clock += 1
            state.entries[ObjectIdentifier(channel)] = Entry(channel: channel, idleSince: state.clock)
            guard state.entries.count > limit,
                let oldest = state.entries.min(by: { ($0.value.idleSince ?? .max) < ($1.value.idleSince ?? .max) })?.key
            else { return nil }
            // Out of the table at once, so that the next one chooses another.
            return state.entries.removeValue(forKey: oldest)?.channel
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.remove(channel) }
        surplus?.close(promise: nil)
    }

    /// Notes that a request of the connection is being answered, or that its answer is sent.
    func mark(_ channel: any Channel, isAnswering: Bool) {
        state.withLock { state in
            state.clock += 1
            state.entries[ObjectIdentifier(channel)]?.idleSince = isAnswering ? nil : state.clock
        }
    }

    /// Closes all of them and refuses new ones.
    func close() async {
        let channels = state.withLock { state in
            state.isClosed = true
            return state.entries.values.map(\.channel)
        }
        for channel in channels { channel.close(promise: nil) }
        for channel in channels { try? await channel.closeFuture.get() }
    }

    private func remove(_ channel: any Channel) {
        state.withLock { state in state.entries[ObjectIdentifier(channel)] = nil }
    }
}
