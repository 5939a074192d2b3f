internal import AuthEngine
internal import AuthModel
internal import OAuth

/// The protocol of 2024-11-05: the client gets all messages in one stream, in which the server names the address for messages to it.
extension Bridge {
    /// Opens the one stream. Returns false if the server has none.
    ///
    /// - Parameter opening: the request that opened a session whose stream has ended, to open another session with it.
    func openSSEStream(repeating opening: RPCMessage? = nil, isClients: Bool) async throws(AuthFailure) -> Bool {
        let stream = try await connection.response(to: BridgeSession(address: address).listen(), isClients: isClients)
        guard stream.status == 200, stream.mediaType == "text/event-stream" else {
            stream.body.close()
            // It had such a stream before.
            if opening != nil, stream.status != 200 { throw unexpected(stream.status) }
            return false
        }
        // Events do not prolong the time limit: requests wait for this stream.
        let watch = IdleWatch(stream.body, time)
        // From here on, a withdrawn token ends it.
        open[ObjectIdentifier(stream.body)] = stream.body
        var isFollowed = false
        defer {
            watch.stop()
            if !isFollowed { open[ObjectIdentifier(stream.body)] = nil }
        }
        let lost = session
        var messages = SSEStream(stream)
        while let event = try await messages.next() {
            guard event.type == "endpoint" else { continue }
            let place = String(decoding: event.data, as: UTF8.self)
            guard let target = address.resolving(place)?.normalized, target.origin == address.origin, target.fragment == nil else {
                stream.body.close()
                throw AuthFailure(
                    .security, UserMessage("resource.redirect_to_another_host", ["host": address.origin.authority]),
                    hint: UserMessage("hint.token_sent_only_to", ["host": address.origin.authority]))
            }
            streamCount += 1
            (session.address, session.stream) = (target, streamCount)
            if let opening {
                do throws(AuthFailure) {
                    try await initialize(with: opening, &messages, isClients)
                } catch {
                    stream.body.close()
                    session = lost
                    throw error
                }
                session.number += 1
                isStreamOver = false
            }
            isFollowed = true
            listener = Task { [messages, number = streamCount] in await self.followAll(messages, number) }
            return true
        }
        return false
    }

    /// Repeats `initialize` in a new session. The answer is for the bridge; other messages are for the client.
    private func initialize(
        with opening: RPCMessage, _ messages: inout SSEStream, _ isClients: Bool
    ) async throws(AuthFailure) {
        let response = try await connection.response(to: session.post(opening), isClients: isClients)
        guard (200...299).contains(response.status) else {
            response.body.close()
            throw Self.sessionLost(address)
        }
        // Some servers answer here.
        if response.mediaType == "text/event-stream" {
            try await readOpening(response, opening)
            return try await sendInitialized()
        }
        let answer = try await connection.answer(response)
        if let reply = try? RPCMessage(answer.body), reply.responses.contains(where: { opening.requests.contains($0) }) {
            guard reply.json["result"] != nil else { throw Self.sessionLost(address) }
            return try await sendInitialized()
        }
        while let event = try await messages.next() {
            guard event.type == "message", let received = try? RPCMessage(event.data) else { continue }
            guard received.responses.contains(where: { opening.requests.contains($0) }) else {
                await pass(received, of: nil)
                continue
            }
            guard received.json["result"] != nil else { break }
            return try await sendInitialized()
        }
        throw Self.sessionLost(address)
    }

    /// Forgets the session whose stream has ended, because the client opens another one with this message.
    func startAnew(with message: RPCMessage) {
        isStreamOver = false
        session = BridgeSession(address: address)
        session.opening = message
    }

    /// Notes that the answers to a message come in a stream. Returns false if the stream has ended meanwhile.
    func expect(_ message: RPCMessage, in stream: Int) -> Bool {
        guard session.stream == stream, !isStreamOver else { return false }
        for id in message.requests { waiting[id.text]?.stream = stream }
        return true
    }

    /// Gives up a stream whose session the server no longer knows.
    func noteEnd(of stream: Int?) {
        guard session.stream == stream else { return }
        isStreamOver = true
        listener?.cancel()
    }

    /// Passes all messages of the one stream on. When it ends, nothing that waits for it will get an answer.
    private func followAll(_ stream: SSEStream, _ number: Int) async {
        var stream = stream
        defer { open[ObjectIdentifier(stream.body)] = nil }
        while let event = try? await stream.next() {
            guard event.type == "message", let received = try? RPCMessage(event.data) else { continue }
            await pass(received, of: nil)
        }
        if session.stream == number { isStreamOver = true }
        for entry in waiting.values where entry.stream == number && finishWaiting(for: entry.id) && !entry.isCancelled {
            await write(RPCError.connectionLost.line(answering: entry.id))
        }
    }
}

/// The events of a stream, one after the other.
struct SSEStream {
    let body: ResponseBody
    private var reader = ServerSentEvents()
    private var events: ArraySlice<ServerSentEvents.Event> = []

    init(_ stream: StreamedResponse) { body = stream.body }

    /// Returns the next event; `nil` at the end, if the server was silent for too long, and if an event is too large.
    mutating func next() async throws(AuthFailure) -> ServerSentEvents.Event? {
        while events.isEmpty {
            do throws(AuthFailure) {
                guard let piece = try await body.next(), let next = reader.read(piece) else { return nil }
                events = next[...]
            } catch {
                guard error.kind == .cancelled, !Task.isCancelled else { throw error }
                return nil
            }
        }
        return events.removeFirst()
    }
}
