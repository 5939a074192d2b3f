public import AuthModel
import NIOCore
import NIOHTTP1
import NIOPosix

/// The place on this machine where the provider's answer arrives (RFC 8252 section 7.3), open for one attempt only.
///
/// It listens on loopback literals and nowhere else, on a port that nobody shares. Of all that arrives, only a GET of exactly the
/// redirect URI's path, with exactly its host and port in the Host field, from a program of the person's own, reaches the flow; everything
/// else is answered with a fixed page and has no effect. One connection carries one request, bounded in size and time.
public final class LoopbackListener: Sendable {
    /// The redirect URI, to be sent to the provider byte for byte.
    public let redirectURI: String
    /// The rule that could be bound, with its port filled in.
    public let rule: RedirectRule

    /// How many answers that are not awaited are reported for one attempt.
    static let reportLimit = 5
    /// Why an answer of another user is not one.
    static let strangersReason = "another user of this machine sent it"

    private let core: ListenerCore
    private let servers: [any Channel]

    /// Opens the first of `rules` that can be bound.
    ///
    /// - Parameters:
    ///   - rules: in the order of preference. A rule for `localhost` is bound on 127.0.0.1 and ::1, with one port, as far as the
    ///     machine has them: which one a browser tries first is its own choice, and no other process may sit on the other one. Where the
    ///     machine lacks the literal of every rule, the other literal serves.
    ///   - port: a port instead of the rules' own.
    /// - Throws: `.configuration`, naming the ports and, where the system tells, the programs that hold them.
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
                if case .noAddress = error, let other = wanted.atTheOtherLiteral { replacements.append(other) }
                failures.append(error)
            }
        }
        // No version of IP is taken for granted (RFC 8252 section 7.3).
        for replacement in replacements {
            if let listener = try? await open(replacement, limits) { return listener }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }

    private static func open(_ wanted: RedirectRule, _ limits: ListenerLimits) async throws(LoopbackBinding.Failure) -> LoopbackListener {
        let reservation = try LoopbackBinding.reserve(wanted)
        var rule = wanted
        rule.port = reservation.port
        let authority = Origin(scheme: .http, host: rule.host, port: reservation.port).authority
        let core = ListenerCore(gate: CallbackRequestFilter(path: rule.path, authority: authority), limits: limits)
        let servers = try await reservation.listen { channel in
            core.connections.add(channel)
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers([
                    RequestMeter(limits: limits),
                    HTTPResponseEncoder(),
                    ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                    CallbackHandler(core: core),
                ])
            }
        }
        return LoopbackListener(rule: rule, port: reservation.port, core: core, servers: servers)
    }

    private init(rule: RedirectRule, port: Int, core: ListenerCore, servers: [any Channel]) {
        self.rule = rule
        redirectURI = rule.uri(port: port)
        self.core = core
        self.servers = servers
    }

    deinit {
        for server in servers { server.close(promise: nil) }
        core.end()
        core.connections.shut()
    }

    /// Where a browser is sent on from: an address of this machine, which anybody may see, while where it leads to may not be seen.
    struct BrowserRedirect: Sendable {
        let address: WebURL
        /// Ends when the browser has left.
        let left: AsyncStream<Never>
    }

    /// Answers one request for a path of that name, from a program of the person's own, with the way to `place`; `nil` where no address can
    /// be made of the name.
    func sendOnce(to place: WebURL, from name: String) -> BrowserRedirect? {
        let path = "/" + name
        guard let base = WebURL(redirectURI), let address = WebURL(base.origin.description + path) else { return nil }
        let (left, end) = AsyncStream.makeStream(of: Never.self)
        core.offer(.init(path: path, place: place, left: end))
        return BrowserRedirect(address: address, left: left)
    }

    /// Calls `report` for each answer that another user of this machine sent. It gets a 400, and nobody judges it.
    func reportStrangers(_ report: @escaping @Sendable () -> Void) { core.reportStrangers(report) }

    /// Gives each callback's raw query to `validator`, one after the other, until a verdict ends the listening. Call it once.
    ///
    /// Returns when the browser has its page; callbacks that come later are told that the sign-in is over. The port stays bound until
    /// ``close()``.
    ///
    /// - Throws: `.cancelled` when the task is cancelled or the listener closed.
    public func serve(validator: @Sendable (_ query: String) async -> CallbackDecision) async throws(AuthFailure) {
        for await callback in core.callbacks {
            core.connections.markAnswering(callback.connection)
            let verdict = await validator(callback.query)
            if verdict.endsListening { core.end() }
            callback.answer(verdict.page)
            guard verdict.endsListening else { continue }
            // Bounded by the time a page may take to be written.
            try? await callback.connection.closeFuture.get()
            for await late in core.callbacks { late.answer(.over) }
            return
        }
        throw AuthFailure(.cancelled, "the sign-in's listener was closed")
    }

    /// Closes the port and every connection; when it returns, nobody listens any more. A page that is being sent is sent first.
    public func close() async {
        core.end()
        for server in servers { try? await server.close() }
        await core.connections.close()
    }
}

extension CallbackDecision {
    fileprivate var page: CallbackPage {
        switch self {
        case .accepted: .received
        case .denied: .denied
        case .refused, .ignored: .notAwaited
        }
    }
}
