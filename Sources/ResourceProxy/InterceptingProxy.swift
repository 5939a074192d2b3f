package import AuthEngine
package import AuthModel
package import Glibc
internal import LocalServer
internal import Localization
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import OAuth
internal import Synchronization

/// A proxy for HTTPS on 127.0.0.1, for one command (`yett exec --intercept`). It opens the connections to the hosts of sessions and gives
/// their requests fresh credentials; all others pass as they are. Its clients never see a token.
///
/// A client must know the secret in the proxy's address, and belong to the user of the command, or to its network namespace.
package struct InterceptingProxy: Sendable {
    /// A host whose requests get credentials.
    package struct Host: Sendable {
        /// The origin that requests go to.
        package let target: WebURL
        package let policy: TransportPolicy
        package let credentials: any ProxyCredentials

        /// Creates a host.
        package init(target: WebURL, policy: TransportPolicy, credentials: any ProxyCredentials) {
            self.target = target
            self.policy = policy
            self.credentials = credentials
        }
    }

    /// The proxy's listening socket, and the processes whose connections it accepts.
    package enum Entrance: Sendable {
        /// A free port on 127.0.0.1, for programs of a user and of root.
        case user(uid_t)
        /// A listening socket on the loopback interface of a network namespace, for the programs in it, and a process there, if
        /// one is known.
        case namespace(socket: CInt, port: Int, process: Int32?)
    }

    private let hosts: [Origin: Host]
    private let authority: CommandCertificateAuthority
    private let transport: any UpgradingTransport
    private let refusesOthers: Bool
    private let noteRefusal: @Sendable (_ reason: String, _ client: Int32?) -> Void
    /// The time in which the header of a request must be complete.
    var headerTime = TimeAmount.seconds(60)
    /// The time that a client has to leave after a refusal.
    var leaveTime = TimeAmount.seconds(2)
    /// The maximum number of connections.
    var connectionLimit = ProxyConnection.limit
    private let entrance: Entrance
    /// Returns the process of a client; `nil` if it is not known.
    var clientProcess: @Sendable (any Channel) -> Int32?
    /// Whether a connection is one of other programs.
    var isForeign: @Sendable (any Channel) -> Bool

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - entrance: where the proxy listens.
    ///   - authority: the authority for the hosts.
    ///   - refusesOthers: whether connections to all other hosts are refused.
    ///   - noteRefusal: called for each connection and request that is refused, with the reason and the client's process, if it is known.
    package init(
        hosts: [Host], at entrance: Entrance, authority: CommandCertificateAuthority, transport: any UpgradingTransport,
        refusesOthers: Bool,
        noteRefusal: @escaping @Sendable (_ reason: String, _ client: Int32?) -> Void
    ) {
        self.hosts = Dictionary(hosts.map { ($0.target.origin, $0) }) { first, _ in first }
        self.entrance = entrance
        switch entrance {
        case .user(let user):
            isForeign = { PeerOwner.isAnotherUser(than: user, of: $0) }
            clientProcess = { ClientProcess.number(of: $0) }
        case .namespace(_, _, let process):
            // No other program can reach it.
            isForeign = { _ in false }
            clientProcess = { channel in process.flatMap { ClientProcess.number(of: channel, in: $0) } }
        }
        self.authority = authority
        self.transport = transport
        self.refusesOthers = refusesOthers
        self.noteRefusal = noteRefusal
    }

    private struct Connections: Sendable {
        /// All, with tunnels.
        let all: ConnectionTable
        /// Those that are opened, by host. They end when its session's credentials are withdrawn.
        let opened: [Origin: ConnectionTable]
    }

    private struct Client: Sendable {
        let channel: any Channel
        let request: EventLoopFuture<ConnectRequest>
    }

    /// The process of a client, which is looked for when it is needed.
    private final class ClientLookup: Sendable {
        private let lookup: @Sendable () -> Int32?
        private let task = Mutex<Task<Int32?, Never>?>(nil)

        init(_ lookup: @escaping @Sendable () -> Int32?) { self.lookup = lookup }

        /// Begins to look.
        @discardableResult func begin() -> Task<Int32?, Never> {
            task.withLock { task in
                let begun = task ?? Task.detached { [lookup] in lookup() }
                task = begun
                return begun
            }
        }

        var process: Int32? { get async { await begin().value } }
    }

    /// Listens until the task is cancelled.
    ///
    /// - Parameter ready: gets the address for clients, with the secret: `http://yett:SECRET@127.0.0.1:PORT`.
    package func run(ready: @Sendable (Secret) async throws -> Void) async throws {
        let secret = Secret.random()
        let server: NIOAsyncChannel<Client, Never>
        let port: Int
        do {
            let socket: CInt
            switch entrance {
            case .user:
                let binding = try LoopbackBinding.reserve("127.0.0.1", port: nil)
                (socket, port) = (binding.sockets[0], binding.port)
            case .namespace(let given, let number, _): (socket, port) = (given, number)
            }
            server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup(numberOfThreads: 1))
                .serverChannelOption(.backlog, value: 64).childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                .bind(socket) { [headerTime] channel in
                    channel.eventLoop.makeCompletedFuture {
                        let reader = ConnectReader(headerTime, channel)
                        try channel.pipeline.syncOperations.addHandler(reader)
                        return Client(channel: channel, request: reader.request)
                    }
                }
        } catch {
            throw AuthFailure(
                .configuration, UserMessage("proxy.cannot_listen", ["address": "127.0.0.1"]), hint: "hint.choose_another_address")
        }
        try await ready(Secret("http://yett:\(secret.reveal())@127.0.0.1:\(port)"))
        let connections = Connections(
            all: ConnectionTable(limit: connectionLimit), opened: hosts.mapValues { _ in ConnectionTable(limit: .max) })
        try await server.executeThenClose { accepted in
            try await withThrowingDiscardingTaskGroup { tasks in
                for (origin, host) in hosts {
                    tasks.addTask { for await _ in host.credentials.withdrawals() { connections.opened[origin]?.endAll() } }
                }
                for try await client in accepted {
                    // Before it takes a place, or another client makes room for it.
                    guard !isForeign(client.channel) else {
                        refuseForeign(client.channel)
                        continue
                    }
                    await connections.all.waitForRoom()
                    connections.all.add(client.channel)
                    tasks.addTask {
                        await withTaskCancellationHandler {
                            // A connection that breaks ends alone.
                            try? await serve(client, knowing: secret, in: connections)
                        } onCancel: {
                            client.channel.close(promise: nil)
                        }
                    }
                }
            }
        }
    }

    private func serve(_ client: Client, knowing secret: Secret, in connections: Connections) async throws {
        let channel = client.channel
        let lookup = ClientLookup { [clientProcess] in clientProcess(channel) }
        let request: ConnectRequest
        do {
            request = try await client.request.get()
        } catch let failure as ConnectRequest.Failure {
            switch failure {
            case .ended: return
            case .tooLong:
                return try await end(channel, 431, "the header is longer than \(ConnectRequest.limit >> 10) KiB")
            case .invalid: return try await end(channel, 400, "not a valid request to a proxy")
            }
        }
        guard request.knows(secret) else {
            // Some programs send the password only when they are asked for it.
            if request.authorization != nil { await note("a connection with a wrong password is refused", lookup) }
            return try await end(
                channel, 407, "only programs that know the proxy's password may use it; it is in HTTPS_PROXY",
                also: "Proxy-Authenticate: Basic realm=\"yett\"\r\n")
        }
        connections.all.begin(channel)
        switch request.target {
        case .plain(let host):
            let isHost = hosts.keys.contains { $0.host == host }
            try await refuse(channel, lookup, "plain HTTP to \(host) is refused; \(isHost ? "use https" : "this proxy is for https")")
        case .connection(let origin):
            if let host = hosts[origin] { return try await intercept(channel, lookup, host, in: connections) }
            // Some programs open connections for plain HTTP, too.
            guard origin.port != 80 || !hosts.keys.contains(where: { $0.host == origin.host }) else {
                return try await refuse(channel, lookup, "plain HTTP to \(origin.host) is refused; use https")
            }
            guard !refusesOthers else {
                return try await refuse(channel, lookup, "a connection to \(origin.authority) is refused, because of --only")
            }
            try await tunnel(channel, lookup, to: origin, in: connections)
        }
    }

    /// Answers another user's program, and ends the connection at once.
    private func refuseForeign(_ channel: any Channel) {
        noteRefusal("a connection of another user is refused", nil)
        channel.setOption(.autoRead, value: false).whenComplete { _ in }
        channel.writeAndFlush(ProxyAnswer.foreign).whenComplete { _ in channel.close(promise: nil) }
    }

    /// Serves the requests to a host of a session.
    private func intercept(_ channel: any Channel, _ lookup: ClientLookup, _ host: Host, in connections: Connections) async throws {
        // Beside the handshake.
        lookup.begin()
        let identity: TLSIdentity
        do throws(AuthFailure) {
            identity = try authority.identity(of: host.target.origin.host)
        } catch {
            return try await refuse(channel, lookup, error.message.english)
        }
        // Before the client knows that its connection is open: from now on, a withdrawal ends it.
        let connection = ProxyConnection(channel, in: connections.all)
        connections.opened[host.target.origin]?.add(channel) { [weak connection] in connection?.end() }
        let http = try await channel.eventLoop.submit { [headerTime] in
            try ConnectAnswer.accept(channel) {
                try channel.pipeline.syncOperations.addHandler(TLSTermination(begin: { TLSSession(identity) }))
                return try ProxyPipeline.configure(channel, headerTime: headerTime)
            }
        }.get()
        let exchange = ProxyExchange(
            gate: ProxyGate(target: host.target, entry: .opened), transport: transport, policy: host.policy,
            credentials: host.credentials.asked { await lookup.process }, noteRefusal: { await note($0, lookup) })
        try await http.executeThenClose { input, output in
            try await channel.setOption(.autoRead, value: true).get()
            await connection.run { await exchange.serve($0, input, output) }
        }
    }

    private func tunnel(_ channel: any Channel, _ lookup: ClientLookup, to origin: Origin, in connections: Connections) async throws {
        do {
            let server = try await ProxyTunnel.connect(to: origin, on: channel.eventLoop)
            connections.all.begin(channel, streaming: true)
            try await ProxyTunnel.join(channel, server) { try ConnectAnswer.accept(channel) {} }
        } catch let refusal as ProxyTunnel.Refusal {
            try await refuse(channel, lookup, "no connection to \(origin.authority): \(refusal.reason)")
        }
    }

    private func refuse(_ channel: any Channel, _ lookup: ClientLookup, _ reason: String) async throws {
        await note(reason, lookup)
        try await end(channel, 403, reason)
    }

    /// Notes a refusal, while its client is still there.
    private func note(_ reason: String, _ lookup: ClientLookup) async { noteRefusal(reason, await lookup.process) }

    /// Sends an answer, and ends the connection when the client has read it.
    private func end(_ channel: any Channel, _ status: Int, _ text: String, also fields: String = "") async throws {
        try await channel.eventLoop.submit { try channel.pipeline.syncOperations.handler(type: ConnectReader.self).discard() }.get()
        try await channel.writeAndFlush(ConnectAnswer.refusal(status, text, fields))
        try await channel.setOption(.autoRead, value: true).get()
        await ProxyPipeline.finish(channel)
        let limit = channel.eventLoop.scheduleTask(in: leaveTime) { channel.close(promise: nil) }
        try await channel.closeFuture.get()
        limit.cancel()
    }
}

/// The proxy's answer to the first request of a connection.
enum ConnectAnswer {
    private static let established = ByteBuffer(string: "HTTP/1.1 200 Connection established\r\n\r\n")

    /// Accepts the request, and passes what follows to the handlers that `body` adds. Call it on the event loop.
    static func accept<Result>(_ channel: any Channel, _ body: () throws -> Result) throws -> Result {
        let pipeline = channel.pipeline.syncOperations
        let reader = try pipeline.context(handlerType: ConnectReader.self)
        reader.writeAndFlush(NIOAny(established), promise: nil)
        let result = try body()
        pipeline.removeHandler(context: reader, promise: nil)
        return result
    }

    static func refusal(_ status: Int, _ text: String, _ fields: String) -> ByteBuffer {
        let body = "yett proxy: \(text)\n"
        let reason = HTTPResponseStatus(statusCode: status).reasonPhrase
        return ByteBuffer(
            string: "HTTP/1.1 \(status) \(reason)\r\n\(fields)Content-Type: text/plain; charset=utf-8\r\n"
                + "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n\(body)")
    }
}
