import AuthModel
import Glibc
import LocalServer
import NIOCore
import NIOHTTP1

/// Handles one connection: reads requests one after the other, each limited in size and time, and answers them.
///
/// Input that arrives while a request is answered is not read as a request: the connection is closed after that answer.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = ByteBuffer

    private enum Phase {
        case waiting
        case reading(HTTPRequestHead)
        case answering(Task<Void, Never>?)
        case closing
    }

    private let service: any RequestAnswering
    private let limits: ServerLimits
    private let connections: ConnectionTable
    private let caller: Caller
    private var phase = Phase.waiting
    /// The body of the request that is being read. Not in the phase, where each arriving part would copy it.
    private var body: [UInt8] = []
    private var keepsAlive = false
    private let deadline: ConnectionDeadline
    private var interimResponse: Scheduled<Void>?
    /// An answer to the request that was just read, sent when the input read with it has been handled.
    private var cachedAnswer: AgentResponse?

    /// Accepts and serves connections at a listening socket.
    ///
    /// - Parameters:
    ///   - listener: the socket, which is closed with the server.
    ///   - file: the file of the socket, if it is removed with the server.
    ///   - user: the only user whose connections are accepted.
    static func serve(
        _ listener: Int32, file: SocketFile? = nil, service: any RequestAnswering, limits: ServerLimits, user: uid_t = geteuid(),
        whenUnused: @escaping @Sendable () -> Void = {}
    ) async throws -> SocketServer {
        let connections = ConnectionTable(limit: limits.connections, whenUnused: whenUnused)
        return try await SocketServer.start(
            listener, file: file, user: user, connections: connections, backlog: limits.backlog
        ) { channel, peer in
            [
                ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .dropBytes)),
                ConnectionHandler(
                    service: service, limits: limits, connections: connections, caller: Caller(process: peer.process, user: peer.user),
                    channel: channel),
            ]
        }
    }

    private init(service: any RequestAnswering, limits: ServerLimits, connections: ConnectionTable, caller: Caller, channel: any Channel) {
        self.service = service
        self.limits = limits
        self.connections = connections
        self.caller = caller
        deadline = ConnectionDeadline(channel)
    }

    func handlerAdded(context: ChannelHandlerContext) { deadline.set(limits.readTime) }

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
        deadline.cancel()
        interimResponse?.cancel()
        if case .answering(let task) = phase { task?.cancel() }
        phase = .closing
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch (unwrapInboundIn(data), phase) {
        case (.head(let head), .waiting):
            keepsAlive = head.isKeepAlive
            (phase, body) = (.reading(head), [])
            if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }), length > limits.body { refuseSize(context) }
        case (.body(let part), .reading):
            guard body.count + part.readableBytes <= limits.body else { return refuseSize(context) }
            body.append(contentsOf: part.readableBytesView)
        case (.end, .reading(let head)):
            let whole = body
            body = []
            begin(head, whole, context)
        case (_, .answering): keepsAlive = false
        default: break
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if let answer = cachedAnswer {
            cachedAnswer = nil
            send(answer, context)
        }
        context.fireChannelReadComplete()
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
        func field(_ name: String) -> String? { head.headers.first(name: name) }
        let request = AgentRequest(
            method: head.method.rawValue, target: head.uri, protocolVersion: field(AgentProtocol.versionField),
            store: field(AgentHome.storeField), configuration: field(AgentHome.configurationField),
            programVersion: field(AgentProtocol.programVersionField), body: body, caller: caller)
        if let answer = service.cachedAnswer(request) {
            cachedAnswer = answer
            phase = .answering(nil)
            return
        }
        deadline.clear()
        connections.begin(context.channel)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        // Send interim responses only to our own clients: another program may take an interim status line for the answer.
        if request.protocolVersion != nil, head.version == .http1_1 { sendInterimResponses(context) }
        phase = .answering(
            Task(executorPreference: service.isAnsweredOnLoop(request) ? EventLoopExecutor(context.eventLoop) : nil) { [service] in
                let answer = await service.answer(request)
                handler.eventLoop.execute { handler.value.send(answer, bound.value) }
            })
    }

    /// Sends an interim response (RFC 9110 section 15.2) every few seconds until the answer is ready, so that the caller can distinguish a
    /// working agent from a stopped one.
    private func sendInterimResponses(_ context: ChannelHandlerContext) {
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        interimResponse = context.eventLoop.scheduleTask(in: limits.interimResponseInterval) {
            guard case .answering(.some) = handler.value.phase else { return }
            bound.value.writeAndFlush(handler.value.wrapOutboundOut(ResponseEncoding.processing), promise: nil)
            handler.value.sendInterimResponses(bound.value)
        }
    }

    private func send(_ answer: AgentResponse, _ context: ChannelHandlerContext) {
        // The caller has closed the connection.
        if case .closing = phase { return }
        switch answer {
        case .document(let status, let bytes): send(status, bytes, context: context)
        case .events(let events): stream(events, context)
        case .output(let result): send(result, context)
        }
    }

    /// Sends the output of a command: standard output, then standard error. The launcher copies them unchanged.
    private func send(_ result: LauncherCommand.Output, _ context: ChannelHandlerContext) {
        let fields = [
            (AgentProtocol.exitStatusField, String(result.status)), (AgentProtocol.outputLengthField, String(result.output.count)),
        ]
        send(200, result.output + result.diagnostics, type: "application/octet-stream", fields: fields, context: context)
    }

    private func send(
        _ status: Int, _ bytes: [UInt8], type: String = ResponseEncoding.documentType, fields: [(name: String, value: String)] = [],
        context: ChannelHandlerContext
    ) {
        phase = .answering(nil)
        interimResponse?.cancel()
        let response = ResponseEncoding.response(
            status, bytes, type: type, fields: fields, keepsAlive: keepsAlive, context.channel.allocator)
        deadline.set(limits.writeTime)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.writeAndFlush(wrapOutboundOut(response)).whenComplete { result in handler.value.sent(result, bound.value) }
        // Usually the kernel has taken a cached answer by now, and the connection is idle again.
        if case .answering = phase { connections.begin(context.channel) }
    }

    private func sent(_ result: Result<Void, any Error>, _ context: ChannelHandlerContext) {
        guard case .success = result, keepsAlive, case .answering = phase, connections.markIdle(context.channel) else {
            return context.close(promise: nil)
        }
        phase = .waiting
        deadline.set(limits.readTime)
    }

    /// Sends server-sent events (HTML standard, section 9.2) until the stream ends, or the reader disconnects or falls behind.
    private func stream(_ events: AsyncStream<JSONValue>, _ context: ChannelHandlerContext) {
        keepsAlive = false
        deadline.clear()
        interimResponse?.cancel()
        connections.begin(context.channel, streaming: true)
        context.writeAndFlush(wrapOutboundOut(ResponseEncoding.eventsHead), promise: nil)
        let channel = context.channel
        phase = .answering(
            Task {
                for await event in events {
                    guard channel.isWritable, !Task.isCancelled else { break }
                    channel.writeAndFlush(ResponseEncoding.event(event["type"]?.string ?? "message", event.text), promise: nil)
                }
                if channel.isWritable { try? await channel.writeAndFlush(ResponseEncoding.endOfEvents) }
                channel.close(promise: nil)
            })
    }
}

