internal import LocalServer
internal import NIOCore
internal import Synchronization

/// A client's connection, and the task that serves it.
final class ProxyConnection: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var hasEnded = false
        var isUpgraded = false
    }

    let channel: any Channel
    private let connections: ConnectionTable
    private let state = Mutex(State())

    /// The usual maximum number of connections. Each may have one to the server, and a process usually has 1,024 descriptors.
    static let limit = 256

    /// Creates a connection and adds it to the table, which may end it.
    init(_ channel: any Channel, in connections: ConnectionTable) {
        self.channel = channel
        self.connections = connections
        connections.add(channel) { [weak self] in self?.end() }
    }

    /// Serves the connection. If the client ends it during a request, the answer is no longer wanted, and the request is given up.
    func run(_ serve: @escaping @Sendable (ProxyConnection) async -> Void) async {
        // On the connection's thread: each change of threads takes longer than what it is for.
        let task = Task(executorPreference: EventLoopExecutor(channel.eventLoop)) { await serve(self) }
        let hasEnded = state.withLock { state in
            state.task = task
            return state.hasEnded
        }
        if hasEnded { end() }
        channel.closeFuture.whenComplete { [weak self] _ in self?.clientEnded() }
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            end()
        }
        // The task refers to the connection.
        state.withLock { $0.task = nil }
    }

    /// Returns what the client of an opened connection speaks.
    func client() async throws -> TLSTermination.Client {
        let channel = channel
        return try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.handler(type: TLSTermination.self).client
        }.get()
    }

    /// A request begins that the proxy passes on. Returns false if the connection has just been ended.
    func beginRequest() -> Bool { connections.begin(channel) && !state.withLock { $0.hasEnded } }

    /// The next request may come, unless another client waits for room.
    func beginWaiting() {
        if !connections.markIdle(channel) { end() }
    }

    /// HTTP ends. From now on, what the client has sent still reaches the server after the client's end.
    func leaveHTTP() {
        connections.begin(channel, streaming: true)
        state.withLock { $0.isUpgraded = true }
    }

    /// Ends the connection, with the request that is being answered.
    func end() {
        state.withLock { state in
            state.hasEnded = true
            return state.task
        }?.cancel()
        channel.close(promise: nil)
    }

    private func clientEnded() {
        if !state.withLock({ $0.isUpgraded }) { end() }
    }
}
