internal import AuthEngine
internal import AuthModel
internal import OAuth

/// Passing a request on, and its answer back.
extension Bridge {
    /// The maximum number of sessions that one request opens when the stream of each ends at once.
    private static let openingLimit = 3

    /// Passes a message with requests on. On return, every request in it is answered, unless its answers come in the session's one stream.
    func exchange(_ original: RPCMessage) async {
        let resumed = ResumedRequest(original)
        let message = resumed?.message ?? original
        // A user who does not want to sign in is not asked again.
        let mayAsk = if resumed?.isAccepted == true { await connection.credentials.signInEnded(nil) } else { resumed == nil }
        do throws(AuthFailure) {
            let comesLater = if Task.isCancelled { false } else { try await passAnswer(to: message) }
            if !comesLater { await fail(message, .connectionLost) }
        } catch {
            if Task.isCancelled { return await fail(message, .connectionLost) }
            if mayAsk, await answerWithPage(message, error) { return }
            await fail(message, .failure(error))
        }
    }

    /// Answers the requests of a message that still wait.
    private func fail(_ message: RPCMessage, _ error: RPCError) async {
        for id in message.requests {
            let isWanted = waiting[id.text].map { !$0.isCancelled } ?? false
            if finishWaiting(for: id), isWanted { await write(error.line(answering: id)) }
        }
    }

    /// Passes a message on, and its answers back. Returns whether the answers come later, in the one stream of the session.
    private func passAnswer(to message: RPCMessage) async throws(AuthFailure) -> Bool {
        var hasReopened = false
        var attempts = 0
        while true {
            await whenOpen()
            if isStreamOver, message.isOpening { startAnew(with: message) }
            if isStreamOver {
                attempts += 1
                guard attempts <= Self.openingLimit else { throw Self.sessionLost(address) }
                try await reopen(after: session, isClients: true)
                // The new stream may have ended, too, and another request may be replacing it.
                continue
            }
            let sent = session
            let response = try await connection.response(to: sent.post(message), isClients: true)
            switch (response.status, response.mediaType) {
            case (200...299, let type):
                if message.isOpening { session.begin(id: response.header("Mcp-Session-Id")) }
                listenAgain()
                if type == "text/event-stream" {
                    if try await follow(response, of: message) == .namesAddress {
                        session.begin(id: nil)
                        guard try await openSSEStream(isClients: true) else { return false }
                        continue
                    }
                } else {
                    let answer = try await connection.answer(response)
                    if !hasReopened, Self.saysSessionIsLost(answer, sent, to: message) {
                        hasReopened = true
                        try await reopen(after: sent, isClients: true)
                        continue
                    }
                    try await deliver(answer, to: message)
                }
                return sent.stream.map { expect(message, in: $0) } ?? false
            case (404, _) where sent.isLost(by: message) && !hasReopened:
                // The session is lost, and the request with it.
                response.body.close()
                hasReopened = true
                if sent.usesHTTPAndSSE { noteEnd(of: sent.stream) } else { try await reopen(after: sent, isClients: true) }
            case (400, _) where message.isOpening && !sent.usesHTTPAndSSE, (404, _) where message.isOpening && !sent.usesHTTPAndSSE,
                (405, _) where message.isOpening && !sent.usesHTTPAndSSE:
                let answer = try await connection.answer(response)
                guard !Self.isOfStatelessServer(answer), try await openSSEStream(isClients: true) else {
                    try await deliver(answer, to: message)
                    return false
                }
            default:
                let answer = try await connection.answer(response)
                if answer.status == 400, !hasReopened, Self.saysSessionIsLost(answer, sent, to: message) {
                    hasReopened = true
                    try await reopen(after: sent, isClients: true)
                    continue
                }
                try await deliver(answer, to: message)
                return sent.stream.map { expect(message, in: $0) } ?? false
            }
        }
    }

    /// Whether a refusal has an error of the revision 2026-07-28, whose servers know no HTTP and SSE: an older server would hold the stream
    /// open.
    private static func isOfStatelessServer(_ answer: WebResponse) -> Bool {
        guard let code = RPCMessage.error(in: answer.body)?["code"]?.integer else { return false }
        return (-32022 ... -32020).contains(code) || code == -32601 && answer.status == 404
    }

    /// Whether an answer is for the session, whose request was then not carried out. Other errors of a request are its answer.
    private static func saysSessionIsLost(_ answer: WebResponse, _ sent: BridgeSession, to message: RPCMessage) -> Bool {
        guard sent.id != nil, sent.isLost(by: message) else { return false }
        let error = RPCMessage.error(in: answer.body)
        guard reply(in: answer, to: message) == nil else { return error.map(LostSession.isReply) ?? false }
        return (answer.status == 400 || error != nil) && LostSession.isMeant(by: answer)
    }

