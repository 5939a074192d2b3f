import NIOCore

/// A request exceeded ``ListenerLimits``.
struct RequestTooLarge: Error {}

/// Counts the bytes of a connection before the parser reads them, so that no parser holds more than the limits.
final class RequestMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limits: ListenerLimits
    private var count = 0
    private var isPastRequestLine = false
    private var isExceeded = false

    init(limits: ListenerLimits) {
        self.limits = limits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isExceeded else { return }
        let bytes = unwrapInboundIn(data)
        if !isPastRequestLine {
            let line = bytes.readableBytesView.firstIndex(of: 0x0A).map { $0 - bytes.readerIndex } ?? bytes.readableBytes
            isPastRequestLine = line < bytes.readableBytes
            isExceeded = count + line > limits.requestLine
        }
        count += bytes.readableBytes
        isExceeded = isExceeded || count > limits.request
        if isExceeded {
            context.fireErrorCaught(RequestTooLarge())
        } else {
            context.fireChannelRead(wrapInboundOut(bytes))
        }
    }
}
