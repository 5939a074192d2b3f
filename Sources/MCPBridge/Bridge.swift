package import AuthEngine
package import AuthModel
internal import OAuth

/// A bridge between a client of the Model Context Protocol that speaks over standard input and output, and a server that speaks HTTP and
/// wants OAuth (protocol versions 2024-11-05 to 2026-07-28).
///
/// Messages are passed on unchanged. Every request gets exactly one answer: the server's, or an error that says what to do. A request that the
/// server may have carried out is never sent again.
package actor Bridge {
    let streams: any BridgeStreams
    let connection: BridgeConnection
    let time: any TimeSource
    /// The address that the user gave.
    let address: WebURL
    var session: BridgeSession
    /// The requests that have no answer yet, by the JSON of their identifiers.
    var waiting: [String: Waiting] = [:]
    /// The stream of the server's own messages.
    var listener: Task<Void, Never>?
    /// Opens another session after the server has lost one; shared by all requests that noticed.
    var reopening: Task<Result<Void, AuthFailure>, Never>?
    private var freed: CheckedContinuation<Void, Never>?
    private var isClientGone = false
    /// The last line to the client; the next one waits for it, and so does the end.
    private var lastWrite: Task<Void, Never>?

    /// A request that waits for its answer.
    struct Waiting {
        let id: JSONValue
        /// Whether the client no longer wants the answer.
        var isCancelled = false
        /// Passes the request on.
        var task: Task<Void, Never>?
    }

    /// The maximum number of requests that wait at once; further input is not read until one has its answer.
    private static let limit = 64
    /// How long answers are awaited after the end of input, and then the end of the session.
    private static let lastAnswers = Duration.milliseconds(1500)
    private static let lastRequest = Duration.milliseconds(400)

    /// Creates a bridge to the server at `address`.
    package init(
        address: WebURL, streams: any BridgeStreams, transport: any StreamingTransport, policy: TransportPolicy,
        credentials: any BridgeCredentials, time: any TimeSource
    ) {
        self.address = address
        self.streams = streams
        self.time = time
        connection = BridgeConnection(transport: transport, credentials: credentials, policy: policy)
        session = BridgeSession(address: address)
    }

    /// Passes messages on until the end of input, or until the task is cancelled; then ends the session.
    package func run() async {
        while !isClientGone, let line = await streams.nextLine() {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
            await take(line)
        }
        await finish()
    }

    // MARK: From the client

    private func take(_ line: [UInt8]) async {
        let message: RPCMessage
        do throws(RPCError) {
            message = try RPCMessage(line)
            try check(message)
        } catch {
            return await write(error.line(answering: nil))
        }
        switch message.kind {
        case .request: await begin(message)
        case .batch where !message.requests.isEmpty: await begin(message)
        case .notification(let method): await pass(method, message)
        case .response, .batch: await pass(nil, message)
        }
    }

    /// Throws for a message that no protocol version allows here.
    private func check(_ message: RPCMessage) throws(RPCError) {
        if message.kind == .batch {
            // A request that opens a session is never part of a batch.
            let opensSession = message.value.array?.contains { $0["method"] == "initialize" } ?? false
            guard session.version == "2025-03-26", !opensSession else { throw .invalidRequest(nil) }
        }
        let names = message.requests.map(\.text)
        guard Set(names).count == names.count, !names.contains(where: { waiting[$0] != nil }) else {
            var error = RPCError.invalidRequest(message.requests.first)
            error.message = "Invalid request: its id belongs to a request that has no answer yet"
            throw error
        }
    }

    /// Passes a request on, while the next ones are read.
    private func begin(_ message: RPCMessage) async {
        if message.isOpening { session.opening = message }
        let task = Task { await self.exchange(message) }
        for id in message.requests { waiting[id.text] = Waiting(id: id, task: task) }
        while waiting.count >= Self.limit, !Task.isCancelled { await waitForRoom() }
    }

    private func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { freed = $0 }
        } onCancel: {
            Task { await self.free() }
        }
    }

    private func free() {
        freed?.resume()
        freed = nil
    }

    /// Passes a notification or a response on. The next message follows when the server has it, because their order may matter.
    private func pass(_ method: String?, _ message: RPCMessage) async {
        if method == "notifications/cancelled", cancel(message) { return }
        await whenOpen()
        do throws(AuthFailure) {
            let response = try await connection.response(to: session.post(message))
            response.body.close()
        } catch {
            // A notification has no answer, so its failure has none either; the next request tells of it.
        }
        if method == "notifications/initialized" { listen() }
    }

    /// Marks a request that the client has cancelled. Returns whether that is all: in the stateless protocol, closing the response's stream
    /// cancels the request.
    private func cancel(_ message: RPCMessage) -> Bool {
        guard let id = message.value["params"]?["requestId"], let task = waiting[id.text]?.task else { return false }
        waiting[id.text]?.isCancelled = true
        guard message.ownVersion != nil || session.version == nil else { return false }
        task.cancel()
        return true
    }

    // MARK: To the client

    func write(_ line: [UInt8]) async {
        let previous = lastWrite
        let task = Task {
            await previous?.value
            if !(await streams.write(line: line)) { isClientGone = true }
        }
        lastWrite = task
        await task.value
    }

    /// Ends the wait for an answer. Returns false if there was none, such as for an answer that came twice.
    func settle(_ id: JSONValue) -> Bool {
        guard waiting.removeValue(forKey: id.text) != nil else { return false }
        free()
        return true
    }

    // MARK: The end

    private func finish() async {
        let tasks = waiting.values.compactMap(\.task)
        let deadline = time.bootTime + (Task.isCancelled ? .zero : Self.lastAnswers)
        let timer = Task { [time] in
            try? await time.sleep(until: deadline)
            for task in tasks { task.cancel() }
            free()
        }
        // Each task answers its requests, with an error if it was cancelled, except where one stream has all answers.
        for task in tasks { await task.value }
        while !waiting.isEmpty, time.bootTime < deadline { await waitForRoom() }
        timer.cancel()
        listener?.cancel()
        for entry in waiting.values where settle(entry.id) && !entry.isCancelled {
            await write(RPCError.connectionLost.line(answering: entry.id))
        }
        // An answer from the stream of the server's messages is settled before it is written.
        await lastWrite?.value
        guard let request = session.ending() else { return }
        // The task may be cancelled; the server must hear of the end all the same.
        let ending = Task { [connection] in _ = try? await connection.response(to: request) }
        let limit = Task { [time, deadline = time.bootTime + Self.lastRequest] in
            try? await time.sleep(until: deadline)
            ending.cancel()
        }
        await ending.value
        limit.cancel()
    }
}
