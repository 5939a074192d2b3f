import AuthModel
import Glibc
import LocalServer
import NIOCore
import NIOHTTP1
import NIOPosix
import OperatingSystem

/// Requests to the agent. Each request has its own connection. Frequent operations (`isFrequent`) share a kept one. A command that runs in
/// the agent uses none.
struct AgentConnection: Sendable {
    let location: AgentLocation
    /// Sent with the request, so that an agent with another home does not answer; `nil` for any agent.
    let home: AgentHome?
    /// The agent itself, if the request does not leave its process, and the process that it is answered for.
    private(set) var inProcess: (service: AgentService, caller: Caller)?

    private let kept = KeptAgentConnection()

    private typealias Wire = NIOAsyncChannel<HTTPClientResponsePart, HTTPClientRequestPart>

    /// The reason why there is no answer.
    enum Failure: Error, Equatable {
        /// No agent serves the socket; nothing was sent.
        case absent
        /// The server is not this user's agent, does not follow the protocol, or answered with a failure.
        case unusable(AuthFailure)
    }

    /// Sends a request and returns the complete answer. Throws `.unusable` with the agent's failure if it answers with one.
    ///
    /// - Parameters:
    ///   - limit: maximum time for the whole request; `nil` for the route's own limit.
    ///   - silence: maximum time without any byte from the agent.
    func ask(
        _ route: OperationRoute, target: String? = nil, body: JSONValue? = nil, limit: TimeAmount? = nil, silence: TimeAmount = silence
    ) async throws(Failure) -> JSONValue {
        if let inProcess { return try await ask(inProcess.service, for: inProcess.caller, route, target, body) }
        let parts = parts(route, target, body, keeps: route.isFrequent)
        let limit = limit ?? route.timeLimit
        if route.isFrequent, let kept = kept.checkOut() {
            let loop = kept.channel.eventLoop
            let reply = loop.makePromise(of: ReceivedResponse.self)
            loop.execute {
                let (exchange, context) = kept.exchange.value
                exchange.send(
                    AgentExchange.Request(parts: parts, limit: limit, silence: silence, keepsConnection: true, result: reply), context)
            }
            // Otherwise the agent has closed it, and has not read the request.
            if let answer = await answer(reply.futureResult, on: kept.channel) { return try answer.get().document() }
        }
        let (channel, reply) = try await connect { [kept] channel in
            channel.eventLoop.makeCompletedFuture {
                let reply = channel.eventLoop.makePromise(of: ReceivedResponse.self)
                let handlers = channel.pipeline.syncOperations
                // Interim responses are a sign of life.
                let decoder = HTTPResponseDecoder(informationalResponseStrategy: .forward)
                try handlers.addHandlers([HTTPRequestEncoder(), ByteToMessageHandler(decoder), NIOHTTPRequestHeadersValidator()])
                let request = AgentExchange.Request(
                    parts: parts, limit: limit, silence: silence, keepsConnection: route.isFrequent, result: reply)
                try handlers.addHandler(AgentExchange(request, kept: kept))
                return (channel, reply.futureResult)
            }
        }
        guard let answer = await answer(reply, on: channel) else { throw .unusable(Self.endedBeforeAnswer) }
        return try answer.get().document()
    }

    /// Waits for an answer; `nil` if the connection was kept and has been closed since. If the task is cancelled, closes the connection.
    private func answer(_ reply: EventLoopFuture<ReceivedResponse>, on channel: any Channel) async -> Result<ReceivedResponse, Failure>? {
        await withTaskCancellationHandler {
            let answer = await result { () -> ReceivedResponse? in
                do { return try await reply.get() } catch is AgentExchange.WasClosed where !Task.isCancelled { return nil }
            }
            switch answer {
            case .success(let reply): return reply.map { .success($0) }
            case .failure(let failure): return .failure(failure)
            }
        } onCancel: {
            channel.close(promise: nil)
        }
    }

    private func ask(
        _ service: AgentService, for caller: Caller, _ route: OperationRoute, _ target: String?, _ body: JSONValue?
    ) async throws(Failure) -> JSONValue {
        let request = AgentRequest(
            method: route.method.rawValue, target: target ?? route.path, body: body.map { Array($0.text.utf8) } ?? [], caller: caller)
        guard case .document(let status, let bytes) = await service.answer(request) else { throw .unusable(Self.invalidAnswer) }
        return try ReceivedResponse(status: status, bytes: bytes).document()
    }

    /// Maximum time without any byte from the agent during a request. A working agent sends an interim response every five seconds.
    static let silence = TimeAmount.seconds(20)

