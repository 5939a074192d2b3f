internal import NIOCore
internal import Synchronization

/// The connections of a proxy's clients: not more than a process has descriptors for, and all of them can be ended at once.
final class ProxyConnections: Sendable {
    private struct State {
        var connections: [ObjectIdentifier: ProxyConnection] = [:]
        /// Waits until there is room for another connection.
        var waiting: CheckedContinuation<Void, Never>?

        mutating func takeWaiting() -> CheckedContinuation<Void, Never>? {
            defer { waiting = nil }
            return waiting
        }
    }

    private let limit: Int
    private let state = Mutex(State())

    /// The usual maximum number of connections. Each may have one to the server, and a process usually has 1,024 descriptors.
    static let limit = 256

    init(limit: Int) { self.limit = limit }

    /// Waits until there is room for another connection. If there is none, the connection goes that has waited longest for a request: a program
    /// that opens many must not keep the user's others out.
    func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let idle = state.withLock { state -> ProxyConnection? in
                    guard state.connections.count >= limit, !Task.isCancelled else {
                        continuation.resume()
                        return nil
                    }
                    state.waiting = continuation
                    return state.connections.values.filter { $0.idleSince != nil }.min { $0.idleSince ?? .now() < $1.idleSince ?? .now() }
                }
                idle?.endIfWaiting()
            }
        } onCancel: {
            state.withLock { $0.takeWaiting() }?.resume()
        }
    }

    /// Serves a connection until it ends. The end of the client ends what is done for it.
    func run(_ channel: any Channel, _ serve: @escaping @Sendable (ProxyConnection) async -> Void) async {
        let connection = ProxyConnection(channel) { [self] in
            // Another client waits for room.
            state.withLock { $0.waiting != nil && $0.connections.count >= limit }
        }
        state.withLock { $0.connections[ObjectIdentifier(connection)] = connection }
        await connection.run(serve)
        state.withLock { state in
            state.connections[ObjectIdentifier(connection)] = nil
            return state.takeWaiting()
        }?.resume()
    }

    /// Ends all connections, with the requests that are being answered.
    func endAll() {
        for connection in state.withLock({ Array($0.connections.values) }) { connection.end() }
    }
}
