import AuthModel
import Glibc
import LocalServer
import NIOCore
import NIOHTTP1
import Synchronization

/// Requests and their answers on a connection to the agent, one after the other, all of it on the connection's event loop: a change of
/// threads for each step would take longer than the agent.
final class AgentExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    /// A request and where its answer goes.
    struct Request: Sendable {
        var parts: [HTTPClientRequestPart]
        /// Maximum time for the whole request.
        var limit: TimeAmount
        /// Maximum time without any part of an answer. An agent that works on a long request sends an interim response every few seconds,
        /// see ``ServerLimits/interimResponseInterval``.
        var silence: TimeAmount
        /// Whether the connection may serve another request.
        var keepsConnection: Bool
        /// Gets the complete answer, or fails with an ``AgentConnection/Failure`` or ``WasClosed``.
        var result: EventLoopPromise<ReceivedResponse>
    }

    /// The connection was closed before it brought anything of an answer, after it had been kept: the agent closes idle connections, and
    /// has not read the request.
    struct WasClosed: Error {}

    private struct Current {
        var request: Request
        var reply = ReceivedResponse()
        var hasBegun = false
        var lastPart = NIODeadline.now()
        var alarms: [Scheduled<Void>] = []
    }

    private weak var kept: KeptAgentConnection?
    private var current: Current?
    private var peer: PeerCredentials?
    private var isFirst = true

    /// Creates the handler of a new connection, which sends `request` as soon as it is made.
    init(_ request: Request, kept: KeptAgentConnection) {
        current = Current(request: request)
        self.kept = kept
    }

    /// Sends another request.
    func send(_ request: Request, _ context: ChannelHandlerContext) {
        current = Current(request: request)
        guard context.channel.isActive else { return finish(.failure(WasClosed()), context) }
        write(context)
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        PeerCredentials.read(context.channel).whenComplete { peer in
            let (handler, context) = bound.value
            handler.begin(try? peer.get(), context)
        }
    }

    /// Sends the first request, unless the socket belongs to another user's process.
    private func begin(_ peer: PeerCredentials?, _ context: ChannelHandlerContext) {
        self.peer = peer
        guard peer?.user == geteuid() else {
            return finish(.failure(AgentConnection.Failure.unusable(AgentConnection.wrongSocketOwner)), context)
        }
        write(context)
    }

    private func write(_ context: ChannelHandlerContext) {
        guard let request = current?.request else { return }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        current?.alarms = [
            context.eventLoop.scheduleTask(in: request.limit) {
                let (handler, context) = bound.value
                handler.finishLate(context)
            }
        ]
        watchSilence(in: request.silence, bound)
        // All at once: the agent answers and closes as soon as it has read the last byte, and a later write would fail.
        for part in request.parts { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard current != nil else { return context.close(promise: nil) }
        current?.lastPart = .now()
        current?.hasBegun = true
        do throws(AgentConnection.Failure) {
            try current?.reply.append(unwrapInboundIn(data))
        } catch {
            return finish(.failure(error), context)
        }
        if let reply = current?.reply, !reply.isOpen { finish(.success(reply), context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        finishGone(context)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        finishGone(context)
        context.fireChannelInactive()
    }

    /// A connection that could not be made never becomes active.
    func handlerRemoved(context: ChannelHandlerContext) { finishGone(context) }

    // MARK: The end of a request

    private typealias Bound = NIOLoopBound<(AgentExchange, ChannelHandlerContext)>

    private func watchSilence(in time: TimeAmount, _ bound: Bound) {
        let timer = bound.eventLoop.scheduleTask(in: time) {
            let (handler, context) = bound.value
            guard let current = handler.current else { return }
            let left = current.lastPart + current.request.silence - .now()
            guard left > .zero else { return handler.finishLate(context) }
            handler.current?.alarms.removeLast()
            handler.watchSilence(in: left, bound)
        }
        current?.alarms.append(timer)
    }

    private func finishLate(_ context: ChannelHandlerContext) {
        finish(.failure(AgentConnection.Failure.unusable(AgentConnection.late(peer?.process))), context)
    }

    private func finishGone(_ context: ChannelHandlerContext) {
        kept?.forget(context.channel)
        let isUnread = !isFirst && current?.hasBegun == false
        finish(.failure(isUnread ? WasClosed() : AgentConnection.Failure.unusable(AgentConnection.endedBeforeAnswer)), context)
    }

    private func finish(_ end: Result<ReceivedResponse, any Error>, _ context: ChannelHandlerContext) {
        guard let done = current else { return }
        current = nil
        isFirst = false
        for timer in done.alarms { timer.cancel() }
        if case .success(let reply) = end, done.request.keepsConnection, reply.keepsConnection, let kept {
            // Before the answer is known, so that the next request finds the connection.
            kept.keep(context.channel, NIOLoopBound((self, context), eventLoop: context.eventLoop))
        } else {
            context.close(promise: nil)
        }
        done.request.result.completeWith(end)
    }
}

/// The agent's answer to a request, while it arrives.
struct ReceivedResponse: Sendable {
    private(set) var status = 0
    /// Whether a part is still missing.
    private(set) var isOpen = true
    /// Whether the agent takes another request on the connection.
    private(set) var keepsConnection = false
    private var bytes: [UInt8] = []

    init() {}

    /// A complete answer.
    init(status: Int, bytes: [UInt8]) {
        (self.status, self.bytes) = (status, bytes)
        isOpen = false
    }

    /// Adds a part of the answer. Throws if the answer is too large.
    mutating func append(_ part: HTTPClientResponsePart) throws(AgentConnection.Failure) {
        switch part {
        // Ignore interim responses.
        case .head(let head):
            status = head.status.code >= 200 ? Int(head.status.code) : 0
            keepsConnection = head.isKeepAlive
        case .body(let buffer):
            guard bytes.count + buffer.readableBytes <= AgentProtocol.answerLimit else { throw .unusable(AgentConnection.invalidAnswer) }
            bytes += buffer.readableBytesView
        case .end: isOpen = status == 0
        }
    }

    /// Returns the document. Throws if the answer is incomplete, a failure, or not in the protocol's form.
    func document() throws(AgentConnection.Failure) -> JSONValue {
        guard !isOpen else { throw .unusable(AgentConnection.endedBeforeAnswer) }
        guard let document = try? JSONValue(strict: bytes, limits: .agentResponse) else { throw .unusable(AgentConnection.invalidAnswer) }
        guard status == 200 else {
            guard let failure = document["error"].flatMap({ try? AuthFailure(wire: $0) }) else {
                throw .unusable(AgentConnection.invalidAnswer)
            }
            if [404, 405].contains(status), failure.kind == .usage { throw .unusable(AgentConnection.outdated) }
            throw .unusable(failure)
        }
        return document
    }
}

/// At most one connection to the agent that waits for the next request, because a new connection takes longer than the answer.
final class KeptAgentConnection: Sendable {
    typealias Bound = NIOLoopBound<(AgentExchange, ChannelHandlerContext)>

    private let connection = Mutex<(channel: any Channel, exchange: Bound)?>(nil)

    /// Returns the connection, if there is one; it is the caller's then.
    func checkOut() -> (channel: any Channel, exchange: Bound)? {
        connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
    }

    /// Keeps a connection, in place of another one.
    func keep(_ channel: any Channel, _ exchange: Bound) {
        let other = connection.withLock { connection in
            defer { connection = (channel, exchange) }
            return connection
        }
        other?.channel.close(promise: nil)
    }

    /// Forgets a connection that has ended.
    func forget(_ channel: any Channel) {
        connection.withLock { if $0?.channel === channel { $0 = nil } }
    }

    deinit { checkOut()?.channel.close(promise: nil) }
}
