import AuthModel
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import OperatingSystem

/// One request to the agent, on its own connection; or without one, for a command that runs in the agent.
struct AgentConnection: Sendable {
    let place: AgentLocation
    /// Sent with the request, so that an agent with another home does not answer.
    let home: AgentHome
    /// The agent itself, if the request does not leave its process, and the process that it is answered for.
    private(set) var own: (service: AgentService, caller: Caller)?

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
        _ route: Route, target: String? = nil, body: JSONValue? = nil, limit: TimeAmount? = nil, silence: TimeAmount = silence
    ) async throws(Failure) -> JSONValue {
        if let own { return try await ask(own.service, for: own.caller, route, target, body) }
        let verdict = ReadTimeoutHandler.Verdict()
        return try await exchange { (wire) in
            let channel = wire.channel
            let process = try? await PeerCredentials.read(channel).get().process
            let alarm = channel.eventLoop.scheduleTask(in: limit ?? route.patience) {
                verdict.set()
                channel.close(promise: nil)
            }
            defer { alarm.cancel() }
            do {
                try await channel.eventLoop.submit {
                    try channel.pipeline.syncOperations.addHandler(ReadTimeoutHandler(limit: silence, verdict: verdict), position: .first)
                }.get()
                return try await answer(to: route, target, body, on: wire)
            } catch {
                throw verdict.isSilent ? Failure.unusable(Self.late(process)) : error
            }
        }
    }

    private func ask(
        _ service: AgentService, for caller: Caller, _ route: Route, _ target: String?, _ body: JSONValue?
    ) async throws(Failure) -> JSONValue {
        let request = AgentRequest(
            method: route.method, target: target ?? route.path, body: body.map { Array($0.text.utf8) } ?? [], caller: caller)
        guard case .document(let status, let bytes) = await service.answer(request) else { throw .unusable(Self.invalidAnswer) }
        return try Answer(status: status, bytes: bytes).document()
    }

    /// Maximum time without any byte from the agent during a request. A working agent sends an interim response every five seconds.
    static let silence = TimeAmount.seconds(20)

    private func answer(to route: Route, _ target: String?, _ body: JSONValue?, on wire: Wire) async throws -> JSONValue {
        try await wire.executeThenClose { inbound, outbound in
            try await check(wire)
            try await send(route, target, body, to: outbound)
            var answer = Answer()
            for try await part in inbound where answer.isOpen { try answer.take(part) }
            return try answer.document()
        }
    }

    /// Requests events and passes each to `receive`, until the stream ends or `receive` returns false.
    func watch(
        _ route: Route, target: String? = nil, body: JSONValue? = nil, receive: @escaping @Sendable (JSONValue) async -> Bool
    ) async throws(Failure) {
        try await exchange { (wire) in
            try await wire.executeThenClose { inbound, outbound in
                try await check(wire)
                try await send(route, target, body, to: outbound)
                var answer = Answer()
                var reader = EventReader()
                for try await part in inbound {
                    guard case .body(let buffer) = part, answer.status == 200 else {
                        try answer.take(part)
                        continue
                    }
                    for event in try reader.read(buffer.readableBytesView) where await !receive(event) { return }
                }
                if answer.status != 200 { _ = try answer.document() }
            }
        }
    }

    /// A response while it is read.
    private struct Answer {
        var status = 0
        var isOpen = true
        private var bytes: [UInt8] = []

        init() {}

        /// A complete response.
        init(status: Int, bytes: [UInt8]) {
            (self.status, self.bytes) = (status, bytes)
            isOpen = false
        }

        mutating func take(_ part: HTTPClientResponsePart) throws {
            switch part {
            // Ignore interim responses.
            case .head(let head): status = head.status.code >= 200 ? Int(head.status.code) : 0
            case .body(let buffer):
                guard bytes.count + buffer.readableBytes <= AgentProtocol.answerLimit else { throw Failure.unusable(invalidAnswer) }
                bytes += buffer.readableBytesView
            case .end: isOpen = status == 0
            }
        }

        /// Returns the document. Throws if the response is incomplete, a failure, or not in the protocol's form.
        func document() throws(Failure) -> JSONValue {
            guard !isOpen else { throw Failure.unusable(gone) }
            guard let document = try? JSONValue(strict: bytes, limits: .answer) else { throw Failure.unusable(invalidAnswer) }
            guard status == 200 else {
                guard let failure = document["error"].flatMap({ try? AuthFailure(wire: $0) }) else { throw Failure.unusable(invalidAnswer) }
                if [404, 405].contains(status), failure.kind == .usage { throw Failure.unusable(outdated) }
                throw Failure.unusable(failure)
            }
            return document
        }
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

    static let gone = AuthFailure(
        .unavailable(retryAfter: nil), "agent.stopped_before_answer", hint: "hint.try_again_starts_new_agent")

    private func exchange<Value: Sendable>(_ body: (Wire) async throws -> Value) async throws(Failure) -> Value {
        let wire = try await connect()
        do {
            return try await body(wire)
        } catch let failure as Failure {
            throw failure
        } catch is WireError {
            throw .unusable(Self.invalidAnswer)
        } catch {
            throw .unusable(Task.isCancelled ? AuthFailure(.cancelled, "process.cancelled") : Self.gone)
        }
    }

    private func connect() async throws(Failure) -> Wire {
        let isThere: Bool
        do throws(AuthFailure) { isThere = try place.check() } catch { throw .unusable(error) }
        guard isThere else { throw .absent }
        do {
            do {
                return try await wire { try await $0.connect(unixDomainSocketPath: place.socket, channelInitializer: $1) }
            } catch let error as IOError where error.errnoCode == EAGAIN {
                // The agent runs, but its socket's queue is full. A blocking connection waits for its turn.
                guard case .success(let socket) = await DetachedThread.run(stackSize: 256 << 10, { place.connectWaiting() }) else {
                    throw Failure.unusable(Self.queueFull)
                }
                return try await wire { try await $0.withConnectedSocket(socket, channelInitializer: $1) }
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

    private func wire(
        _ connect: (ClientBootstrap, @escaping @Sendable (any Channel) -> EventLoopFuture<Wire>) async throws -> Wire
    ) async throws -> Wire {
        try await connect(ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHTTPClientHandlers()
                return try Wire(wrappingChannelSynchronously: channel)
            }
        }
    }

    /// Throws if the socket belongs to another user's process, so that nothing is sent to it.
    private func check(_ wire: Wire) async throws {
        guard try await PeerCredentials.read(wire.channel).get().user == geteuid() else { throw Failure.unusable(Self.wrongSocketOwner) }
    }

    private static let wrongSocketOwner = AuthFailure(
        .security, "socket.agent_belongs_to_other_user", hint: "hint.remove_socket_or_set_runtime_dir")

    private func send(
        _ route: Route, _ target: String?, _ body: JSONValue?, to outbound: NIOAsyncChannelOutboundWriter<HTTPClientRequestPart>
    ) async throws {
        let bytes = body.map { Array($0.text.utf8) } ?? []
        var headers: HTTPHeaders = [
            "Host": "yett", AgentProtocol.versionField: String(AgentProtocol.version), AgentHome.storeField: home.store,
            AgentHome.configurationField: home.configuration, "Connection": "close",
        ]
        if route.method == "POST" {
            headers.add(name: "Content-Type", value: "application/json")
            headers.add(name: "Content-Length", value: String(bytes.count))
        }
        let head = HTTPRequestHead(
            version: .http1_1, method: HTTPMethod(rawValue: route.method), uri: target ?? route.path, headers: headers)
        // Send everything at once: the agent answers and closes as soon as it has read the last byte, and a later write would fail.
        let content: [HTTPClientRequestPart] = bytes.isEmpty ? [] : [.body(.byteBuffer(ByteBuffer(bytes: bytes)))]
        try await outbound.write(contentsOf: [.head(head)] + content + [.end(nil)])
    }
}

extension Route {
    /// Whether the request may be sent again to a new agent, after the first one ended during it.
    ///
    /// A token request may be: the first agent may have sent the refresh token and ended before it saved the response. The store then still
    /// has the old token, which the next request sends in any case. A provider with a grace period accepts it; without one, the session was
    /// lost with the first agent, and the repeated request only reports that.
    ///
    /// A sign-in and its requests end with their agent. A registration may have been made, and an unregistration done.
    var isRepeatable: Bool {
        switch self {
        case .agent, .description, .providers, .sessions, .session, .tokens, .remoteTokens, .activation, .derivedCredential,
            .derivedCredentialKeeping, .token, .adoption, .proof, .renew, .signOut, .inspect, .seal, .unlock, .lock, .details,
            .registration, .activity:
            true
        case .remoteRevocation, .events, .command, .answerQuestion, .signIn, .paste, .answer, .deviceCode, .cancel, .browserReturn,
            .stopWaiting, .unregistration, .stop:
            false
        }
    }

    /// Maximum time for an agent's answer. Some requests wait for one or more answers of a provider, for other processes, or for the user.
    fileprivate var patience: TimeAmount {
        switch self {
        case .agent, .description, .providers, .sessions, .seal, .events, .activity, .cancel, .stopWaiting, .answerQuestion, .stop:
            .seconds(20)
        case .session, .tokens, .remoteTokens, .remoteRevocation, .activation, .derivedCredential, .derivedCredentialKeeping, .token,
            .adoption, .proof, .renew, .signOut, .inspect, .unlock, .lock,
            .signIn, .paste, .answer, .deviceCode, .command, .details, .browserReturn, .registration, .unregistration:
            .minutes(5)
        }
    }
}
