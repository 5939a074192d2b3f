internal import NIOCore
internal import Synchronization

/// The connections with a response under way.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// Adds a connection; closes it if the server is stopping.
    func enter(_ channel: any Channel) {
        let isClosing = state.withLock { state in
            state.channels[ObjectIdentifier(channel)] = channel
            return state.isClosing
        }
        if isClosing { channel.close(promise: nil) }
    }

    func leave(_ channel: any Channel) {
        state.withLock { _ = $0.channels.removeValue(forKey: ObjectIdentifier(channel)) }
    }

    /// Closes all connections, and those that are added later.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
