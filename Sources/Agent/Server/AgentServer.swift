public import AuthModel
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix

/// Serves a session service on the agent's socket: HTTP/1.1 and JSON, events as server-sent events.
///
/// Only processes of the same user are listened to, as the kernel tells. Slow, half-sent, oversize and abandoned requests cost their own
/// connection and nothing else.
public final class AgentServer: Sendable {
    private let seat: AgentLock
    private let channel: any Channel
    private let connections: Connections

    /// Begins to serve.
    ///
    /// - Parameter stop: called when a caller asks the agent to end.
    public static func start(
        _ seat: AgentLock, service: any SessionService, facts: AgentFacts, log: ActivityLog, time: any TimeSource,
        stop: @escaping @Sendable () -> Void
    ) async throws(AuthFailure) -> AgentServer {
        try await start(
            seat, service: AgentService(service: service, facts: facts, log: log, time: time, stop: stop), limits: .fitting())
    }

    static func start(
        _ seat: AgentLock, service: AgentService, limits: ServerLimits, user: uid_t = geteuid()
    ) async throws(AuthFailure) -> AgentServer {
        let connections = Connections(limit: limits.connections)
        // One thread. Connections are taken in by the order of their arrival, so that in a crowd the last one is not the first to be let
        // go; and the first two never meet in the runtime while it makes the types of the pipeline, which it does not survive each time
        // (Swift 6.3, in the check of a class's conformance before the class is complete).
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelInitializer { $0.pipeline.addHandler(DescriptorWatch(connections)) }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: limits.backlog / 2, high: limits.backlog))
            .childChannelInitializer { channel in
                connections.add(channel)
                return PeerCredentials.read(channel).flatMapThrowing { peer in
                    // Nothing is said to a stranger, not even why.
                    guard peer.user == user else { throw ChannelError.inappropriateOperationForState }
                    try channel.pipeline.syncOperations.addHandlers([
                        HTTPResponseEncoder(),
                        ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                        ConnectionHandler(
                            service: service, limits: limits, connections: connections,
                            caller: Caller(process: peer.process, user: peer.user)),
                    ])
                }
            }
        do {
            // NIO closes the descriptor it is given, and the seat keeps its own.
            let descriptor = fcntl(seat.listener, F_DUPFD_CLOEXEC, 3)
            let channel = try await bootstrap.withBoundSocket(descriptor).get()
            return AgentServer(seat: seat, channel: channel, connections: connections)
        } catch {
            seat.removeSocket()
            seat.leave()
            throw AuthFailure(.configuration, "cannot serve on the agent's socket")
        }
    }

    private init(seat: AgentLock, channel: any Channel, connections: Connections) {
        self.seat = seat
        self.channel = channel
        self.connections = connections
    }

    /// How many connections are open.
    var connectionCount: Int { connections.count }

    /// Ends: no new connection, the open ones closed, the socket removed, the seat given up.
    public func stop() async {
        // The socket goes first: whoever comes now starts another agent, which waits for the seat.
        seat.removeSocket()
        try? await channel.close()
        await connections.close()
        seat.leave()
    }
}
