import Glibc
import NIOCore

/// Lets connections go where there are no descriptors for more: idle ones would keep everybody else out until their time is over.
final class DescriptorWatch: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel

    private let connections: Connections

    init(_ connections: Connections) { self.connections = connections }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Of this process, or of the machine.
        if let error = error as? IOError, [EMFILE, ENFILE].contains(error.errnoCode) { connections.shed() }
        context.fireErrorCaught(error)
    }
}
