import NIOCore

/// A channel handler that adds TLS to a port that also speaks plain http; the first byte of a connection selects between them.
final class TLSTermination: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Speech {
        case unknown, plain
        case tls(TLSSession)
    }

    private var speech = Speech.unknown
    private let begin: () -> TLSSession?
    private let encrypted: () -> Void

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - begin: returns the session for a client that speaks TLS; `nil` if the port speaks plain http only.
    ///   - encrypted: called when a session has begun.
    init(begin: @escaping () -> TLSSession?, encrypted: @escaping () -> Void) {
        self.begin = begin
        self.encrypted = encrypted
    }

    /// The first byte of every handshake record (RFC 8446 section 5.1); no HTTP request begins with it.
    private static let handshake: UInt8 = 22

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if case .unknown = speech, let first = bytes.readableBytesView.first {
            speech = .plain
            if first == Self.handshake, let session = begin() {
                speech = .tls(session)
                encrypted()
            }
        }
        guard case .tls(let session) = speech else { return context.fireChannelRead(data) }
        let (plain, end) = session.decrypt(bytes, allocator: context.channel.allocator)
        if plain.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
        send(session, context, promise: nil)
        context.flush()
        if end != .open { context.close(promise: nil) }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .tls(let session) = speech else { return context.write(data, promise: promise) }
        guard session.encrypt(unwrapOutboundIn(data)) else {
            promise?.fail(ChannelError.ioOnClosedChannel)
            return context.close(promise: nil)
        }
        send(session, context, promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if case .tls(let session) = speech, mode != .input {
            session.finish()
            send(session, context, promise: nil)
            context.flush()
        }
        context.close(mode: mode, promise: promise)
    }

    private func send(_ session: TLSSession, _ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
        let bytes = session.outgoing(allocator: context.channel.allocator)
        guard bytes.readableBytes > 0 || promise != nil else { return }
        context.write(wrapOutboundOut(bytes), promise: promise)
    }
}