    /// Returns the answer to the message in a whole response; `nil` if it has none.
    private static func reply(in answer: WebResponse, to message: RPCMessage) -> RPCMessage? {
        guard let reply = (try? RPCMessage(answer.body))?.answering(message) else { return nil }
        return reply.responses.contains(where: message.requests.contains) ? reply : nil
    }

    /// Passes the answer in a whole response on, with any status. Throws if the response has none and is an error.
    private func deliver(_ answer: WebResponse, to message: RPCMessage) async throws(AuthFailure) {
        if let reply = Self.reply(in: answer, to: message) { return await pass(reply, of: message) }
        // Some servers answer an error without saying for which request.
        if case .request(let id, _) = message.kind, let error = RPCMessage.error(in: answer.body), finishWaiting(for: id) {
            return await write(Array(JSONValue.members(("jsonrpc", "2.0"), ("id", id), ("error", error)).text.utf8))
        }
        guard !(200...299).contains(answer.status) else { return }
        throw unexpected(answer.status)
    }

    /// Returns the failure for a status that no answer has.
    func unexpected(_ status: Int) -> AuthFailure {
        AuthFailure(
            .unavailable(retryAfter: nil), UserMessage("mcp.unexpected_status", ["host": address.origin.authority, "status": status]),
            hint: "hint.check_mcp_address")
    }

    /// The role of the event stream in a response.
    private enum AnswerStream {
        /// The one with the answer, which is passed on.
        case answers
        /// That of the protocol of 2024-11-05, in which the server names the address for messages: some answer a POST, too, with it.
        case namesAddress
    }

    /// Passes the messages of a response's stream on. If the stream ends without the answer and can be resumed, resumes it.
    private func follow(_ response: StreamedResponse, of message: RPCMessage) async throws(AuthFailure) -> AnswerStream {
        var stream = response
        var position = StreamPosition()
        while true {
            let end = await read(stream, of: message, &position)
            if position.namesAddress { return .namesAddress }
            guard message.requests.contains(where: { waiting[$0.text]?.isCancelled == false }), !Task.isCancelled else { return .answers }
            guard message.ownVersion == nil, let lastEvent = position.lastEvent, end, position.mayRetry else { return .answers }
            try? await time.sleep(until: time.bootTime + position.nextPause())
            if Task.isCancelled { return .answers }
            guard let next = try? await connection.response(to: session.listen(after: lastEvent), isClients: true) else { continue }
            guard next.status == 200, next.mediaType == "text/event-stream" else {
                next.body.close()
                return .answers
            }
            stream = next
        }
    }

    /// Passes the messages of a stream on until it ends. Returns false if it must not be read further.
    func read(_ stream: StreamedResponse, of message: RPCMessage?, _ position: inout StreamPosition) async -> Bool {
        var reader = ServerSentEvents()
        defer { position.retry = reader.retry ?? position.retry }
        // A subscription and the stream of the server's own messages may be silent for any time.
        let watch = message.map(\.isSubscription) == false ? IdleWatch(stream.body, time) : nil
        open[ObjectIdentifier(stream.body)] = stream.body
        defer {
            watch?.stop()
            open[ObjectIdentifier(stream.body)] = nil
        }
        while let piece = try? await stream.body.next() {
            watch?.reset()
            guard let events = reader.read(piece) else { return false }
            for event in events {
                if let id = event.id { position.lastEvent = id }
                // An event that has only an identifier shows, too, that the server works on the answer.
                position.failures = 0
                if event.type == "endpoint", message?.isOpening == true, !session.usesHTTPAndSSE {
                    position.namesAddress = true
                    stream.body.close()
                    return false
                }
                guard event.type == "message", !event.data.isEmpty, let received = try? RPCMessage(event.data) else { continue }
                if message == nil { reopenings = 0 }
                await pass(message.map(received.answering) ?? received, of: message)
            }
            // The answer is the last message of the stream.
            if let message, !message.requests.isEmpty, !message.requests.contains(where: { waiting[$0.text] != nil }) {
                stream.body.close()
                return true
            }
        }
        return true
    }

    /// Passes a message of the server on. An answer is passed on once, and only to a request that waits for it.
    func pass(_ received: RPCMessage, of message: RPCMessage?) async {
        var received = received
        if let message, received.responses.contains(where: { message.requests.contains($0) }) {
            received = note(received, answering: message)
        }
        let answered = received.responses
        guard !answered.isEmpty else { return await write(received.bytes) }
        // No short cut: each request must be finished.
        let wanted = answered.filter { finishWaiting(for: $0) }
        if !wanted.isEmpty || (received.kind == .batch && !received.requests.isEmpty) { await write(received.bytes) }
    }

