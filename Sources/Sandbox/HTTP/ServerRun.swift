import HummingbirdCore
import NIOCore
import Synchronization

/// A server that runs, and the way to end it without a crash.
///
/// Cancelling its task alone drops connections that were accepted and not yet handled, which NIO takes for a bug. So the port is closed
/// first, what is being answered is cut off, and only what will not end by itself is cancelled.
final class ServerRun: Sendable {
    private let server: Server<TLSChannel>
    private let front: HTTPFront
    private let loop: any EventLoop
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - loop: the one that the server works on.
    ///   - ended: called when the server's run is over, with the reason where it failed.
    init(server: Server<TLSChannel>, front: HTTPFront, loop: any EventLoop, ended: @escaping @Sendable ((any Error)?) -> Void) {
        self.server = server
        self.front = front
        self.loop = loop
        task = Task {
            do {
                try await server.run()
                ended(nil)
            } catch {
                ended(error)
            }
        }
    }

    /// Waits until it is over.
    func ended() async { await task.value }

    /// Ends it. When this returns, the port is free.
    func stop() async {
        let closing = Task { try? await server.shutdownGracefully() }
        front.closeConnections()
        // A client that sent half a request keeps its connection open for as long as it likes.
        let limit = loop.scheduleTask(in: .seconds(2)) { [task] in task.cancel() }
        await task.value
        limit.cancel()
        await closing.value
    }
}

/// The connections on which something is being answered.
final class OpenConnections: Sendable {
    private struct State {
        var channels: [ObjectIdentifier: any Channel] = [:]
        var isClosing = false
    }

    private let state = Mutex(State())

    /// Notes a connection; one that comes after the closing is closed.
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

    /// Closes them all, and those that come later.
    func closeAll() {
        let channels = state.withLock { state in
            state.isClosing = true
            return Array(state.channels.values)
        }
        for channel in channels { channel.close(promise: nil) }
    }
}
