internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The stream of the server's own messages, lost sessions, and the end: within two seconds of the end of input, even if the server or a
/// sign-in takes longer.
extension Bridge {
    /// The time after which a stream that ends without a message counts as one that worked.
    private static let quietTime = Duration.seconds(10)
    /// The time limits after the end of input: for the last answers, and then for the request that ends the session.
    private static let lastAnswers = Duration.milliseconds(1500)
    private static let lastRequest = Duration.milliseconds(400)

    /// Opens the stream of the server's own requests and notifications, if the server has one.
    func listen() {
        guard listener == nil, !session.usesHTTPAndSSE else { return }
        listener = Task { await self.followServer() }
    }

    /// Opens the stream of the server's messages another time, after a request has shown that the server can be reached again.
    func listenAgain() {
        reopenings = 0
        guard isListenerLost else { return }
        (isListenerLost, listener) = (false, nil)
        listen()
    }

    private func followServer() async {
        var position = StreamPosition()
        var wasOpen = false
        while !Task.isCancelled, position.mayRetry {
            let asked = session
            let start = time.bootTime
            if let stream = try? await connection.response(to: asked.listen(after: position.lastEvent), isClients: false) {
                if stream.status == 200, stream.mediaType == "text/event-stream" {
                    wasOpen = true
                    guard await read(stream, of: nil, &position) else { return }
                    // Servers and gateways end a quiet stream from time to time.
                    if time.bootTime - start >= Self.quietTime { position.failures = 0 }
                } else {
                    stream.body.close()
                    // The server may have lost the session while no request was made.
                    let isLost = stream.status == 404 || stream.status == 400 && position.lastEvent == nil
                    let mayReopen = isLost && wasOpen && asked.id != nil
                    if mayReopen, await reopensAfterPause(asked) { return }
                    // A server need not have such a stream.
                    guard mayReopen || [408, 429, 500, 502, 503, 504].contains(stream.status) else { return }
                }
            }
            try? await time.sleep(until: time.bootTime + position.nextPause())
        }
        isListenerLost = !Task.isCancelled
    }

    /// Opens another session for the stream of the server's messages, later each time: a server that loses every session at once must not
    /// make the bridge send requests without a pause. Returns whether this listener has ended, because there is another session.
    private func reopensAfterPause(_ lost: BridgeSession) async -> Bool {
        let pause = min(.seconds(30), Duration.seconds(1 << min(reopenings, 5)))
        reopenings += 1
        try? await time.sleep(until: time.bootTime + pause)
        // A request that noticed the loss meanwhile has ended this task.
        guard !Task.isCancelled else { return true }
        return (try? await reopen(after: lost, isClients: false)) != nil
    }

    // MARK: A lost session

    /// Opens another session in place of a lost one, once for all requests that noticed the loss.
    func reopen(after lost: BridgeSession, isClients: Bool) async throws(AuthFailure) {
        // The new session has its number before the server knows that it is ready.
        guard session.number == lost.number || reopening != nil else { return }
        let task = reopening ?? Task { await self.openAgain(isClients: isClients) }
        reopening = task
        let result = await task.value
        if reopening == task { reopening = nil }
        try result.get()
    }

    /// Waits while a lost session is being replaced: a server may not answer what it gets before it is told that the client is ready.
    func whenOpen() async {
        while let task = reopening {
            _ = await task.value
            if reopening == task { reopening = nil }
        }
    }

    private func openAgain(isClients: Bool) async -> Result<Void, AuthFailure> {
        guard let opening = session.opening else { return .failure(Self.sessionLost(address)) }
        do throws(AuthFailure) {
            if session.usesHTTPAndSSE {
                guard try await openSSEStream(repeating: opening, isClients: isClients) else { throw Self.sessionLost(address) }
                return .success(())
            }
            // The lost identifier stays until there is another one, so that the next request tries again after a failure here.
            let response = try await connection.response(to: session.post(opening), isClients: isClients)
            guard (200...299).contains(response.status) else { throw Self.sessionLost(address) }
            session.begin(id: response.header("Mcp-Session-Id"))
            // The answer is for the bridge: no request of the client waits for it.
            if response.mediaType == "text/event-stream" {
                try await readOpening(response, opening)
            } else {
                let answer = try await connection.answer(response)
                guard let reply = try? RPCMessage(answer.body), reply.json["result"] != nil else { throw Self.sessionLost(address) }
                await pass(reply, of: opening)
            }
            try await sendInitialized()
            listener?.cancel()
            listener = nil
            listen()
            return .success(())
        } catch {
            return .failure(error)
        }
    }

    /// Tells the server of a new session that the client is ready, as the client did in the lost one.
    func sendInitialized() async throws(AuthFailure) {
        let ready = JSONValue.members(("jsonrpc", "2.0"), ("method", "notifications/initialized"))
        if let ready = try? RPCMessage(ready.text.utf8) {
            try await connection.response(to: session.post(ready), isClients: false).body.close()
        }
    }

    /// Reads a stream up to the answer to `initialize`. All requests wait for it, so events do not prolong the time limit.
    func readOpening(_ response: StreamedResponse, _ opening: RPCMessage) async throws(AuthFailure) {
        let watch = IdleWatch(response.body, time)
        open[ObjectIdentifier(response.body)] = response.body
        defer {
            watch.stop()
            open[ObjectIdentifier(response.body)] = nil
            response.body.close()
        }
        var messages = SSEStream(response)
        while let event = try await messages.next() {
            guard event.type == "message", let reply = try? RPCMessage(event.data) else { continue }
            await pass(reply, of: opening)
            guard reply.responses.contains(where: { opening.requests.contains($0) }) else { continue }
            guard reply.json["result"] != nil else { break }
            return
        }
        throw Self.sessionLost(address)
    }