    /// Requests events and passes each to `receive`, until the stream ends or `receive` returns false.
    func watch(
        _ route: OperationRoute, target: String? = nil, body: JSONValue? = nil, receive: @escaping @Sendable (JSONValue) async -> Bool
    ) async throws(Failure) {
        let wire = try await connect { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try Wire(wrappingChannelSynchronously: channel)
            }
        }
        try await result {
            try await wire.executeThenClose { inbound, outbound in
                try await check(wire)
                // All at once, as in an exchange.
                try await outbound.write(contentsOf: parts(route, target, body))
                var answer = ReceivedResponse()
                var reader = EventReader()
                for try await part in inbound {
                    guard case .body(let buffer) = part, answer.status == 200 else {
                        try answer.append(part)
                        continue
                    }
                    for event in try reader.read(buffer.readableBytesView) where await !receive(event) { return }
                }
                if answer.status != 200 { _ = try answer.document() }
            }
        }.get()
    }

    static let invalidAnswer = AuthFailure(
        .bug, "agent.invalid_answer",
        hint: "hint.stop_agent")

    static func late(_ process: pid_t?) -> AuthFailure {
        AuthFailure(
            .timedOut, "agent.no_answer",
            hint: process.map { UserMessage("hint.kill_agent", ["process": $0]) } ?? "hint.use_no_agent")
    }

    /// The agent does not know the route, because it is older.
    static let outdated = AuthFailure(
        .configuration, "agent.too_old",
        hint: "hint.stop_older_agent")

    /// The agent ended before it answered.
    static let endedBeforeAnswer = AuthFailure(
        .unavailable(retryAfter: nil), "agent.stopped_before_answer", hint: "hint.try_again_starts_new_agent")

    /// Runs a part of a request, and returns its failure as one of ours.
    private func result<Value>(_ body: () async throws -> Value) async -> Result<Value, Failure> {
        do {
            return .success(try await body())
        } catch {
            if Task.isCancelled { return .failure(.unusable(AuthFailure(.cancelled, "process.cancelled"))) }
            return .failure(error as? Failure ?? .unusable(error is WireError ? Self.invalidAnswer : Self.endedBeforeAnswer))
        }
    }

    /// Connects to the agent's socket.
    private func connect<Output: Sendable>(
        _ prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Output>
    ) async throws(Failure) -> Output {
        let isThere: Bool
        do throws(AuthFailure) { isThere = try location.check() } catch { throw .unusable(error) }
        guard isThere else { throw .absent }
        // A caller on an event loop's thread stays there.
        let group: any EventLoopGroup = MultiThreadedEventLoopGroup.currentEventLoop ?? .singletonMultiThreadedEventLoopGroup
        let bootstrap = ClientBootstrap(group: group)
        do {
            do {
                return try await bootstrap.connect(unixDomainSocketPath: location.socket, channelInitializer: prepare)
            } catch let error as IOError where error.errnoCode == EAGAIN {
                // The agent runs, but its socket's queue is full. A blocking connection waits for its turn.
                guard case .success(let socket) = await DetachedThread.run(stackSize: 256 << 10, { location.connectWaiting() }) else {
                    throw Failure.unusable(Self.queueFull)
                }
                return try await bootstrap.withConnectedSocket(socket, channelInitializer: prepare)
            }
        } catch let failure as Failure {
            throw failure
        } catch {
            if Task.isCancelled { throw .unusable(AuthFailure(.cancelled, "process.cancelled")) }
            // Start another agent only if none can be running.
            guard let error = error as? IOError, ![ENOENT, ECONNREFUSED].contains(error.errnoCode) else { throw .absent }
            throw .unusable(
                AuthFailure(
                    .configuration, UserMessage("agent.cannot_connect", ["detail": SystemError(number: error.errnoCode).text]),
                    hint: "hint.use_no_agent"))
        }
    }

    private static let queueFull = AuthFailure(
        .unavailable(retryAfter: nil), "agent.too_many_connections", hint: "hint.try_again_in_a_moment")

    /// Throws if the socket belongs to another user's process, so that nothing is sent to it.
    private func check(_ wire: Wire) async throws {
        guard try await PeerCredentials.read(wire.channel).get().user == geteuid() else { throw Failure.unusable(Self.wrongSocketOwner) }
    }

    static let wrongSocketOwner = AuthFailure(
        .security, "socket.agent_belongs_to_other_user", hint: "hint.remove_socket_or_set_runtime_dir")

    private func parts(_ route: OperationRoute, _ target: String?, _ body: JSONValue?, keeps: Bool = false) -> [HTTPClientRequestPart] {
        let bytes = body.map { Array($0.text.utf8) } ?? []
        var headers: HTTPHeaders = [
            "Host": "yett", AgentProtocol.versionField: String(AgentProtocol.version),
        ]
        if let home {
            headers.add(name: AgentHome.storeField, value: home.store)
            headers.add(name: AgentHome.configurationField, value: home.configuration)
        }
        if !keeps { headers.add(name: "Connection", value: "close") }
        if route.method == .post {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(bytes.count))
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: route.method.rawValue), uri: target ?? route.path, headers: headers)
        let content: [HTTPClientRequestPart] = bytes.isEmpty ? [] : [.body(.byteBuffer(ByteBuffer(bytes: bytes)))]
        return [.head(head)] + content + [.end(nil)]
    }
}

extension OperationRoute {
    /// Maximum time for an agent's answer. Some requests wait for one or more answers of a provider, for other processes, or for the user.
    fileprivate var timeLimit: TimeAmount { rules.contains(.isQuick) ? .seconds(20) : .minutes(5) }

    fileprivate var isFrequent: Bool { rules.contains(.isFrequent) }
}

/// Splits incoming bytes into server-sent events and parses their data.
struct EventReader {
    /// The beginning of a line whose end has not arrived.
    private var line: [UInt8] = []

    /// Returns the data of the events that these bytes complete. Throws if an event is too large or is not JSON.
    mutating func read(_ bytes: some Collection<UInt8>) throws(WireError) -> [JSONValue] {
        var events: [JSONValue] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            line += rest[..<end]
            rest = rest[rest.index(after: end)...]
            if let event = try endLine() { events.append(event) }
        }
        line += rest
        guard line.count <= AgentProtocol.answerLimit else { throw WireError(place: "event") }
        return events
    }

    private mutating func endLine() throws(WireError) -> JSONValue? {
        defer { line.removeAll(keepingCapacity: true) }
        let data = Array("data: ".utf8)
        guard line.starts(with: data) else { return nil }
        guard let value = try? JSONValue(strict: line.dropFirst(data.count), limits: .agentResponse) else {
            throw WireError(place: "event")
        }
        return value
    }
}

extension JSONValue.Limits {
    /// The limits for an agent's responses.
    static let agentResponse = JSONValue.Limits(bytes: AgentProtocol.answerLimit, depth: 48, values: .max)
}
