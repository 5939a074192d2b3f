import AuthModel
import Glibc
import NIOCore
import NIOHTTP1

/// One request and its answer on a new connection, all of it on the connection's event loop: a change of threads for each step would take
/// longer than the agent.
final class AgentExchange: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: [HTTPClientRequestPart]
    private let limit: TimeAmount
    private let silence: TimeAmount
    private let result: EventLoopPromise<AgentReply>
    private var reply = AgentReply()
    private var peer: PeerCredentials?
    private var alarms: [Scheduled<Void>] = []
    private var lastPart = NIODeadline.now()
    private var isFinished = false

    /// Creates the handler of a new connection.
    ///
    /// - Parameters:
    ///   - limit: maximum time for the whole request.
    ///   - silence: maximum time without any part of an answer. An agent that works on a long request sends an interim response every few
    ///     seconds, see ``ServerLimits/interimResponseInterval``.
    ///   - result: gets the complete answer, or fails with an ``AgentConnection/Failure``.
    init(request: [HTTPClientRequestPart], limit: TimeAmount, silence: TimeAmount, result: EventLoopPromise<AgentReply>) {
        self.request = request
        self.limit = limit
        self.silence = silence
        self.result = result
    }

    func channelActive(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        alarms = [
            context.eventLoop.scheduleTask(in: limit) {
                let (handler, context) = bound.value
                handler.finishLate(context)
            }
        ]
        watchSilence(in: silence, bound)
        PeerCredentials.read(context.channel).whenComplete { peer in
            let (handler, context) = bound.value
            handler.send(to: try? peer.get(), context)
        }
    }

    /// Sends the request, unless the socket belongs to another user's process.
    private func send(to peer: PeerCredentials?, _ context: ChannelHandlerContext) {
        self.peer = peer
        guard peer?.user == geteuid() else { return finish(.failure(.unusable(AgentConnection.wrongSocketOwner)), context) }
        // All at once: the agent answers and closes as soon as it has read the last byte, and a later write would fail.
        for part in request { context.write(wrapOutboundOut(part), promise: nil) }
        context.flush()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastPart = .now()
        guard !isFinished else { return }
        do throws(AgentConnection.Failure) {
            try reply.take(unwrapInboundIn(data))
        } catch {
            return finish(.failure(error), context)
        }
        if !reply.isOpen { finish(.success(reply), context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { finish(.failure(.unusable(AgentConnection.gone)), context) }

    func channelInactive(context: ChannelHandlerContext) {
        finish(.failure(.unusable(AgentConnection.gone)), context)
        context.fireChannelInactive()
    }

    /// A connection that could not be made never becomes active.
    func handlerRemoved(context: ChannelHandlerContext) { finish(.failure(.unusable(AgentConnection.gone)), context) }

    // MARK: The end

    private typealias Bound = NIOLoopBound<(AgentExchange, ChannelHandlerContext)>

    private func watchSilence(in time: TimeAmount, _ bound: Bound) {
        alarms.append(
            bound.eventLoop.scheduleTask(in: time) {
                let (handler, context) = bound.value
                let left = handler.lastPart + handler.silence - .now()
                guard left > .zero else { return handler.finishLate(context) }
                handler.alarms.removeLast()
                handler.watchSilence(in: left, bound)
            })
    }

    private func finishLate(_ context: ChannelHandlerContext) {
        finish(.failure(.unusable(AgentConnection.late(peer?.process))), context)
    }

    private func finish(_ end: Result<AgentReply, AgentConnection.Failure>, _ context: ChannelHandlerContext) {
        guard !isFinished else { return }
        isFinished = true
        for alarm in alarms { alarm.cancel() }
        result.completeWith(end.mapError { $0 as any Error })
        context.close(promise: nil)
    }
}
