internal import NIOCore
internal import NIOHTTP1

/// Closes a connection whose client does not complete the header of its next request in time.
///
/// Bodies have no limit: an upload may wait for its source.
final class HeaderDeadline: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart

    private let limit: TimeAmount
    private var timer: Scheduled<Void>?
    /// Whether the header of the next request is there, so that it needs no time.
    private var hasHead = false

    init(_ limit: TimeAmount) { self.limit = limit }

    func channelActive(context: ChannelHandlerContext) {
        start(context)
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            hasHead = true
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        hasHead = false
        // A client that reads slowly has its time once it has all of the response.
        let sent = promise ?? context.eventLoop.makePromise()
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.futureResult.whenSuccess {
            let (handler, context) = bound.value
            if !handler.hasHead { handler.start(context) }
        }
        context.write(data, promise: sent)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        hasHead = true
        timer?.cancel()
    }

    private func start(_ context: ChannelHandlerContext) {
        timer?.cancel()
        let channel = context.channel
        timer = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
    }
}
