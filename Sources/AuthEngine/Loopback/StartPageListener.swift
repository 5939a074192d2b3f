package import AuthModel
import Localization
import LocalServer
import NIOCore
import NIOHTTP1
import OAuth
import Synchronization

/// A page on loopback where the user starts a sign-in that a program waits for.
///
/// Reading the page has no effect. A click sends a one-time value that only the page has, by POST, with the page's own origin; so neither a
/// prefetch nor another site nor another user of this machine can start the sign-in. The value belongs to what the page says: once the page
/// says something else, the value is worth nothing.
package final class StartPageListener: Sendable {
    /// The address of the page, with a random path. It stays the same until ``close()``.
    package let address: WebURL
    /// The numbers of the offers that the user accepted. For one reader.
    package let clicks: AsyncStream<Int>

    private let core: StartPageCore
    private let server: SocketServer

    private init(_ address: WebURL, _ core: StartPageCore, _ server: SocketServer) {
        (self.address, self.core, self.server, clicks) = (address, core, server, core.clicks)
    }

    deinit { core.end() }

    /// Opens a port on loopback. The page says that nothing is waiting until there is an offer.
    ///
    /// - Throws: `.configuration` if no port can be bound.
    package static func open() async throws(AuthFailure) -> StartPageListener {
        try await open(limits: ListenerLimits())
    }

    static func open(limits: ListenerLimits) async throws(AuthFailure) -> StartPageListener {
        var failures: [LoopbackBinding.Failure] = []
        for host in ["127.0.0.1", "::1"] {
            do throws(LoopbackBinding.Failure) {
                let binding = try LoopbackBinding.reserve(host, port: nil)
                let core = StartPageCore(Origin(scheme: .http, host: host, port: binding.port), limits: limits)
                let server = try await SocketServer.start(binding, pages: core)
                if let address = WebURL(core.origin + core.path) { return StartPageListener(address, core, server) }
            } catch {
                failures.append(error)
            }
        }
        throw LoopbackBinding.Failure.combined(failures)
    }

    /// Shows a sign-in, in place of the one that the page has shown. Returns its number.
    package func offer(_ page: StartPage) -> Int { core.offer(page) }

    /// Ends the offer: the page says that nothing is waiting any more.
    package func withdraw() { core.withdraw() }

    /// Closes the port.
    package func close() async {
        core.end()
        await server.close()
    }
}

/// The state that the connections of a ``StartPageListener`` share.
final class StartPageCore: PageServer {
    /// The content of the page.
    private enum Phase {
        case nothing
        case offer(StartPage, once: String)
        /// The user has clicked.
        case started
    }

    private struct State {
        var phase = Phase.nothing
        var number = 0
    }

    /// The page's origin, as a browser writes it.
    let origin: String
    let path: String
    let limits: ListenerLimits
    let connections: ConnectionTable
    let clicks: AsyncStream<Int>
    private let authority: String
    private let click: AsyncStream<Int>.Continuation
    private let state = Mutex(State())

    init(_ origin: Origin, limits: ListenerLimits) {
        (self.origin, authority, self.limits) = (origin.description, origin.authority, limits)
        path = "/" + Self.random()
        connections = ConnectionTable(limit: limits.connections)
        (clicks, click) = AsyncStream.makeStream()
    }

    /// 256 random bits.
    private static func random() -> String { Base64URL.encode([UInt8].random(count: 32)) }

    func offer(_ page: StartPage) -> Int {
        state.withLock { state in
            state.phase = .offer(page, once: Self.random())
            state.number += 1
            return state.number
        }
    }

    func withdraw() { state.withLock { $0.phase = .nothing } }

    func end() {
        withdraw()
        click.finish()
    }

    func answer(_ request: PageRequest, on connection: any Channel, reply: @escaping @Sendable (PageAnswer) -> Void) {
        let language = request.language
        func answer(_ page: CallbackPage) { reply(page.answer(in: language)) }
        let head = request.head
        guard request.isFor(authority: authority) else { return answer(.unexpectedCallback) }
        guard head.uri == path else { return answer(.notFound) }
        guard [.GET, .POST].contains(head.method) else {
            var refusal = CallbackPage.methodNotAllowed.answer(in: language)
            refusal.headers.replaceOrAdd(name: "Allow", value: "GET, POST")
            return reply(refusal)
        }
        guard head.method == .POST ? isOwnForm(request) : request.body.isEmpty, request.isNavigation,
            !PeerOwner.isAnotherUser(of: connection)
        else { return answer(.unexpectedCallback) }
        let page: PageAnswer? = state.withLock { state in
            switch state.phase {
            case .nothing: return nil
            case .started: return StartPage.started(in: language)
            case .offer(let page, let once):
                guard head.method == .POST else { return page.answer(in: language, once: once, hasChanged: false) }
                guard request.body == Array("\(StartPage.field)=\(once)".utf8) else {
                    return page.answer(in: language, once: once, hasChanged: true)
                }
                state.phase = .started
                click.yield(state.number)
                return StartPage.started(in: language)
            }
        }
        if let page { reply(page) } else { answer(.over) }
    }

