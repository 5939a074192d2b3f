import AuthModel
import Glibc
import LocalServer
import NIOCore
import Synchronization

/// One connection of an oidc-agent client: the exchange of keys, one request and its response.
///
/// The keys live as long as the connection. A client that is slow, sends too much or something else affects only its own connection.
final class OIDCAgentConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case reading
        case answering(Task<Void, Never>)
        case closing
    }

    private let service: OIDCAgentService
    private let limits: ServerLimits
    private let connections: ConnectionTable
    private let caller: Caller
    private let deadline: ConnectionDeadline
    private var phase = Phase.reading
    private var reader = OIDCAgentMessageReader()
    /// The keys; `nil` before the exchange, and for plain requests.
    private var cipher: OIDCAgentCipher?

    init(service: OIDCAgentService, limits: ServerLimits, connections: ConnectionTable, caller: Caller, channel: any Channel) {
        self.service = service
        self.limits = limits
        self.connections = connections
        self.caller = caller
        deadline = ConnectionDeadline(channel)
    }

    /// Sets the time limit for the key and the request together.
    func handlerAdded(context: ChannelHandlerContext) { deadline.set(limits.readTime) }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Handles the end of input. A client that closes its sending side after its request still gets the response.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent, case .reading = phase { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func end() {
        deadline.cancel()
        if case .answering(let task) = phase { task.cancel() }
        phase = .closing
        cipher = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // A connection is for one request; what follows it is not read.
        guard case .reading = phase else { return }
        do throws(OIDCAgentError) {
            try reader.append(unwrapInboundIn(data).readableBytesView)
            while case .reading = phase, let message = try reader.next() { try handle(message, context) }
        } catch {
            // Without encryption: a client accepts that, and there may be no keys.
            cipher = nil
            send(.failure(error.failure), context)
        }
    }

    private func handle(_ message: OIDCAgentMessageReader.Message, _ context: ChannelHandlerContext) throws(OIDCAgentError) {
        switch message {
        case .publicKey(let key):
            guard OIDCAgentCipher.obstacle == nil else {
                return write(OIDCAgentCipher.placeholderKeyMessage(), context, promise: nil)
            }
            let cipher = try OIDCAgentCipher(clientKey: key)
            self.cipher = cipher
            write(cipher.publicKeyMessage, context, promise: nil)
        case .plain(let request): begin(request, context)
        case .sealed(let message):
            guard let cipher else {
                return send(.failure(OIDCAgentCipher.obstacle ?? OIDCAgentError.malformed.failure), context)
            }
            begin(try cipher.open(message), context)
        }
    }

    private func begin(_ request: [UInt8], _ context: ChannelHandlerContext) {
        deadline.clear()
        connections.begin(context.channel)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        phase = .answering(
            Task { [service, caller] in
                let response = await service.answer(request, to: caller)
                handler.eventLoop.execute { handler.value.send(response, bound.value) }
            })
    }

    /// Sends the response, then closes the connection.
    private func send(_ response: OIDCAgentResponse, _ context: ChannelHandlerContext) {
        if case .closing = phase { return }
        phase = .closing
        deadline.set(limits.writeTime)
        let closed = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        closed.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        write(message(response), context, promise: closed)
    }

    /// The size of the buffer in which clients read.
    private static let clientBuffer = 4096

    /// Encrypts a response if the client did. Adds spaces to one that fills a client's buffer exactly, because Go's client takes that for
    /// an incomplete one and fails at the end of the connection.
    private func message(_ response: OIDCAgentResponse) -> [UInt8] {
        var plain = response.json
        while true {
            let message = cipher?.seal(plain).wire ?? plain
            guard message.count.isMultiple(of: Self.clientBuffer) else { return message }
            plain.append(UInt8(ascii: " "))
        }
    }

    /// Sends a message in one write, because clients take what has arrived for the whole message.
    private func write(_ bytes: [UInt8], _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        context.writeAndFlush(wrapOutboundOut(context.channel.allocator.buffer(bytes: bytes)), promise: promise)
    }
}

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
