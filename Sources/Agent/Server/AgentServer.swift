package import AuthModel
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import OperatingSystem

/// Serves a session service on the agent's socket: HTTP/1.1 and JSON, with events as server-sent events.
///
/// It only answers processes of the same user, as the kernel reports them. Slow, incomplete, oversize and abandoned requests affect only
/// their own connection.
public final class AgentServer: Sendable {
    private let seat: AgentLock
    private let channel: any Channel
    private let connections: Connections

    /// Starts the server.
    ///
    /// - Parameters:
    ///   - runCommand: runs the launcher's commands; `nil` if the full program has to run them all.
    ///   - stop: called when a caller asks the agent to end.
    package static func start(
        _ seat: AgentLock, service: any SessionService, facts: AgentFacts, log: ActivityLog, time: any TimeSource,
        runCommand: LauncherCommand.Runner? = nil, stop: @escaping @Sendable () -> Void
    ) async throws(AuthFailure) -> AgentServer {
        // Drop code from memory when the agent becomes idle, but not after every request: loading it again takes time.
        let release = RarelyRepeated(every: .seconds(60), by: time) { ProcessMemory.releaseCode() }
        return try await start(
            seat, service: AgentService(service: service, facts: facts, log: log, time: time, runCommand: runCommand, stop: stop),
            limits: .fitting(), whenUnused: release.callAsFunction)
    }

    static func start(
        _ seat: AgentLock, service: AgentService, limits: ServerLimits, user: uid_t = geteuid(),
        whenUnused: @escaping @Sendable () -> Void = {}
    ) async throws(AuthFailure) -> AgentServer {
        let connections = Connections(limit: limits.connections, whenUnused: whenUnused)
        do {
            // NIO closes the descriptor that it gets, so pass a duplicate.
            let descriptor = fcntl(seat.listener, F_DUPFD_CLOEXEC, 3)
            let channel = try await serve(descriptor, service: service, limits: limits, user: user, connections: connections)
            return AgentServer(seat: seat, channel: channel, connections: connections)
        } catch {
            seat.removeSocket()
            seat.leave()
            throw AuthFailure(.configuration, "socket.cannot_listen")
        }
    }

    /// Accepts and serves connections at a listening socket.
    ///
    /// - Parameters:
    ///   - listener: the socket, which is closed with the channel.
    ///   - user: the only user whose connections are accepted.
    static func serve(
        _ listener: Int32, service: any RequestAnswering, limits: ServerLimits, user: uid_t, connections: Connections
    ) async throws -> any Channel {
        // One thread accepts and serves all connections. They are accepted in the order of their arrival, so under load the latest one is
        // not closed first. It also avoids a crash: two threads that create the pipeline's types at the same time can crash the Swift
        // runtime (Swift 6.3, in the conformance check of an incomplete class).
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelInitializer { $0.pipeline.addHandler(DescriptorWatch(connections)) }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: limits.backlog / 2, high: limits.backlog))
            // A request fits in one read, so another read would find nothing.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelInitializer { channel in
                connections.add(channel)
                return PeerCredentials.read(channel).flatMapThrowing { peer in
                    // Close a connection of another user without an answer.
                    guard peer.user == user else { throw ChannelError.inappropriateOperationForState }
                    try channel.pipeline.syncOperations.addHandlers([
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        ConnectionHandler(
                            service: service, limits: limits, connections: connections,
                            caller: Caller(process: peer.process, user: peer.user), channel: channel),
                    ])
                }
            }
        return try await bootstrap.withBoundSocket(listener).get()
    }

    private init(seat: AgentLock, channel: any Channel, connections: Connections) {
        self.seat = seat
        self.channel = channel
        self.connections = connections
    }

    /// The number of open connections.
    var connectionCount: Int { connections.count }

    /// Whether a request is being answered, or events are being sent.
    var isBusy: Bool { connections.isBusy }

    /// Stops the server: accepts no new connection, closes the open ones, removes the socket and releases the lock.
    public func stop() async {
        // Remove the socket first: a client that connects now starts another agent, which waits for the lock.
        seat.removeSocket()
        await closeConnections()
        seat.leave()
    }

    /// Stops the server, but keeps the socket, in whose queue new clients wait, and the lock.
    func closeConnections() async {
        try? await channel.close()
        await connections.close()
    }
}
