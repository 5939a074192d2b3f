internal import NIOCore
internal import Synchronization

/// A client's connection, and the task that serves it.
final class ProxyConnection: Sendable {
    private enum Phase {
        /// Between requests, since this time.
        case waiting(NIODeadline)
        case answering
        /// No longer HTTP.
        case upgraded
    }

    private struct State {
        var phase = Phase.waiting(.now())
        var task: Task<Void, Never>?
        var hasEnded = false
    }

    let channel: any Channel
    private let mustYield: @Sendable () -> Bool
    private let state = Mutex(State())

    /// - Parameter mustYield: whether the connection must end when it waits for a request, because another one needs its place.
    init(_ channel: any Channel, mustYield: @escaping @Sendable () -> Bool) {
        self.channel = channel
        self.mustYield = mustYield
    }

    /// Since when it waits for a request; `nil` during one.
    var idleSince: NIODeadline? {
        state.withLock { if case .waiting(let start) = $0.phase { start } else { nil } }
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

    /// A request begins that the proxy passes on. Returns false if the connection has just been ended.
    func beginRequest() -> Bool {
        state.withLock { state in
            state.phase = .answering
            return !state.hasEnded
        }
    }

    /// The next request may come.
    func beginWaiting() {
        state.withLock { $0.phase = .waiting(.now()) }
        if mustYield() { end() }
    }

    /// HTTP ends. From now on, what the client has sent still reaches the server after the client's end.
    func leaveHTTP() { state.withLock { $0.phase = .upgraded } }

    /// Ends the connection, unless a request is being answered.
    func endIfWaiting() {
        let isWaiting = state.withLock { state in
            guard case .waiting = state.phase else { return false }
            state.hasEnded = true
            return true
        }
        if isWaiting { end() }
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
        let isUpgraded = state.withLock { if case .upgraded = $0.phase { true } else { false } }
        if !isUpgraded { end() }
    }
}
