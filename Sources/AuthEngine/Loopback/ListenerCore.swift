import AuthModel
import Localization
import LocalServer
import NIOCore
import NIOHTTP1
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

extension ListenerCore: PageServer {
    func answer(_ request: PageRequest, on connection: any Channel, reply: @escaping @Sendable (PageAnswer) -> Void) {
        let language = request.language
        let answer: @Sendable (CallbackPage) -> Void = { reply($0.answer(in: language)) }
        let decision = filter.decide(request, redirectPath: redirectPath)
        if case .answer(let page) = decision { return answer(page) }
        guard !PeerOwner.isAnotherUser(of: connection) else {
            recordForeignCallback()
            return answer(.unexpectedCallback)
        }
        switch decision {
        case .answer: break
        case .validate(let query):
            if let page = submit(Callback(query: query, connection: connection, answer: answer)) { answer(page) }
        case .redirectToProvider:
            connections.begin(connection)
            guard let place = takeRedirect() else { return answer(.over) }
            // 303, so that the browser continues with GET, and with the page's no-referrer header.
            var leading = CallbackPage.over.answer(in: .english)
            (leading.status, leading.body) = (.seeOther, "")
            leading.headers.replaceOrAdd(name: "Content-Length", value: "0")
            leading.headers.add(name: "Location", value: place.text)
            reply(leading)
        }
    }
}

/// Limits on what a client of the listener may use.
struct ListenerLimits: Sendable {
    /// Maximum length of the request line, in bytes.
    var requestLine = 8 << 10
    /// Maximum number of bytes that a connection may send. Browsers send the cookies of every local service, so a lower limit is too small.
    var request = 64 << 10
    /// Time limit from the connection's start to the end of its request.
    var readTime = TimeAmount.seconds(5)
    /// Time limit for sending the page.
    var writeTime = TimeAmount.seconds(2)
    /// Maximum number of open connections. One more closes the oldest, preferring one that is not answering, so that idle connections block
    /// no callback.
    var connections = 64
    /// Maximum number of callbacks that wait for a decision.
    var callbacks = 16
}

/// A request exceeded ``ListenerLimits``.
struct RequestTooLarge: Error {}

/// Counts the bytes of a connection before the parser reads them, so that no parser holds more than the limits.
final class RequestMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let limits: ListenerLimits
    private var count = 0
    private var isPastRequestLine = false
    private var isExceeded = false

    init(limits: ListenerLimits) {
        self.limits = limits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isExceeded else { return }
        let bytes = unwrapInboundIn(data)
        if !isPastRequestLine {
            let line = bytes.readableBytesView.firstIndex(of: 0x0A).map { $0 - bytes.readerIndex } ?? bytes.readableBytes
            isPastRequestLine = line < bytes.readableBytes
            isExceeded = count + line > limits.requestLine
        }
        count += bytes.readableBytes
        isExceeded = isExceeded || count > limits.request
        if isExceeded {
            context.fireErrorCaught(RequestTooLarge())
        } else {
            context.fireChannelRead(wrapInboundOut(bytes))
        }
    }
}

/// Decides which requests reach the flow. Pure.
struct CallbackRequestFilter: Sendable {
    enum Decision: Equatable {
        /// The request may be the provider's response; `query` is its raw query.
        case validate(query: String)
        /// The browser asks for the one-time redirect to the provider.
        case redirectToProvider
        /// Any other request. It gets this page and has no effect.
        case answer(CallbackPage)
    }

    /// The path of the redirect URI, byte for byte.
    var path: String
    /// The exact value required in the Host field.
    var authority: String

    /// Decides on a request.
    ///
    /// - Parameter redirectPath: the path, without a query, that redirects the browser to the provider.
    func decide(_ request: PageRequest, redirectPath: String? = nil) -> Decision {
        guard request.isFor(authority: authority) else { return .answer(.unexpectedCallback) }
        let target = request.head.uri
        let mark = target.firstIndex(of: "?") ?? target.endIndex
        let isRedirectPath = target == redirectPath
        guard isRedirectPath || target[..<mark] == path[...] else { return .answer(.notFound) }
        guard request.head.method == .GET else { return .answer(.methodNotAllowed) }
        guard request.body.isEmpty, request.isNavigation else { return .answer(.unexpectedCallback) }
        return isRedirectPath ? .redirectToProvider : .validate(query: String(target[mark...].dropFirst()))
    }
}
