import NIOCore
import Synchronization

/// At most one connection to the agent that waits for the next request, because a new connection takes longer than the answer.
final class KeptAgentConnection: Sendable {
    typealias Bound = NIOLoopBound<(AgentExchange, ChannelHandlerContext)>

    private let connection = Mutex<(channel: any Channel, exchange: Bound)?>(nil)

    /// Returns the connection, if there is one; it is the caller's then.
    func take() -> (channel: any Channel, exchange: Bound)? {
        connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
    }

    /// Keeps a connection, in place of another one.
    func keep(_ channel: any Channel, _ exchange: Bound) {
        let other = connection.withLock { connection in
            defer { connection = (channel, exchange) }
            return connection
        }
        other?.channel.close(promise: nil)
    }

    /// Forgets a connection that has ended.
    func forget(_ channel: any Channel) {
        connection.withLock { if $0?.channel === channel { $0 = nil } }
    }

    deinit { take()?.channel.close(promise: nil) }
}
