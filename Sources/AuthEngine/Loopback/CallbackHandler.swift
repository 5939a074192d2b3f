import AuthModel
import LocalServer
import Localization
import NIOCore
import NIOHTTP1

/// Handles one connection: reads one request, answers it and closes.
final class CallbackHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let core: ListenerCore
    private var context: ChannelHandlerContext?
    private let deadline: ConnectionDeadline
    private var head: HTTPRequestHead?
    private var hasBody = false
    /// Whether the request is decided. Later input on this connection is ignored.
    private var isDecided = false
    private var isAnswered = false

    init(core: ListenerCore, channel: any Channel) {
        self.core = core
        deadline = ConnectionDeadline(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline.set(core.limits.readTime)
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
        case .body: hasBody = true
        case .end:
            guard let head else { return }
            isDecided = true
            deadline.clear()
            let decision = core.filter.decide(head, hasBody: hasBody, redirectPath: core.redirectPath)
            if case .answer(let page) = decision { return answer(page) }
            guard !PeerOwner.isAnotherUser(of: context.channel) else {
                core.recordForeignCallback()
                return answer(.unexpectedCallback)
            }
            switch decision {
            case .answer: break
            case .validate(let query): submit(query, context)
            case .redirectToProvider:
                core.connections.begin(context.channel)
                if let place = core.takeRedirect() { send(on: place) } else { answer(.over) }
            }
        }
    }

    /// Handles a request that could not be parsed, or a broken connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case is RequestTooLarge where !isDecided: answer(.tooLarge)
        case is HTTPParserError where !isDecided: answer(.unexpectedCallback)
        default: context.close(promise: nil)
        }
        isDecided = true
    }

    private func submit(_ query: String, _ context: ChannelHandlerContext) {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let callback = ListenerCore.Callback(query: query, connection: context.channel) { page in
            handler.eventLoop.execute { handler.value.answer(page) }
        }
        if let page = core.submit(callback) { answer(page) }
    }

    private func answer(_ page: CallbackPage) {
        let language = Language(acceptLanguage: head?.headers["accept-language"] ?? [])
        answer(page.status, page.headers(in: language), page.html(in: language))
    }

    /// Redirects the browser with 303, so that it continues with GET, and with the page's no-referrer header.
    private func send(on place: WebURL) {
        var headers = CallbackPage.over.headers(in: .english)
        headers.replaceOrAdd(name: "Content-Length", value: "0")
        headers.add(name: "Location", value: place.text)
        answer(.seeOther, headers, "")
    }

    private func answer(_ status: HTTPResponseStatus, _ headers: HTTPHeaders, _ body: String) {
        guard !isAnswered, let context else { return }
        isAnswered = true
        core.connections.begin(context.channel)
        deadline.set(core.limits.writeTime)
        let response = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(response)), promise: nil)
        if head?.method != .HEAD {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: body)))), promise: nil)
        }
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
    }
}
