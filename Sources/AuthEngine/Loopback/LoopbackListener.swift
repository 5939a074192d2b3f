public import AuthModel
import LocalServer
import NIOCore
import NIOHTTP1
import OperatingSystem
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

extension SocketServer {
    /// Serves pages at a loopback port. One connection carries one request.
    static func start(_ binding: LoopbackBinding, pages: any PageServer) async throws(LoopbackBinding.Failure) -> SocketServer {
        try await start(binding, connections: pages.connections) { channel in
            [
                RequestMeter(limits: pages.limits), HTTPResponseEncoder(),
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)), PageHandler(server: pages, channel: channel),
            ]
        }
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
    /// The callback is incomplete or does not belong to this attempt; any program may have sent it. The browser gets a 400, and nothing else changes.
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

/// A reserved port of 127.0.0.1, for a redirect URI that is registered with its port. It is released when this value is deallocated.
///
/// The port lies below the ports that the system assigns to connections (`ip_local_port_range`), so that it is likely to be free at later
/// sign-ins.
public final class ReservedPort: Sendable {
    /// The port number.
    public let number: Int
    private let binding: LoopbackBinding

    /// Maximum number of ports to try. If all of them are in use, something else is wrong with the machine.
    private static let tries = 32
    private static let range = 20_000..<30_000
    /// The ports that this process has chosen: each is registered for another provider, so that their sign-ins do not meet.
    private static let chosen = Mutex<Set<Int>>([])

    private init(_ number: Int, _ binding: LoopbackBinding) {
        self.number = number
        self.binding = binding
    }

    deinit { binding.close() }

    /// Reserves `wanted`, or a random free port.
    ///
    /// - Throws: `.configuration`, naming the program that uses `wanted`.
    public static func reserve(_ wanted: Int? = nil) throws(AuthFailure) -> ReservedPort {
        var failures: [LoopbackBinding.Failure] = []
        for _ in 0..<(wanted == nil ? tries : 1) {
            let port = wanted ?? Int.random(in: range)
            guard wanted != nil || chosen.withLock({ $0.insert(port).inserted }) else { continue }
            do throws(LoopbackBinding.Failure) {
                return ReservedPort(port, try LoopbackBinding.reserve("127.0.0.1", port: port))
            } catch {
                failures = [error]
            }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }
}

extension LoopbackBinding.Failure {
    /// Combines the failures of all rules that were tried into one.
    static func combined(_ failures: [LoopbackBinding.Failure]) -> AuthFailure {
        guard let last = failures.last else {
            return AuthFailure(
                .configuration, "callback.no_redirect", hint: UserMessage("hint.set_redirect", ["redirect": RedirectRule.standard]))
        }
        let texts = failures.map(\.text)
        return AuthFailure(.configuration, .list(texts, by: .semicolon), hint: last.hint)
    }

    private var text: UserMessage {
        switch self {
        case .taken(let port, let holder?):
            UserMessage(
                "callback.port_in_use_by",
                ["port": port, "program": UserMessage("process.name_and_number", ["name": holder.name, "process": holder.process])])
        case .taken(let port, nil): UserMessage("callback.port_in_use", ["port": port])
        case .forbidden(let port): UserMessage("callback.port_needs_privileges", ["port": port])
        case .noAddress(let host): UserMessage("callback.address_not_available", ["host": host])
        case .other(let host, let error):
            UserMessage("callback.cannot_listen", ["host": host, "reason": error.text])
        case .noEventLoop:
            UserMessage(
                "callback.cannot_listen",
                ["host": UserMessage("phrase.loopback_address"), "reason": UserMessage("phrase.no_event_loop")])
        }
    }

    private var hint: UserMessage {
        switch self {
        case .taken: "hint.stop_program_or_other_redirect"
        case .forbidden: "hint.register_port_above_1023"
        case .noAddress(let host): host == "::1" ? "hint.set_redirect_ipv4" : "hint.set_redirect_ipv6"
        case .other, .noEventLoop: "hint.run_doctor"
        }
    }
}
