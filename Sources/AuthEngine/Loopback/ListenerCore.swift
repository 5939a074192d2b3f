import AuthModel
import NIOCore
import Synchronization

/// The state that the connections of one listener share.
final class ListenerCore: Sendable {
    /// A request that may be the provider's response and waits for the flow's decision.
    struct Callback: Sendable {
        var query: String
        var connection: any Channel
        /// Sends the page. Only the first call has an effect.
        var answer: @Sendable (CallbackPage) -> Void
    }

    /// A redirect that is served once, from `path` to `place`.
    struct OneTimeRedirect: Sendable {
        var path: String
        var place: WebURL
        /// Finishes when the browser has been redirected.
        var left: AsyncStream<Never>.Continuation
        var isOver = false
    }

    let filter: CallbackRequestFilter
    let limits: ListenerLimits
    let connections: ConnectionTable
    let callbacks: AsyncStream<Callback>
    /// Called for each callback that another user of this machine sent.
    private let onForeignCallback: Mutex<(@Sendable () -> Void)?> = Mutex(nil)
    private let redirect: Mutex<OneTimeRedirect?> = Mutex(nil)
    private let inbox: AsyncStream<Callback>.Continuation
    private let isOver = Atomic(false)

    init(filter: CallbackRequestFilter, limits: ListenerLimits) {
        self.filter = filter
        self.limits = limits
        connections = ConnectionTable(limit: limits.connections)
        (callbacks, inbox) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limits.callbacks))
    }

    /// Queues a callback for `serve`. Returns a page to answer with at once when the queue is full or the listener has ended.
    func submit(_ callback: Callback) -> CallbackPage? {
        guard !isOver.load(ordering: .acquiring) else { return .over }
        switch inbox.yield(callback) {
        case .enqueued: return nil
        case .dropped: return .unexpectedCallback
        case .terminated: return .over
        @unknown default: return .over
        }
    }

    /// Sets the function to call when another user of this machine sends a callback.
    func reportForeignCallbacks(_ report: @escaping @Sendable () -> Void) { onForeignCallback.withLock { $0 = report } }

    func recordForeignCallback() { onForeignCallback.withLock { $0 }?() }

    /// Offers a redirect, to be served once.
    func offer(_ redirect: OneTimeRedirect) { self.redirect.withLock { $0 = redirect } }

    var redirectPath: String? { redirect.withLock { $0?.path } }

    /// Returns the redirect's target on the first call; `nil` after that.
    func takeRedirect() -> WebURL? {
        redirect.withLock { redirect in
            guard let place = redirect?.place, redirect?.isOver == false else { return nil }
            redirect?.isOver = true
            redirect?.left.finish()
            return place
        }
    }

    /// Ends the listener: every later callback is answered that the sign-in is over.
    func end() {
        isOver.store(true, ordering: .releasing)
        inbox.finish()
    }
}
