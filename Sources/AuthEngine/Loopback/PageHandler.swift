import AuthModel
import LocalServer
import Localization
import NIOCore
import NIOHTTP1

/// A type that answers the requests at a loopback port with pages: the listener of callbacks, or the page that starts a sign-in.
protocol PageServer: Sendable {
    var limits: ListenerLimits { get }
    var connections: ConnectionTable { get }

    /// Answers a request. Called on the event loop of its connection.
    ///
    /// - Parameter reply: sends the answer, from any thread. Only the first call has an effect.
    func answer(_ request: PageRequest, on connection: any Channel, reply: @escaping @Sendable (PageAnswer) -> Void)
}

/// Limits on what a client of a page server may use.
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

/// A whole request at a loopback port.
struct PageRequest {
    let head: HTTPRequestHead
    /// The body, within ``ListenerLimits/request``.
    let body: [UInt8]

    /// The language of the pages that answer it.
    var language: Language { Language(acceptLanguage: head.headers["accept-language"]) }

    /// Whether the target is in origin form (RFC 9112 section 3.2.1), without a fragment or a character that needs escaping, and the
    /// request names exactly this host and port. Another value in the Host field means that a foreign host name resolves to this machine.
    func isFor(authority: String) -> Bool {
        head.version.major == 1 && head.headers["host"] == [authority] && head.uri.utf8.first == UInt8(ascii: "/")
            && head.uri.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }

    /// Whether the request is a top-level navigation, or comes from a program that does not send Fetch Metadata. The provider's redirect
    /// and the submission of a page's form are navigations; a request by an image, frame or script of another page is not. Every browser
    /// that sends the mode also sends the site; an HTTP library that follows the redirect may send the mode alone.
    var isNavigation: Bool {
        let (headers, destinations) = (head.headers, head.headers["sec-fetch-dest"])
        if destinations.isEmpty, headers["sec-fetch-site"].isEmpty { return true }
        return headers["sec-fetch-mode"].allSatisfy { $0 == "navigate" } && destinations.allSatisfy { $0 == "document" }
    }
}

/// An answer at a loopback port.
struct PageAnswer: Sendable {
    var status: HTTPResponseStatus
    var headers: HTTPHeaders
    var body: String
}

/// Handles one connection: reads one request, answers it and closes.
final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: any PageServer
    private var context: ChannelHandlerContext?
    private let deadline: ConnectionDeadline
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    /// Whether the request is decided. Later input on this connection is ignored.
    private var isDecided = false
    private var isAnswered = false

    init(server: any PageServer, channel: any Channel) {
        self.server = server
        deadline = ConnectionDeadline(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline.set(server.limits.readTime)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline.cancel()
        self.context = nil
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDecided else { return }
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        // The meter before the parser limits the bytes of the connection.
        case .body(let bytes): body += bytes.readableBytesView
        case .end:
            guard let head else { return }
            isDecided = true
            deadline.clear()
            let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
            server.answer(PageRequest(head: head, body: body), on: context.channel) { answer in
                handler.eventLoop.execute { handler.value.send(answer) }
            }
        }
    }

    /// Handles a request that could not be parsed, or a broken connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        let language = Language(acceptLanguage: head?.headers["accept-language"] ?? [])
        switch error {
        case is RequestTooLarge where !isDecided: send(CallbackPage.tooLarge.answer(in: language))
        case is HTTPParserError where !isDecided: send(CallbackPage.unexpectedCallback.answer(in: language))
        default: context.close(promise: nil)
        }
        isDecided = true
    }

    private func send(_ answer: PageAnswer) {
        guard !isAnswered, let context else { return }
        isAnswered = true
        server.connections.begin(context.channel)
        deadline.set(server.limits.writeTime)
        let response = HTTPResponseHead(version: .http1_1, status: answer.status, headers: answer.headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head?.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.body)))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}

/// A fixed page that the browser shows, in a language that it asks for.
///
/// A page never contains any part of a request, so nothing needs escaping. Its header fields forbid everything but its own style: no
/// script, no form, no other resource.
enum CallbackPage: Equatable, CaseIterable {
    /// The page says "Received" and not "success", because the response is validated after the page is sent.
    case received
    case denied
    case unexpectedCallback
    case notFound
    case methodNotAllowed
    case over
    case tooLarge

    var status: HTTPResponseStatus {
        switch self {
        case .received, .denied: .ok
        case .unexpectedCallback: .badRequest
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .over: .gone
        case .tooLarge: .requestHeaderFieldsTooLarge
        }
    }

