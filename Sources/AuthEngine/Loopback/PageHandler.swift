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

/// A whole request at a loopback port.
struct PageRequest {
    let head: HTTPRequestHead
    /// The body, within ``ListenerLimits/request``.
    let body: [UInt8]

    /// The language of the pages that answer it.
    var language: Language { Language(acceptLanguage: head.headers["accept-language"]) }

    /// Whether the target is in origin form (RFC 9112 section 3.2.1), without a fragment or a character that needs escaping, and the request
    /// names exactly this host and port. Another value in the Host field means that a foreign host name resolves to this machine.
    func isFor(authority: String) -> Bool {
        head.version.major == 1 && head.headers["host"] == [authority] && head.uri.utf8.first == UInt8(ascii: "/")
            && head.uri.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }
    }

    /// Whether the request is a top-level navigation, or comes from a program that does not send Fetch Metadata. The provider's redirect and
    /// the submission of a page's form are navigations; a request by an image, frame or script of another page is not. Every browser that
    /// sends the mode also sends the site; an HTTP library that follows the redirect may send the mode alone.
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