    static func sessionLost(_ address: WebURL) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("mcp.session_lost", ["host": address.origin.authority]),
            hint: "hint.restart_mcp_client")
    }

    // MARK: The end

    /// Ends all streams, because their token may no longer be used: after a lock, or when the session has ended. Those that can be resumed
    /// are resumed when there is a token again; the requests of the others get an error.
    package func withdraw() {
        for body in open.values { body.close() }
    }

    /// Waits for the last answers, answers the other requests with an error, and ends the session at the server.
    func finish() async {
        let deadline = time.bootTime + (Task.isCancelled || isClientGone ? .zero : Self.lastAnswers)
        let timer = Task { [time] in
            try? await time.sleep(until: deadline)
            free()
        }
        while unsent > 0 || waiting.values.contains(where: { !$0.isCancelled }), time.bootTime < deadline, !Task.isCancelled {
            await waitForRoom()
        }
        timer.cancel()
        queued = []
        for task in announced.values { task.cancel() }
        listener?.cancel()
        lastPassed?.cancel()
        // A task may take longer to end than there is time, so nothing waits for it.
        for task in Set(waiting.values.compactMap(\.task)) { task.cancel() }
        for entry in waiting.values where finishWaiting(for: entry.id) && !entry.isCancelled {
            await write(RPCError.connectionLost.line(answering: entry.id))
        }
        // An answer is settled before it is written.
        await lastWrite?.value
        guard let request = session.ending() else { return }
        // The task may be cancelled; the server must hear of the end all the same.
        let ending = Task { [connection] in _ = try? await connection.response(to: request, isClients: false) }
        let over = Task { [time, deadline = time.bootTime + Self.lastRequest] in
            try? await time.sleep(until: deadline)
            ending.cancel()
        }
        await ending.value
        over.cancel()
    }
}

/// The session of the bridge at the server: its address, identifier and protocol version.
struct BridgeSession: Sendable {
    /// The address for messages; the older protocol with two addresses names it.
    var address: WebURL
    /// The number of the one stream with all answers, if the server speaks the protocol of 2024-11-05.
    var stream: Int?
    /// Whether messages to the server have an address of their own, and all answers come in one stream.
    var usesHTTPAndSSE: Bool { stream != nil }
    /// The session's identifier, if the server gave one.
    var id: String?
    /// The version that `initialize` settled.
    var version: String?
    /// The version of the stateless protocol that the client's requests name in themselves; `nil` once the client opens a session.
    var ownVersion: String?
    /// The request that opened the session, to open another one when the server has lost it.
    var opening: RPCMessage?
    /// Grows with each session of the server.
    var number = 0
    var headers = StatelessHeaders()

    init(address: WebURL) { self.address = address }

    /// The first revision in which header fields repeat arguments of tools.
    private static let firstWithArguments = "2026-07-28"

    /// Returns a request that carries a message.
    func post(_ message: RPCMessage) -> WebRequest {
        var request = WebRequest(
            method: .post, url: address,
            headers: [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], body: message.bytes)
        // A notification need not name a version, but its header fields are required all the same.
        let stateless = message.ownVersion ?? ownVersion
        if let version = stateless {
            request.headers.append(("MCP-Protocol-Version", StatelessHeaders.encoded(version)))
        } else if !message.isOpening {
            addSession(to: &request)
        }
        // Older servers do not look at them, and a client may open a session with a newer one.
        request.headers += headers.fields(for: message, withArguments: repeatsArguments(of: message))
        return request
    }

    /// Whether header fields repeat arguments of tools: the client's requests name such a revision, or the server settled on one.
    func repeatsArguments(of message: RPCMessage) -> Bool {
        message.ownVersion != nil || ownVersion != nil || (version ?? "") >= Self.firstWithArguments
    }

    /// Returns a request for the stream of the server's own messages, or for the rest of a stream.
    func listen(after lastEvent: String? = nil) -> WebRequest {
        var request = WebRequest(method: .get, url: address, headers: [("Accept", "text/event-stream"), ("Cache-Control", "no-store")])
        addSession(to: &request)
        if let lastEvent { request.headers.append(("Last-Event-ID", lastEvent)) }
        return request
    }

    /// Returns the request that ends the session; `nil` if there is none.
    func ending() -> WebRequest? {
        guard id != nil else { return nil }
        var request = WebRequest(method: .delete, url: address, headers: [("Accept", "application/json")])
        addSession(to: &request)
        return request
    }

    /// Whether a server that answers 404 to the message has lost the session.
    func isLost(by message: RPCMessage) -> Bool {
        (id != nil || usesHTTPAndSSE) && message.ownVersion == nil && !message.isOpening
    }

    private func addSession(to request: inout WebRequest) {
        if let id { request.headers.append(("Mcp-Session-Id", id)) }
        if let version { request.headers.append(("MCP-Protocol-Version", version)) }
    }

    /// Takes the identifier in the answer to `initialize`. Only visible ASCII is allowed.
    mutating func begin(id: String?) {
        number += 1
        let isValid = id.map { (1...1024).contains($0.utf8.count) && $0.utf8.allSatisfy { (0x21...0x7E).contains($0) } } ?? false
        self.id = isValid ? id : nil
        version = nil
    }
}

extension RPCMessage {
    /// Whether the message opens a session.
    var isOpening: Bool { kind.isOpening }
}