    private var text: (title: UserMessage, body: UserMessage) {
        switch self {
        case .received: ("callback_page.received", "callback_page.received_text")
        case .denied: ("callback_page.denied", "callback_page.denied_text")
        case .unexpectedCallback: ("callback_page.unexpected", "callback_page.unexpected_text")
        case .notFound: ("callback_page.not_found", "callback_page.not_found_text")
        case .methodNotAllowed: ("callback_page.not_allowed", "callback_page.not_allowed_text")
        case .over: ("callback_page.over", "callback_page.over_text")
        case .tooLarge: ("callback_page.too_large", "callback_page.too_large_text")
        }
    }

    /// The sign that tells at a glance whether the response arrived.
    private var mark: (text: String, style: String) {
        switch self {
        case .received: ("✓", "mark")
        case .over: ("✓", "mark")
        case .denied, .unexpectedCallback, .notFound, .methodNotAllowed, .tooLarge: ("✗", "mark bad")
        }
    }

    func answer(in language: Language) -> PageAnswer {
        let (title, body) = (text.title.text(in: language), text.body.text(in: language))
        var answer = PageAnswer(
            status, title: title, in: language,
            content: """
                <div class="\(mark.style)" aria-hidden="true">\(mark.text)</div><h1>\(title)</h1><p>\(body)</p>
                """)
        if self == .methodNotAllowed { answer.headers.add(name: "Allow", value: "GET") }
        return answer
    }

    func html(in language: Language) -> String { answer(in: language).body }
}

extension PageAnswer {
    /// Creates a page.
    ///
    /// - Parameters:
    ///   - content: the HTML of the page's only part.
    ///   - hasForm: whether the page has a form, which only its own address may receive. The browser names the page's origin to that
    ///     address only if it may name a referrer there.
    init(_ status: HTTPResponseStatus, title: String, in language: Language, content: String, hasForm: Bool = false) {
        let html = """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title) - Yett</title>
            <style>\(Self.style)</style></head>
            <body><main>\(content)</main></body>
            </html>

            """
        let form = hasForm ? "'self'" : "'none'"
        self.init(
            status: status,
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Language": language.rawValue,
                "Content-Length": String(html.utf8.count),
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": hasForm ? "same-origin" : "no-referrer",
                "Content-Security-Policy":
                    "default-src 'none'; style-src 'sha256-\(Self.styleHash)'; base-uri 'none'; form-action \(form); frame-ancestors 'none'",
                "Connection": "close",
            ], body: html)
    }

    /// The only style that the browser may apply.
    static let style = """

        :root{color-scheme:light dark;--ground:#f6f4ef;--card:#fff;--text:#23262c;--quiet:#5d6470;--mark:#2f7d4f;--line:#dcd7cb}
        @media (prefers-color-scheme:dark){
        :root{--ground:#14171c;--card:#1c2027;--text:#d9d4c7;--quiet:#9aa1af;--mark:#93bf85;--line:#2b313c}
        }
        *{box-sizing:border-box}
        body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1.5rem;background:var(--ground);color:var(--text);
        font:1.05rem/1.5 system-ui,sans-serif}
        main{max-width:26rem;padding:2.5rem 2rem;text-align:center;background:var(--card);border:1px solid var(--line);border-radius:1rem}
        .mark{display:grid;place-items:center;width:4.5rem;height:4.5rem;margin:0 auto 1.25rem;border:.2rem solid var(--mark);
        border-radius:50%;color:var(--mark);font-size:2.5rem;line-height:1}
        .bad{--mark:#b3402f}
        @media (prefers-color-scheme:dark){.bad{--mark:#e88b80}}
        h1{margin:0 0 .5rem;font-size:1.6rem}
        p{margin:0;color:var(--quiet)}
        ul{margin:1rem 0;padding:0;list-style:none}
        li{margin:.25rem 0;overflow-wrap:anywhere;font-family:ui-monospace,monospace}
        b{color:var(--text);overflow-wrap:anywhere}
        form{margin:1.5rem 0}
        button{padding:.6rem 1.6rem;font:inherit;font-weight:600;color:var(--card);background:var(--mark);border:0;border-radius:.5rem}
        button:focus-visible{outline:.2rem solid var(--text);outline-offset:.15rem}

        """
    /// The SHA-256 of ``style`` in Base64, by which the browser recognises it.
    static let styleHash = "gTtdoLv0P+TpNn9rWJMjRngKgGY0eqBwb8Ib3p5CmJ0="
}

extension Language {
    /// Chooses the language of a page by the field Accept-Language (RFC 9110 section 12.5.4). Default: English.
    init(acceptLanguage fields: [String]) {
        let ranges = fields.joined(separator: ",").split(separator: ",").prefix(20).map { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " } }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            return (tag: parts.first ?? "", weight: weight)
        }
        let wanted = ranges.enumerated().filter { $0.element.weight > 0 }
            .sorted { ($1.element.weight, $0.offset) < ($0.element.weight, $1.offset) }
        self = wanted.lazy.compactMap { Language(locale: String($0.element.tag.prefix { $0 != "-" })) }.first ?? .english
    }
}
