import AuthModel
import Glibc
import NIOCore
import NIOPosix

/// The socket for oidc-agent's clients: there while the configuration wants it.
actor OIDCAgentSocket {
    private let path: String
    private let limits: ServerLimits
    private let service: OIDCAgentService
    private let warn: @Sendable (AuthFailure) -> Void
    private var open: (channel: any Channel, file: BoundSocket, connections: Connections)?

    /// Maximum number of connections. Each is for one request.
    static let connectionLimit = 128

    /// - Parameter warn: called with the reason if there is no socket, or if its clients cannot be answered.
    init(
        at place: AgentLocation, service: OIDCAgentService, limits: ServerLimits = .fitting(),
        warn: @escaping @Sendable (AuthFailure) -> Void = { _ in }
    ) {
        path = place.oidcAgentSocket
        self.service = service
        self.warn = warn
        self.limits = limits
    }

    /// Opens the socket while the setting is on, and removes it at the end of the task.
    func follow(_ setting: OIDCAgentSetting) async {
        for await _ in setting.changes {
            if setting.isOn { await start() } else { await close() }
        }
        await close()
    }

    /// Opens the socket. A failure is not an error of the agent: its own socket works.
    private func start() async {
        guard open == nil else { return }
        do {
            let listener = try AgentLock.listen(at: path)
            let file = BoundSocket(path)
            let connections = Connections(limit: min(limits.connections, Self.connectionLimit))
            let channel = try await Self.serve(listener, service: service, limits: limits, user: geteuid(), connections: connections)
            open = (channel, file, connections)
            // The socket stays open without libsodium, because clients then get this failure as the response to each request.
            if let obstacle = OIDCAgentCipher.obstacle { warn(obstacle) }
        } catch {
            if let failure = error as? AuthFailure { warn(failure) }
        }
    }

    private func close() async {
        guard let (channel, file, connections) = open else { return }
        open = nil
        if file.isThere { unlink(file.path) }
        try? await channel.close()
        await connections.close()
    }

    /// Accepts and serves connections at a listening socket.
    ///
    /// - Parameters:
    ///   - listener: the socket, which is closed with the channel.
    ///   - user: the only user whose connections are accepted.
    static func serve(
        _ listener: Int32, service: OIDCAgentService, limits: ServerLimits, user: uid_t, connections: Connections
    ) async throws -> any Channel {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton.next())
            .serverChannelInitializer { $0.pipeline.addHandler(DescriptorWatch(connections)) }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                connections.add(channel)
                return PeerCredentials.read(channel).flatMapThrowing { peer in
                    // Close a connection of another user without an answer.
                    guard peer.user == user else { throw ChannelError.inappropriateOperationForState }
                    try channel.pipeline.syncOperations.addHandler(
                        OIDCAgentConnection(
                            service: service, limits: limits, connections: connections,
                            caller: Caller(process: peer.process, user: peer.user), channel: channel))
                }
            }
        return try await bootstrap.withBoundSocket(listener).get()
    }
}
