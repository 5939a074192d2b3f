import HummingbirdCore
import NIOCore
import Synchronization

/// A running server that can be stopped without a crash.
///
/// Cancelling the server's task drops connections that are accepted but not yet handled, which NIO treats as a bug. So stopping first
/// closes the port, then the connections with responses under way, and cancels only what does not end by itself.
final class ServerRun: Sendable {
    private let server: Server<TLSChannel>
    private let front: HTTPFront
    private let loop: any EventLoop
    private let task: Task<Void, Never>

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - loop: the server's event loop.
    ///   - ended: called when the server has stopped, with the error if it failed.
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

    /// Waits until the server has stopped.
    func ended() async { await task.value }

    /// Stops the server. When this returns, the port is free.
    func stop() async {
        let closing = Task { try? await server.shutdownGracefully() }
        front.closeConnections()
        // A client that sent half a request could keep its connection open without limit.
        let limit = loop.scheduleTask(in: .seconds(2)) { [task] in task.cancel() }
        await task.value
        limit.cancel()
        await closing.value
    }
}
