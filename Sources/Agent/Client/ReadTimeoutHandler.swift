import NIOCore
import Synchronization

/// Closes a connection to an agent that sends nothing for a time, because it was stopped or hangs.
///
/// An agent that works on a long request sends an interim response every few seconds, see ``ServerLimits/interimResponseInterval``.
final class ReadTimeoutHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// Tells the code that waits for the answer whether the connection was closed by a timeout.
    final class Verdict: Sendable {
        private let wasSilent = Atomic(false)

        var isSilent: Bool { wasSilent.load(ordering: .acquiring) }

        func set() { wasSilent.store(true, ordering: .releasing) }
    }

    private let limit: TimeAmount
    private let verdict: Verdict
    private var alarm: Scheduled<Void>?

    init(limit: TimeAmount, verdict: Verdict) {
        self.limit = limit
        self.verdict = verdict
    }

    func handlerAdded(context: ChannelHandlerContext) { arm(context) }

    func handlerRemoved(context: ChannelHandlerContext) { alarm?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        arm(context)
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        alarm?.cancel()
        context.fireChannelInactive()
    }

    private func arm(_ context: ChannelHandlerContext) {
        alarm?.cancel()
        let (channel, verdict) = (context.channel, verdict)
        alarm = context.eventLoop.scheduleTask(in: limit) {
            verdict.set()
            channel.close(promise: nil)
        }
    }
}
