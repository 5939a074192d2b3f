internal import LocalServer
internal import NIOCore
internal import NIOHTTP1

/// The handlers of a client's connection: HTTP at first, and after an upgrade the bytes as they are.
enum ProxyPipeline {
    typealias Connection = NIOAsyncChannel<HTTPServerRequestPart, HTTPServerResponsePart>
    private typealias Decoder = ByteToMessageHandler<HTTPRequestDecoder>

    /// Lets a new connection speak HTTP/1.1.
    ///
    /// - Parameter headerTime: the time in which the header of a request must be complete.
    static func configure(_ channel: any Channel, headerTime: TimeAmount) throws -> Connection {
        // The exchange sets the framing, because only it knows the method: an answer to HEAD has no body, and no last chunk.
        var framing = HTTPResponseEncoder.Configuration()
        framing.automaticallySetFramingHeaders = false
        // Bytes that follow a request for an upgrade belong to the next protocol.
        try channel.pipeline.syncOperations.addHandlers([
            HTTPResponseEncoder(configuration: framing), Decoder(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes)),
            HTTPServerPipelineHandler(), HeaderDeadline(headerTime, channel), NIOHTTPResponseHeadersValidator(), InvalidRequestHandler(),
        ])
        return try Connection(wrappingChannelSynchronously: channel)
    }

    /// Answers another user's program without reading what it sends.
    static func refuse(_ channel: any Channel) async throws {
        try await channel.eventLoop.submit {
            // Past the handlers of HTTP, which answer requests only.
            let context = try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            context.writeAndFlush(NIOAny(ProxyAnswer.foreign), promise: nil)
        }.get()
    }

    /// Takes HTTP off a connection, after the response 101 was written. From then on the bytes are in the parts `body`.
    static func leaveHTTP(_ channel: any Channel) async throws {
        try await channel.eventLoop.submit {
            let pipeline = channel.pipeline.syncOperations
            let last = try pipeline.handler(type: InvalidRequestHandler.self)
            try pipeline.addHandler(UpgradedBytes(), position: .after(last))
            // The decoder last: it passes on what it has not read.
            for context in [
                try pipeline.context(handlerType: HTTPServerPipelineHandler.self), try pipeline.context(handlerType: HeaderDeadline.self),
                try pipeline.context(handlerType: NIOHTTPResponseHeadersValidator.self), try pipeline.context(handler: last),
                try pipeline.context(handlerType: HTTPResponseEncoder.self), try pipeline.context(handlerType: Decoder.self),
            ] { pipeline.removeHandler(context: context, promise: nil) }
        }.get()
    }

    /// Sends what was written, and then the end of the connection.
    static func finish(_ channel: any Channel) async {
        await withTaskCancellationHandler {
            try? await channel.close(mode: .output).get()
        } onCancel: {
            channel.close(promise: nil)
        }
    }
}

/// Answers bytes that are no HTTP request, and ends the connection.
///
/// NIO's own handler for this also answers when a request turns out to be invalid in its body. The answer that the proxy then writes would
/// be a second one.
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

/// The end of HTTP on a connection: carries bytes in the parts of bodies.
private final class UpgradedBytes: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(wrapInboundOut(.body(unwrapInboundIn(data))))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .body(.byteBuffer(let bytes)) = unwrapOutboundIn(data) else { return promise?.succeed(()) ?? () }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}