    /// Keeps the protocol version, or the header fields of the tools, from the answer to a request. Returns the answer for the client:
    /// without the tools that must not be used, because header fields repeat arguments and theirs are invalid.
    private func note(_ received: RPCMessage, answering message: RPCMessage) -> RPCMessage {
        guard case .request(let id, let method) = message.kind else { return received }
        switch method {
        case "initialize":
            session.version = received.json["result"]?["protocolVersion"]?.string.flatMap { $0.isVersion ? $0 : nil }
        case "tools/list":
            let repeatsArguments = session.repeatsArguments(of: message)
            if repeatsArguments, StatelessHeaders.isTooLong(received.json) {
                return (try? RPCMessage(RPCError.toolsTooMany.line(answering: id))) ?? received
            }
            let invalid = session.headers.learn(from: received.json)
            guard repeatsArguments, !invalid.isEmpty else { return received }
            for tool in invalid where reported.count < Self.reportLimit && reported.insert(ExactText(tool.name)).inserted {
                streams.warn(UserMessage("mcp.tool_left_out", ["tool": tool.name, "reason": tool.flaw.reason]))
            }
            return (try? RPCMessage(StatelessHeaders.removing(invalid, from: received.json))) ?? received
        default: break
        }
        return received
    }
}

extension ArgumentHeader.Flaw {
    /// The reason in words.
    fileprivate var reason: UserMessage {
        switch self {
        case .name: "phrase.tool_header_name"
        case .duplicate: "phrase.tool_header_duplicate"
        case .type: "phrase.tool_header_type"
        case .place: "phrase.tool_header_place"
        case .excess: "phrase.tool_header_excess"
        case .unreadable: "phrase.tool_header_unreadable"
        }
    }
}

/// The position from which a stream can be resumed.
struct StreamPosition {
    var lastEvent: String?
    var retry: Duration?
    /// Whether the stream has an event of HTTP and SSE (2024-11-05), which names the address for messages.
    var namesAddress = false
    /// The number of attempts in a row without an event.
    var failures = 0
    private var attempts = 0

    /// Whether another attempt is worth it.
    var mayRetry: Bool { failures < 8 }

    /// Returns how long to wait before the next attempt, and counts it: as long as the server wants, and longer after each failure. Only
    /// the first attempt may follow at once, and few within a second, so that no server makes the bridge send requests without a pause.
    mutating func nextPause() -> Duration {
        defer { (failures, attempts) = (failures + 1, attempts + 1) }
        let wanted = (retry ?? .seconds(1)) * (1 << min(failures, 6))
        let least = attempts == 0 ? Duration.zero : attempts < 10 ? .milliseconds(100) : .seconds(1)
        return min(.seconds(30), max(least, wanted))
    }
}

extension String {
    /// Whether the text can be a protocol version in a header field.
    fileprivate var isVersion: Bool {
        (1...64).contains(utf8.count) && utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
}

/// The words with which servers say that they no longer know a session, where they do not answer 404 (MCP, section "Session Management").
enum LostSession {
    /// Whether a refusal that is no reply to a request says so. Many servers have copied a 400 from the examples of the TypeScript SDK.
    static func isMeant(by answer: WebResponse) -> Bool {
        let text = RPCMessage.error(in: answer.body)?["message"]?.string ?? String(decoding: answer.body.prefix(1024), as: UTF8.self)
        return words.contains { text.asciiLowercased().contains($0) }
    }

    private static let words = [
        "session id", "session not found", "no valid session", "invalid session", "unknown session", "session expired",
        "session has expired", "session does not exist", "mcp-session-id", "server not initialized",
    ]

    /// Whether a refusal says that a session was not found, and nothing that may be about a token.
    static func isCertain(in answer: WebResponse) -> Bool {
        String(decoding: answer.body.prefix(1024), as: UTF8.self).asciiLowercased().contains("session not found")
    }

    /// Whether the error in the reply to a request is one with which a library says so.
    static func isReply(_ error: JSONValue) -> Bool {
        errors.contains { error["code"]?.integer == $0.code && error["message"]?.string?.asciiLowercased() == $0.text }
    }

    /// Those of anubis-mcp and of tower-mcp.
    private static let errors: [(code: Int64, text: String)] = [(-32002, "server not initialized"), (-32005, "session not found")]
}