/// A type that answers the requests of a connection: the whole service, or a part of it.
protocol RequestAnswering: Sendable {
    /// Returns whether the answer is usually ready at once, without a long computation or a blocking wait.
    func isAnsweredOnLoop(_ request: AgentRequest) -> Bool

    /// Returns an answer that is ready, without suspending the caller; `nil` if ``answer(_:)`` has to be asked.
    func cachedAnswer(_ request: AgentRequest) -> AgentResponse?

    /// Answers one request. A failure is an answer too.
    func answer(_ request: AgentRequest) async -> AgentResponse
}

extension AgentService: RequestAnswering {}

/// Writes the agent's HTTP/1.1 responses (RFC 9112).
enum ResponseEncoding {
    /// An interim response: the request is still being answered (RFC 9110 section 15.2).
    static let processing = ByteBuffer(string: "HTTP/1.1 102 Processing\r\n\r\n")

    /// The end of an event stream: the last chunk (RFC 9112 section 7.1).
    static let endOfEvents = ByteBuffer(string: "0\r\n\r\n")

    /// The head of an event stream, which is sent in chunks.
    static let eventsHead = ByteBuffer(
        string: start(200, type: "text/event-stream") + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n")

    /// The media type of most responses.
    static let documentType = "application/json"

    private static let success = start(200, type: documentType)

    /// Returns a complete response.
    ///
    /// - Parameter fields: more header fields, of visible ASCII characters.
    static func response(
        _ status: Int, _ body: [UInt8], type: String, fields: [(name: String, value: String)] = [], keepsAlive: Bool,
        _ allocator: ByteBufferAllocator
    ) -> ByteBuffer {
        var buffer = allocator.buffer(capacity: 256 + body.count)
        buffer.writeString(status == 200 && type == documentType ? success : start(status, type: type))
        for field in fields { buffer.writeString("\(field.name): \(field.value)\r\n") }
        buffer.writeStaticString("Content-Length: ")
        buffer.writeString(String(body.count))
        buffer.writeStaticString(keepsAlive ? "\r\nConnection: keep-alive\r\n\r\n" : "\r\nConnection: close\r\n\r\n")
        buffer.writeBytes(body)
        return buffer
    }

    /// Returns a server-sent event (HTML standard, section 9.2) in a chunk of its own.
    static func event(_ type: String, _ data: String) -> ByteBuffer {
        let text = "event: \(type)\ndata: \(data)\n\n"
        return ByteBuffer(string: String(text.utf8.count, radix: 16) + "\r\n" + text + "\r\n")
    }

    private static func start(_ status: Int, type: String) -> String {
        "HTTP/1.1 \(status) \(HTTPResponseStatus(statusCode: status).reasonPhrase)\r\nContent-Type: \(type)\r\nCache-Control: no-store\r\n"
            + "\(AgentProtocol.versionField): \(AgentProtocol.version)\r\n"
    }
}
