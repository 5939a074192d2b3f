import Glibc
import NIOCore

/// Closes idle connections when there is no descriptor for a new one; otherwise they would block new connections until they time out.
final class DescriptorWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    private let connections: Connections

    init(_ connections: Connections) { self.connections = connections }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The limit of this process, or of the machine.
        if let error = error as? IOError, [EMFILE, ENFILE].contains(error.errnoCode) { connections.reduceLimit() }
        context.fireErrorCaught(error)
    }
}
