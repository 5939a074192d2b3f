import AuthModel
import NIOCore
import NIOHTTP1

/// Handles one connection: reads requests one after the other, each limited in size and time, and answers them.
///
/// Input that arrives while a request is answered is not read as a request: the connection is closed after that answer.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private enum Phase {
        case waiting
        case reading(HTTPRequestHead, [UInt8])
        case answering(Task<Void, Never>?)
        case closing
    }

    private let service: AgentService
    private let limits: ServerLimits
    private let connections: Connections
    private let caller: Caller
    private var phase = Phase.waiting
    private var keepsAlive = false
    private var deadline: Scheduled<Void>?

    init(service: AgentService, limits: ServerLimits, connections: Connections, caller: Caller) {
        self.service = service
        self.limits = limits
        self.connections = connections
        self.caller = caller
    }

    func handlerAdded(context: ChannelHandlerContext) { setDeadline(limits.readTime, context) }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// Handles the end of input. A caller that closes its sending side after its request still gets the answer; no further request is read.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent {
            switch phase {
            case .answering: keepsAlive = false
            case .waiting, .reading, .closing: context.close(promise: nil)
            }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func end() {
        deadline?.cancel()
        if case .answering(let task) = phase { task?.cancel() }
        phase = .closing
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), phase) {
        case (.head(let head), .waiting):
            keepsAlive = head.isKeepAlive
            phase = .reading(head, [])
            if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > limits.body { refuseSize(context) }
        case (.body(let part), .reading(let head, var body)):
            guard body.count + part.readableBytes <= limits.body else { return refuseSize(context) }
            phase = .waiting
            body.append(contentsOf: part.readableBytesView)
            phase = .reading(head, body)
        case (.end, .reading(let head, let body)): begin(head, body, context)
        case (_, .answering): keepsAlive = false
        default: break
        }
    }

    /// Handles a request that could not be parsed, or a broken connection.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error, phase) {
        case (is HTTPParserError, .waiting), (is HTTPParserError, .reading):
            keepsAlive = false
            send(.failure(AuthFailure(.usage, "agent.http_request_not_accepted")), context)
        case (is HTTPParserError, .answering): keepsAlive = false
        default: context.close(promise: nil)
        }
    }

    private func refuseSize(_ context: ChannelHandlerContext) {
        keepsAlive = false
        send(.failure(AuthFailure(.usage, UserMessage("agent.request_too_large", ["limit": limits.body])), status: 413), context)
    }

    private func begin(_ head: HTTPRequestHead, _ body: [UInt8], _ context: ChannelHandlerContext) {
        deadline?.cancel()
        connections.begin(context.channel)
        func field(_ name: String) -> String? { head.headers.first(name: name) }
        let request = AgentRequest(
            method: head.method.rawValue, target: head.uri, protocolVersion: field(AgentProtocol.versionField),
            store: field(AgentHome.storeField), configuration: field(AgentHome.configurationField),
            programVersion: field(AgentProtocol.programVersionField), body: body, caller: caller)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // Send interim responses only to our own clients: another program may take an interim status line for the answer.
        if request.protocolVersion != nil, head.version == .http1_1 { sendInterimResponses(context) }
        phase = .answering(
            Task(executorPreference: service.isAnsweredOnLoop(request) ? LoopExecutor(context.eventLoop) : nil) { [service] in
                let answer = await service.answer(request)
                handler.eventLoop.execute { handler.value.send(answer, bound.value) }
            })
    }

    /// Sends an interim response (RFC 9110 section 15.2) every few seconds until the answer is ready, so that the caller can distinguish a
    /// working agent from a stopped one.
    private func sendInterimResponses(_ context: ChannelHandlerContext) {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: limits.interimResponseInterval) {
            guard case .answering(.some) = handler.value.phase else { return }
            let head = HTTPResponseHead(version: .http1_1, status: .processing)
            bound.value.writeAndFlush(handler.value.wrapOutboundOut(.head(head)), promise: nil)
            handler.value.sendInterimResponses(bound.value)
        }
    }

    private func send(_ answer: AgentAnswer, _ context: ChannelHandlerContext) {
        // The caller has closed the connection.
        if case .closing = phase { return }
        switch answer {
        case .document(let status, let bytes): send(status, bytes, context: context)
        case .events(let events): stream(events, context)
        case .output(let result): send(result, context)
        }
    }

    /// Sends the output of a command: standard output, then standard error. The launcher copies them unchanged.
    private func send(_ result: LauncherCommand.Result, _ context: ChannelHandlerContext) {
        let fields = [
            (AgentProtocol.exitStatusField, String(result.status)), (AgentProtocol.outputLengthField, String(result.output.count)),
        ]
        send(200, result.output + result.diagnostics, type: "application/octet-stream", fields: fields, context: context)
    }

    private func send(
        _ status: Int, _ bytes: [UInt8], type: String = "application/json", fields: [(String, String)] = [],
        context: ChannelHandlerContext
    ) {
        phase = .answering(nil)
        var headers = Self.headers(type: type)
        for (name, value) in fields { headers.add(name: name, value: value) }
        headers.add(name: "Content-Length", value: String(bytes.count))
        headers.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close")
        let head = HTTPResponseHead(version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(context.channel.allocator.buffer(bytes: bytes)))), promise: nil)
        setDeadline(limits.writeTime, context)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { result in handler.value.sent(result, bound.value) }
    }

    private func sent(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        guard case .success = result, keepsAlive, case .answering = phase, connections.markIdle(context.channel) else {
            return context.close(promise: nil)
        }
        phase = .waiting
        setDeadline(limits.readTime, context)
    }

    /// Sends server-sent events (HTML standard, section 9.2) until the stream ends, or the reader disconnects or falls behind.
    private func stream(_ events: AsyncStream<JSONValue>, _ context: ChannelHandlerContext) {
        keepsAlive = false
        deadline?.cancel()
        connections.begin(context.channel, streaming: true)
        var headers = Self.headers(type: "text/event-stream")
        headers.add(name: "Transfer-Encoding", value: "chunked")
        headers.add(name: "Connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        let channel = context.channel
        phase = .answering(
            Task {
                for await event in events {
                    guard channel.isWritable, !Task.isCancelled else { break }
                    let text = "event: \(event["type"]?.string ?? "message")\ndata: \(event.text)\n\n"
                    channel.writeAndFlush(HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: text))), promise: nil)
                }
                if channel.isWritable { try? await channel.writeAndFlush(HTTPServerResponsePart.end(nil)) }
                channel.close(promise: nil)
            })
    }

    private static func headers(type: String) -> HTTPHeaders {
        [
            "Content-Type": type, "Cache-Control": "no-store", AgentProtocol.versionField: String(AgentProtocol.version),
        ]
    }

    private func setDeadline(_ time: TimeAmount, _ context: ChannelHandlerContext) {
        deadline?.cancel()
        let channel = context.channel
        deadline = context.eventLoop.scheduleTask(in: time) { channel.close(promise: nil) }
    }
}
