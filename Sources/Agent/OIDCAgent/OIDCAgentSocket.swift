import AuthModel
import Glibc
import LocalServer
import NIOCore
import Synchronization

/// The socket for oidc-agent's clients: there while the configuration wants it.
actor OIDCAgentSocket {
    private let path: String
    private let limits: ServerLimits
    private let service: OIDCAgentService
    private let warn: @Sendable (AuthFailure) -> Void
    private var server: SocketServer?

    /// Maximum number of connections. Each is for one request.
    static let connectionLimit = 128

    /// - Parameter warn: called with the reason if there is no socket, or if its clients cannot be answered.
    init(
        at location: AgentLocation, service: OIDCAgentService, limits: ServerLimits = .fitting(),
        warn: @escaping @Sendable (AuthFailure) -> Void = { _ in }
    ) {
        path = location.oidcAgentSocket
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
        guard server == nil else { return }
        do {
            let (listener, file) = try AgentLock.listen(at: path)
            server = try await Self.serve(listener, file: file, service: service, limits: limits)
            // The socket stays open without libsodium, because clients then get this failure as the response to each request.
            if let obstacle = OIDCAgentCipher.obstacle { warn(obstacle) }
        } catch {
            if let failure = error as? AuthFailure { warn(failure) }
        }
    }

    private func close() async {
        await server?.close()
        server = nil
    }

    /// Accepts and serves connections at a listening socket.
    ///
    /// - Parameters:
    ///   - listener: the socket, which is closed with the server.
    ///   - file: the file of the socket, which is removed with the server.
    ///   - user: the only user whose connections are accepted.
    static func serve(
        _ listener: Int32, file: SocketFile, service: OIDCAgentService, limits: ServerLimits, user: uid_t = geteuid()
    ) async throws -> SocketServer {
        let connections = ConnectionTable(limit: min(limits.connections, connectionLimit))
        return try await SocketServer.start(
            listener, file: file, user: user, connections: connections, backlog: limits.backlog
        ) { channel, peer in
            [
                OIDCAgentConnection(
                    service: service, limits: limits, connections: connections, caller: Caller(process: peer.process, user: peer.user),
                    channel: channel)
            ]
        }
    }
}

/// Whether the agent serves oidc-agent's clients (`[agent] oidc_agent_socket`), as the configuration says now.
public final class OIDCAgentSetting: Sendable {
    private let state: Mutex<Bool>
    /// One element for each change.
    let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// Creates the setting with its value in the configuration.
    public init(_ isOn: Bool = false) {
        state = Mutex(isOn)
        (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        changed.yield()
    }

    /// Whether the socket is wanted.
    var isOn: Bool { state.withLock { $0 } }

    /// Takes the value of a changed configuration.
    public func set(_ isOn: Bool) {
        let isChange = state.withLock { known in
            defer { known = isOn }
            return known != isOn
        }
        if isChange { changed.yield() }
    }
}
