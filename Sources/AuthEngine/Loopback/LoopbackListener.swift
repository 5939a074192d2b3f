public import AuthModel
import LocalServer
import Localization
import NIOCore
import NIOHTTP1
import Synchronization

/// The loopback listener that receives the provider's callback (RFC 8252 section 7.3), open for one attempt only.
///
/// It listens only on loopback literals, on a port that it shares with no other program. A request reaches the flow only if it is a GET of
/// exactly the redirect URI's path, with exactly its host and port in the Host field, from a program of the same user. Any other request is
/// answered with a fixed page and has no effect. One connection carries one request, limited in size and time.
public final class LoopbackListener: Sendable {
    /// The redirect URI, sent to the provider byte for byte.
    public let redirectURI: String
    /// The rule that was bound, with its port filled in.
    public let rule: RedirectRule

    /// Maximum number of unexpected callbacks that are reported for one attempt.
    package static let reportLimit = 5
    /// The reason reported for a callback that another user sent.
    package static let foreignCallbackReason = UserMessage("callback.from_other_user")

    private let core: ListenerCore
    private let server: SocketServer

    /// Opens the first of `rules` that can be bound.
    ///
    /// - Parameters:
    ///   - rules: in order of preference. A rule for `localhost` is bound on both 127.0.0.1 and ::1, with one port, as far as the machine
    ///     has them: the browser chooses which one it tries first, so no other process may listen on the other one. If the machine lacks
    ///     the literals of all rules, the other literal is used.
    ///   - port: replaces the port of every rule.
    /// - Throws: `.configuration`, naming the ports and, if the system tells, the programs that use them.
    public static func bind(rules: [RedirectRule], port: Int? = nil) async throws(AuthFailure) -> LoopbackListener {
        try await bind(rules: rules, port: port, limits: ListenerLimits())
    }

    static func bind(rules: [RedirectRule], port: Int?, limits: ListenerLimits) async throws(AuthFailure) -> LoopbackListener {
        var failures: [LoopbackBinding.Failure] = []
        var replacements: [RedirectRule] = []
        for rule in rules {
            var wanted = rule
            wanted.port = port ?? rule.port
            do throws(LoopbackBinding.Failure) {
                return try await open(wanted, limits)
            } catch {
                if case .noAddress = error, let other = wanted.otherLoopbackLiteral { replacements.append(other) }
                failures.append(error)
            }
        }
        // Do not assume that a version of IP is available (RFC 8252 section 7.3).
        for replacement in replacements {
            if let listener = try? await open(replacement, limits) { return listener }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }

    private static func open(_ wanted: RedirectRule, _ limits: ListenerLimits) async throws(LoopbackBinding.Failure) -> LoopbackListener {
        let binding = try LoopbackBinding.reserve(wanted.host, port: wanted.port)
        var rule = wanted
        rule.port = binding.port
        let authority = Origin(scheme: .http, host: rule.host, port: binding.port).authority
        let core = ListenerCore(filter: CallbackRequestFilter(path: rule.path, authority: authority), limits: limits)
        let server = try await SocketServer.start(binding, pages: core)
        return LoopbackListener(rule: rule, port: binding.port, core: core, server: server)
    }

    private init(rule: RedirectRule, port: Int, core: ListenerCore, server: SocketServer) {
        self.rule = rule
        redirectURI = rule.uri(port: port)
        self.core = core
        self.server = server
    }

    deinit { core.end() }

    /// A loopback URL that redirects once. Other users can see this URL, but they must not see its target.
    package struct BrowserRedirect: Sendable {
        package let address: WebURL
        /// Finishes when the browser has been redirected.
        package let left: AsyncStream<Never>
    }

    /// Redirects one request for the path `name`, from a program of the same user, to `place`. Returns `nil` if `name` does not make a
    /// valid URL.
    package func sendOnce(to place: WebURL, from name: String) -> BrowserRedirect? {
        let path = "/" + name
        guard let base = WebURL(redirectURI), let address = WebURL(base.origin.description + path) else { return nil }
        let (left, end) = AsyncStream.makeStream(of: Never.self)
        core.offer(.init(path: path, place: place, left: end))
        return BrowserRedirect(address: address, left: left)
    }

    /// Calls `report` for each callback that another user of this machine sent. Such a callback gets a 400 and does not reach the
    /// validator.
    package func reportForeignCallbacks(_ report: @escaping @Sendable () -> Void) { core.reportForeignCallbacks(report) }

    /// Passes each callback's raw query to `validator`, one at a time, until a decision ends the listening. Call it once.
    ///
    /// Returns when the browser has its page. Later callbacks are answered that the sign-in is over. The port stays bound until
    /// ``close()``.
    ///
    /// - Throws: `.cancelled` when the task is cancelled or the listener is closed.
    public func serve(validator: @Sendable (_ query: String) async -> CallbackDecision) async throws(AuthFailure) {
        for await callback in core.callbacks {
            core.connections.begin(callback.connection)
            let decision = await validator(callback.query)
            if decision.endsListening { core.end() }
            callback.answer(decision.page)
            guard decision.endsListening else { continue }
            // Bounded by the time limit for sending a page.
            try? await callback.connection.closeFuture.get()
            for await late in core.callbacks { late.answer(.over) }
            return
        }
        throw AuthFailure(.cancelled, "callback.listener_closed")
    }

    /// Closes the port and every connection. A page that is being sent is sent first.
    public func close() async {
        core.end()
        await server.close()
    }
}

/// The flow's decision on a callback that it validated.
public enum CallbackDecision: Equatable, Sendable {
    /// The callback is the provider's response to this attempt and has a code. Stops listening; the browser shows "Received".
    case accepted
    /// The callback is the provider's response to this attempt: the provider or the user denied it. Stops listening.
    case denied
    /// The callback belongs to this attempt but cannot be trusted (for example, a wrong `iss`, RFC 9207). Stops listening; the browser gets
    /// a 400.
    case refused
    /// The callback is incomplete or does not belong to this attempt; any program may have sent it. The browser gets a 400, and nothing
    /// else changes.
    case ignored

    /// Whether the listener stops waiting for callbacks after this decision.
    var endsListening: Bool { self != .ignored }

    fileprivate var page: CallbackPage {
        switch self {
        case .accepted: .received
        case .denied: .denied
        case .refused, .ignored: .unexpectedCallback
        }
    }
}

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
