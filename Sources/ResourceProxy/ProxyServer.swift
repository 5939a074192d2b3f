package import AuthEngine
package import AuthModel
internal import LocalServer
internal import NIOCore
internal import NIOPosix
internal import OAuth
internal import Synchronization

/// A local HTTP server that passes requests on to one origin, each with a fresh credential (`yett proxy`). Its clients never see a token.
///
/// Bodies are streamed in both directions without a limit on their size, and WebSockets are passed on as they are.
package struct ProxyServer: Sendable {
    /// The URL that requests go to: an origin, or a folder of it.
    package var target: WebURL
    /// The address on which it listens.
    package var address: ProxyAddress
    package var transport: any UpgradingTransport
    package var policy: TransportPolicy
    package var credentials: any ProxyCredentials
    /// The time in which the header of a request must be complete, from the end of the last response.
    var headerTime = TimeAmount.seconds(60)
    /// The maximum number of connections.
    var connectionLimit = ProxyConnection.limit
    /// Whether a connection to the port is another user's.
    var isForeign: @Sendable (any Channel) -> Bool = { PeerOwner.isAnotherUser(of: $0) }

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
        let gate: ProxyGate
        let listener: Int32
        let server: NIOAsyncChannel<ProxyPipeline.Connection, Never>
        var file: SocketFile?
        defer { file?.remove() }
        do {
            switch address {
            case .tcp(let port):
                let binding = try LoopbackBinding.reserve("127.0.0.1", port: port == 0 ? nil : port)
                listener = binding.sockets[0]
                gate = ProxyGate(target: target, entry: .port(binding.port, secret: .random()))
            case .unix(let path):
                let bound = try listen(at: path)
                listener = bound.descriptor
                file = bound.file
                gate = ProxyGate(target: target, entry: .socket)
            }
            server = try await bootstrap.bind(listener) { [headerTime] channel in
                channel.eventLoop.makeCompletedFuture { try ProxyPipeline.configure(channel, headerTime: headerTime) }
            }
        } catch let failure as AuthFailure {
            throw failure
        } catch {
            throw AuthFailure(.configuration, UserMessage("proxy.cannot_listen", ["address": address]), hint: "hint.choose_another_address")
        }
        try await ready(gate.localAddress(address))
        let exchange = ProxyExchange(gate: gate, transport: transport, policy: policy, credentials: credentials)
        let connections = ConnectionTable(limit: connectionLimit)
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
                    await connections.waitForRoom()
                    let connection = ProxyConnection(client.channel, in: connections)
                    // A connection that breaks ends alone.
                    tasks.addTask {
                        try? await client.executeThenClose { input, output in
                            await connection.run { await exchange.serve($0, input, output) }
                        }
                    }
                }
            }
        }
    }

    private func listen(at path: String) throws -> (descriptor: Int32, file: SocketFile) {
        do {
            return try SocketFile.listen(at: path)
        } catch SocketFile.Failure.occupied {
            throw AuthFailure(.configuration, UserMessage("proxy.path_in_use", ["path": path]), hint: "hint.choose_another_address")
        }
    }

    private var bootstrap: ServerBootstrap {
        let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1)).serverChannelOption(.backlog, value: 64)
        return address.isTCP ? bootstrap.childChannelOption(.tcpOption(.tcp_nodelay), value: 1) : bootstrap
    }
}

/// The address at which the proxy listens.
package enum ProxyAddress: Equatable, Sendable, CustomStringConvertible {
    /// A socket file that only the user can open.
    case unix(path: String)
    /// A port on 127.0.0.1; 0 for any free one.
    case tcp(port: Int)

    /// Reads `unix:PATH` or `127.0.0.1:PORT`; `nil` for other texts.
    package init?(_ text: String) {
        if let path = text.after("unix:") {
            // sun_path has 108 bytes with the final zero.
            guard path.hasPrefix("/"), (2...107).contains(path.utf8.count), !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
        } else if let port = text.after("127.0.0.1:").flatMap(Int.init), (0...65_535).contains(port) {
            self = .tcp(port: port)
        } else {
            return nil
        }
    }

    package var description: String {
        switch self {
        case .unix(let path): "unix:\(path)"
        case .tcp(let port): "127.0.0.1:\(port)"
        }
    }

    fileprivate var isTCP: Bool { if case .tcp = self { true } else { false } }
}

extension String {
    fileprivate func after(_ prefix: String) -> String? { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil }
}

extension ProxyGate {
    /// The address for clients.
    fileprivate func localAddress(_ address: ProxyAddress) -> Secret {
        guard case .port(let port, let secret) = entry else { return Secret("\(address)") }
        return Secret("http://127.0.0.1:\(port)/\(secret.reveal())/")
    }
}

extension Secret {
    /// Returns 128 random bits as text for a path or a password.
    static func random() -> Secret { Secret(Base64URL.encode([UInt8].random(count: 16))) }
}

/// A client's connection, and the task that serves it.
final class ProxyConnection: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var hasEnded = false
        var isUpgraded = false
    }

    let channel: any Channel
    private let connections: ConnectionTable
    private let state = Mutex(State())

    /// The usual maximum number of connections. Each may have one to the server, and a process usually has 1,024 descriptors.
    static let limit = 256

    /// Creates a connection and adds it to the table, which may end it.
    init(_ channel: any Channel, in connections: ConnectionTable) {
        self.channel = channel
        self.connections = connections
        connections.add(channel) { [weak self] in self?.end() }
    }

    /// Serves the connection. If the client ends it during a request, the answer is no longer wanted, and the request is given up.
    func run(_ serve: @escaping @Sendable (ProxyConnection) async -> Void) async {
        // On the connection's thread: each change of threads takes longer than what it is for.
        let task = Task(executorPreference: EventLoopExecutor(channel.eventLoop)) { await serve(self) }
        let hasEnded = state.withLock { state in
            state.task = task
            return state.hasEnded
        }
        if hasEnded { end() }
        channel.closeFuture.whenComplete { [weak self] _ in self?.clientEnded() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            end()
        }
        // The task refers to the connection.
        state.withLock { $0.task = nil }
    }

    /// Returns what the client of an opened connection speaks.
    func client() async throws -> TLSTermination.Client {
        let channel = channel
        return try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: TLSTermination.self).client
        }.get()
    }

    /// A request begins that the proxy passes on. Returns false if the connection has just been ended.
    func beginRequest() -> Bool { connections.begin(channel) && !state.withLock { $0.hasEnded } }

    /// The next request may come, unless another client waits for room.
    func beginWaiting() {
        if !connections.markIdle(channel) { end() }
    }

    /// HTTP ends. From now on, what the client has sent still reaches the server after the client's end.
    func leaveHTTP() {
        connections.begin(channel, streaming: true)
        state.withLock { $0.isUpgraded = true }
    }

    /// Ends the connection, with the request that is being answered.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            return state.task
        }?.cancel()
        channel.close(promise: nil)
    }

    private func clientEnded() {
        if !state.withLock({ $0.isUpgraded }) { end() }
    }
}
