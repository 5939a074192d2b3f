package import Glibc
package import NIOCore
import NIOPosix

/// Accepts connections at listening sockets, and closes them all at the end.
///
/// One thread accepts and serves all connections of a server. They are accepted in the order of their arrival, so under load the latest one
/// is not closed first. It also avoids a crash: two threads that create the pipeline's types at the same time can crash the Swift runtime
/// (Swift 6.3, in the conformance check of an incomplete class).
package final class SocketServer: Sendable {
    /// The open connections.
    package let connections: ConnectionTable
    private let channels: [any Channel]
    /// The port that the channels accept at; `nil` for a Unix socket.
    private let binding: LoopbackBinding?
    private let file: SocketFile?

    private init(
        _ channels: [any Channel], _ connections: ConnectionTable, binding: LoopbackBinding? = nil, file: SocketFile? = nil
    ) {
        self.channels = channels
        self.connections = connections
        self.binding = binding
        self.file = file
    }

    deinit {
        for channel in channels { channel.close(promise: nil) }
        connections.refuseNewConnections()
    }

    /// Serves a Unix socket. A connection of another user is closed without an answer.
    ///
    /// - Parameters:
    ///   - listener: the socket, which is closed with the server.
    ///   - file: the file of the socket, if it is removed with the server.
    ///   - user: the only user whose connections are accepted.
    ///   - backlog: the number of unsent bytes from which on a channel is not writable.
    ///   - handlers: returns the handlers of a connection, on its event loop.
    package static func start(
        _ listener: Int32, file: SocketFile? = nil, user: uid_t = geteuid(), connections: ConnectionTable, backlog: Int,
        handlers: @escaping @Sendable (any Channel, PeerCredentials) -> [any ChannelHandler]
    ) async throws -> SocketServer {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelInitializer { $0.pipeline.addHandler(DescriptorWatch(connections)) }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: backlog / 2, high: backlog))
            // A request fits in one read, so another read would find nothing.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return PeerCredentials.read(channel).flatMapThrowing { peer in
                    guard peer.user == user else { throw ChannelError.inappropriateOperationForState }
                    try channel.pipeline.syncOperations.addHandlers(handlers(channel, peer))
                }
            }
        do {
            return SocketServer([try await bootstrap.withBoundSocket(listener).get()], connections, file: file)
        } catch {
            file?.remove()
            throw error
        }
    }

    /// Serves a loopback port. The sockets of the binding are closed with the server.
    ///
    /// - Parameter handlers: returns the handlers of a connection, on its event loop.
    package static func start(
        _ binding: LoopbackBinding, connections: ConnectionTable,
        handlers: @escaping @Sendable (any Channel) -> [any ChannelHandler]
    ) async throws(LoopbackBinding.Failure) -> SocketServer {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .childChannelInitializer { channel in
                connections.add(channel)
                return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandlers(handlers(channel)) }
            }
        var channels: [any Channel] = []
        for (index, socket) in binding.sockets.enumerated() {
            do {
                channels.append(try await bootstrap.withBoundSocket(socket).get())
            } catch {
                for unused in binding.sockets[(index + 1)...] { LoopbackBinding.close(unused) }
                for channel in channels { channel.close(promise: nil) }
                throw .noEventLoop
            }
        }
        return SocketServer(channels, connections, binding: binding)
    }

    /// Accepts no new connection, removes the socket's file and closes the open connections: idle ones at once, the others when their
    /// answer is sent or their grace time is over.
    package func close() async {
        file?.remove()
        for (index, channel) in channels.enumerated() {
            let socket = binding?.sockets[index]
            let closing = channel.eventLoop.flatSubmit {
                // On its loop: a closed channel has given the number of its socket back.
                if let socket, channel.isActive { LoopbackBinding.stopListening(socket) }
                return channel.close()
            }
            try? await closing.get()
        }
        await connections.close()
    }
}

/// Closes idle connections when there is no descriptor for a new one; otherwise they would block new connections until they time out.
private final class DescriptorWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    private let connections: ConnectionTable

    init(_ connections: ConnectionTable) { self.connections = connections }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The limit of this process, or of the machine.
        if let error = error as? IOError, [EMFILE, ENFILE].contains(error.errnoCode) { connections.reduceLimit() }
        context.fireErrorCaught(error)
    }
}

/// Runs a task on the thread of an event loop.
///
/// A short answer needs no change of threads, which would take longer than the answer. Long computations and blocking calls must not run on
/// it, because the loop's connections would wait.
package final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
