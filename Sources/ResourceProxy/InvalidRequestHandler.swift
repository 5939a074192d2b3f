internal import NIOCore
internal import NIOHTTP1

/// Answers bytes that are no HTTP request, and ends the connection.
///
/// NIO's own handler for this also answers when a request turns out to be invalid in its body. The answer that the proxy then writes would be
/// a second one.
final class InvalidRequestHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Response { case none, open, ended }

    /// The response to the request that is being read, or was read last.
    private var response = Response.none
    private var isReading = false
    private var hasFailed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head: (isReading, response) = (true, .none)
        case .body: break
        case .end:
            isReading = false
            if response == .ended { response = .none }
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard !hasFailed else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.status.code < 200: break
        case .head: response = .open
        case .body: break
        case .end: response = isReading ? .ended : .none
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError, !hasFailed else { return context.fireErrorCaught(error) }
        hasFailed = true
        guard response == .none else { return context.close(promise: nil) }
        for part in ProxyAnswer.parts(400, "not a valid HTTP request") { context.write(wrapOutboundOut(part), promise: nil) }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
