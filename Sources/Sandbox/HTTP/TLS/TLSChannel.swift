import HummingbirdCore
import Logging
import NIOCore

/// A connection to the HTTP server, with TLS if the client wants it and the port supports it.
struct TLSChannel: ServerChildChannel {
    let base: HTTP1Channel
    let connections: TLSConnections

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        channel.eventLoop.makeCompletedFuture {
            let (connections, id) = (connections, ObjectIdentifier(channel))
            try channel.pipeline.syncOperations.addHandler(
                TLSTermination(begin: connections.begin, encrypted: { connections.note(id) }))
            channel.closeFuture.whenComplete { _ in connections.forget(id) }
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
