import AuthModel
import LocalServer
import NIOCore

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
            while case .reading = phase, let message = try reader.next() { try take(message, context) }
        } catch {
            // Without encryption: a client accepts that, and there may be no keys.
            cipher = nil
            send(.failure(error.failure), context)
        }
    }

    private func take(_ message: OIDCAgentMessageReader.Message, _ context: ChannelHandlerContext) throws(OIDCAgentError) {
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

    /// Encrypts a response if the client did. Adds spaces to one that fills a client's buffer exactly, because Go's client takes that for an
    /// incomplete one and fails at the end of the connection.
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
