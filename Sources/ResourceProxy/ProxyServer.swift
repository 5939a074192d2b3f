package import AuthEngine
package import AuthModel
internal import Glibc
internal import NIOCore
internal import NIOPosix
internal import OAuth

/// A local HTTP server that passes requests on to one origin, each with a fresh credential (`yett proxy`). Its clients never see a token.
///
/// Bodies are streamed in both directions without a limit on their size, and WebSockets are passed on as they are.
package struct ProxyServer: Sendable {
    /// The URL that requests go to: an origin, or a folder of it.
    package var target: WebURL
    /// Where it listens.
    package var address: ProxyAddress
    package var transport: any UpgradingTransport
    package var policy: TransportPolicy
    package var credentials: any ProxyCredentials
    /// The time in which the header of a request must be complete, from the end of the last response.
    var headerTime = TimeAmount.seconds(60)
    /// The maximum number of connections.
    var connectionLimit = ProxyConnections.limit
    /// Whether a connection to the port is another user's.
    var isForeign: @Sendable (any Channel) -> Bool = LoopbackPeer.isAnotherUser

    /// Creates a server.
    package init(
        target: WebURL, address: ProxyAddress, transport: any UpgradingTransport, policy: TransportPolicy, credentials: any ProxyCredentials
    ) {
        self.target = target
        self.address = address
        self.transport = transport
        self.policy = policy
        self.credentials = credentials
    }

    /// Listens until the task is cancelled.
    ///
    /// - Parameter ready: gets the address for clients: `http://127.0.0.1:PORT/SECRET/`, or `unix:PATH`.
    package func run(ready: @Sendable (Secret) async throws -> Void) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 64)
            .childChannelOption(.socketOption(.tcp_nodelay), value: address.isTCP ? 1 : 0, when: address.isTCP)
        let headerTime = headerTime
        let configure: @Sendable (any Channel) -> EventLoopFuture<ProxyPipeline.Connection> = { channel in
            channel.eventLoop.makeCompletedFuture { try ProxyPipeline.configure(channel, headerTime: headerTime) }
        }
        let server: NIOAsyncChannel<ProxyPipeline.Connection, Never>
        var gate = ProxyGate(target: target, secret: nil, port: nil)
        do {
            switch address {
            case .tcp(let port):
                server = try await bootstrap.bind(host: "127.0.0.1", port: port, childChannelInitializer: configure)
                gate = ProxyGate(target: target, secret: .random(), port: server.channel.localAddress?.port)
            case .unix(let path):
                server = try await ProxySocketFile.bind(path) {
                    try await bootstrap.bind(unixDomainSocketPath: path, childChannelInitializer: configure)
                }
            }
        } catch let failure as AuthFailure {
            throw failure
        } catch {
            throw AuthFailure(.configuration, UserMessage("proxy.cannot_listen", ["address": address]), hint: "hint.choose_another_address")
        }
        defer { if case .unix(let path) = address { unlink(path) } }
        try await ready(gate.localAddress(address))
        let exchange = ProxyExchange(gate: gate, transport: transport, policy: policy, credentials: credentials)
        let connections = ProxyConnections(limit: connectionLimit)
        let watch = Task { [credentials] in
            for await _ in credentials.withdrawals() { connections.endAll() }
        }
        defer { watch.cancel() }
        try await server.executeThenClose { accepted in
            try await withThrowingDiscardingTaskGroup { tasks in
                for try await client in accepted {
                    // Before a request: its secret may be known to other users, who see it in the arguments of a command.
                    guard !address.isTCP || !isForeign(client.channel) else {
                        try? await client.executeThenClose { _, _ in try await ProxyPipeline.refuse(client.channel) }
                        continue
                    }
                    // A connection that breaks ends alone.
                    tasks.addTask {
                        try? await client.executeThenClose { input, output in
                            await connections.run(client.channel) { await exchange.serve($0, input, output) }
                        }
                    }
                    await connections.waitForRoom()
                }
            }
        }
    }
}

extension ProxyAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let port): "127.0.0.1:\(port)"
        }
    }

    fileprivate var isTCP: Bool { if case .tcp = self { true } else { false } }
}

extension ProxyGate {
    /// The address for clients.
    fileprivate func localAddress(_ address: ProxyAddress) -> Secret {
        guard let port, let secret else { return Secret("\(address)") }
        return Secret("http://127.0.0.1:\(port)/\(secret.reveal())/")
    }
}

extension Secret {
    /// Returns 128 random bits as text for a path.
    fileprivate static func random() -> Secret {
        var generator = SystemRandomNumberGenerator()
        return Secret(Base64URL.encode((0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }))
    }
}

extension ServerBootstrap {
    /// Sets an option of the connections where it applies.
    fileprivate func childChannelOption<Option: ChannelOption>(_ option: Option, value: Option.Value, when applies: Bool) -> ServerBootstrap
    {
        applies ? childChannelOption(option, value: value) : self
    }
}