    /// Whether a browser sent the request because of the page's own form. Every browser names the origin of a form.
    private func isOwnForm(_ request: PageRequest) -> Bool {
        let headers = request.head.headers
        return headers["origin"] == [origin] && headers["content-type"] == ["application/x-www-form-urlencoded"]
            && headers["sec-fetch-site"].allSatisfy { $0 == "same-origin" }
    }
}

/// The page that says which sign-in a program waits for, and starts it after the user's click.
package struct StartPage: Equatable, Sendable {
    /// The host that the program wants to use.
    let host: String
    /// The session or the provider to sign in with.
    let session: String
    /// The scopes that the session would have in addition.
    let scopes: [String]

    /// The maximum number of scopes that are shown, and of characters in each: a server chooses them.
    private static let scopeLimit = 64
    private static let lengthLimit = 200

    /// Creates a page; `nil` for more than the page can show, because the user must see all that a click allows.
    package init?(host: String, session: String, scopes: [String]) {
        guard scopes.count <= Self.scopeLimit, scopes.allSatisfy({ $0.utf8.count <= Self.lengthLimit }) else { return nil }
        (self.host, self.session, self.scopes) = (host, session, scopes)
    }

    /// The name of the form's only field, which has the one-time value.
    static let field = "once"

    /// Returns the page with its form.
    ///
    /// - Parameters:
    ///   - once: the one-time value: base64url.
    ///   - hasChanged: whether the user clicked on a page that said something else.
    func answer(in language: Language, once: String, hasChanged: Bool) -> PageAnswer {
        let title = UserMessage("start_page.title").text(in: language)
        var content = "<h1>\(title)</h1>"
        if hasChanged { content += "<p><b>\(UserMessage("start_page.changed").text(in: language))</b></p>" }
        content += "<p>\(Self.html("start_page.waiting", ["host": host, "session": session], in: language))</p>"
        if !scopes.isEmpty {
            content += "<p>\(UserMessage("start_page.scopes").text(in: language))</p><ul>"
            content += scopes.map { "<li>\(Self.escape($0))</li>" }.joined() + "</ul>"
        }
        content += """
            <form method="post"><input type="hidden" name="\(Self.field)" value="\(once)">\
            <button>\(UserMessage("start_page.sign_in").text(in: language))</button></form>\
            <p>\(UserMessage("start_page.caution").text(in: language))</p>
            """
        return PageAnswer(hasChanged ? .conflict : .ok, title: title, in: language, content: content, hasForm: true)
    }

    /// Returns the page that the browser shows after the click.
    static func started(in language: Language) -> PageAnswer {
        let title = UserMessage("start_page.started").text(in: language)
        let text = UserMessage("start_page.started_text").text(in: language)
        return PageAnswer(
            .ok, title: title, in: language,
            content: "<div class=\"mark\" aria-hidden=\"true\">✓</div><h1>\(title)</h1><p>\(text)</p>")
    }

    /// Returns a text with its arguments in bold.
    private static func html(_ code: String, _ arguments: [String: String], in language: Language) -> String {
        let escaped = arguments.mapValues { UserMessage.Argument.text("<b>\(escape($0))</b>") }
        return UserMessage(code: code, arguments: escaped).text(in: language)
    }

    /// Returns a text as HTML. Everything but printable ASCII becomes a question mark: names of hosts, sessions and scopes have nothing
    /// else.
    private static func escape(_ text: String) -> String {
        var out = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": out += "&amp;"
            case "<": out += "&lt;"
            case ">": out += "&gt;"
            case "\"": out += "&quot;"
            case "'": out += "&#39;"
            case " "..."~": out.unicodeScalars.append(scalar)
            default: out += "?"
            }
        }
        return out
    }
}
