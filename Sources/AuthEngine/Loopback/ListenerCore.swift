import AuthModel
import NIOCore
import Synchronization

/// What the connections of one listener share.
final class ListenerCore: Sendable {
    /// A request that may be the provider's answer, waiting for the flow's verdict.
    struct Callback: Sendable {
        var query: String
        var connection: any Channel
        /// Sends the page; has an effect once.
        var answer: @Sendable (CallbackPage) -> Void
    }

    /// Where a browser is sent on from, once.
    struct BrowserRedirect: Sendable {
        var path: String
        var place: WebURL
        /// Ends when the browser has left.
        var left: AsyncStream<Never>.Continuation
        var isOver = false
    }

    let gate: CallbackRequestFilter
    let limits: ListenerLimits
    let connections: ConnectionTable
    let callbacks: AsyncStream<Callback>
    /// Called for each answer that another user of this machine sent.
    private let onStranger: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
    private let departure: Mutex<BrowserRedirect?> = Mutex(nil)
    private let inbox: AsyncStream<Callback>.Continuation
    private let isOver = Atomic(false)

    init(gate: CallbackRequestFilter, limits: ListenerLimits) {
        self.gate = gate
        self.limits = limits
        connections = ConnectionTable(limit: limits.connections)
        (callbacks, inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limits.callbacks))
    }

    /// Hands a callback to whoever serves; returns a page when nobody will judge it.
    func submit(_ callback: Callback) -> CallbackPage? {
        guard !isOver.load(ordering: .acquiring) else { return .over }
        switch inbox.yield(callback) {
        case .enqueued: return nil
        case .dropped: return .notAwaited
        case .terminated: return .over
        @unknown default: return .over
        }
    }

    /// Says from now on who sent an answer that is nobody's of ours.
    func reportStrangers(_ report: @escaping @Sendable () -> Void) { onStranger.withLock { $0 = report } }

    func noteStranger() { onStranger.withLock { $0 }?() }

    /// Sends a browser on from there, once.
    func offer(_ departure: BrowserRedirect) { self.departure.withLock { $0 = departure } }

    var departurePath: String? { departure.withLock { $0?.path } }

    /// Where a browser is to go that asks now; `nil` after the first.
    func depart() -> WebURL? {
        departure.withLock { departure in
            guard let place = departure?.place, departure?.isOver == false else { return nil }
            departure?.isOver = true
            departure?.left.finish()
            return place
        }
    }

    /// From now on every callback is told that the sign-in is over.
    func end() {
        isOver.store(true, ordering: .releasing)
        inbox.finish()
    }
}
