import NIOCore
import NIOPosix

/// A server on 127.0.0.1 that answers with raw bytes, one response per connection.
final class RawServer: Sendable {
    let port: Int
    private let channel: any Channel

    /// Starts the server. `answer` is called with each complete request.
    static func start(_ answer: @escaping @Sendable (RawRequest) async -> RawAnswer) async throws -> RawServer {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Handler(answer: answer)) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return RawServer(channel: channel)
    }

    private init(channel: any Channel) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    func stop() async { try? await channel.close() }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let answer: @Sendable (RawRequest) async -> RawAnswer
        private var received: [UInt8] = []

        init(answer: @escaping @Sendable (RawRequest) async -> RawAnswer) { self.answer = answer }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received += unwrapInboundIn(data).readableBytesView
            guard let request = RawRequest(received) else { return }
            received = []
            let channel = context.channel
            Task { [answer] in
                let reply = await answer(request)
                guard !reply.isSilent else { return }
                channel.writeAndFlush(ByteBuffer(bytes: reply.wire)).whenComplete { _ in channel.close(promise: nil) }
            }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }
}
