import AuthModel
import LocalServer

/// The restricted socket of an agent: there while the configuration forwards sessions.
///
/// It may be forwarded to another machine, for example with `ssh -R`. A connection through it is answered by a ``ForwardedService`` only.
actor ForwardedSocket {
    private let path: String
    private let limits: ServerLimits
    private let service: ForwardedService
    /// Maximum number of connections.
    private static let connectionLimit = 128
    private var server: SocketServer?

    init(at place: AgentLocation, service: ForwardedService, limits: ServerLimits = .fitting()) {
        path = place.forwardedSocket
        self.service = service
        var limits = limits
        // Another machine must not use up this agent's descriptors.
        limits.connections = min(limits.connections, Self.connectionLimit)
        self.limits = limits
    }

    /// Opens the socket while there are patterns, and removes it at the end of the task.
    func follow(_ sessions: ForwardedSessions) async {
        for await _ in sessions.changes { await update() }
        await close()
    }

    /// Opens the socket if there are patterns, and closes it if there are none. A failure is not an error of the agent: its own socket
    /// works, and `yett ssh` reports that this one is missing.
    private func update() async {
        let isWanted = !service.forwarded.patterns.isEmpty
        guard isWanted != (server != nil) else { return }
        guard isWanted else { return await close() }
        guard let (listener, file) = try? AgentLock.listen(at: path) else { return }
        server = try? await AgentServer.serve(listener, file: file, service: service, limits: limits)
    }

    private func close() async {
        await server?.close()
        server = nil
    }
}
