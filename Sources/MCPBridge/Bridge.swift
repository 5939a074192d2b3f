package import AuthEngine
package import AuthModel
internal import OAuth

/// A bridge between a client of the Model Context Protocol that speaks over standard input and output, and a server that speaks HTTP and
/// wants OAuth (protocol versions 2024-11-05 to 2026-07-28).
///
/// Messages are passed on unchanged. Every request gets exactly one answer: the server's, or an error that says what to do. A request that
/// the server may have carried out is never sent again.
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
    /// The task that replaces a session that the server has lost. All requests that notice the loss share it.
    var reopening: Task<Result<Void, AuthFailure>, Never>?
    /// Whether ``listener`` ended because of a failure, so that it is worth another attempt.
    var isListenerLost = false
    /// The number of times in a row that ``listener`` has replaced a lost session, without a message of the server or an answer to the
    /// client between.
    var reopenings = 0
    /// The number of times that the one stream with all answers was opened (2024-11-05).
    var streamCount = 0
    /// Whether the session's one stream has ended.
    var isStreamOver = false
    /// The streams that are being read.
    var open: [ObjectIdentifier: ResponseBody] = [:]
    /// The tools that the user was warned about.
    var reported: Set<ExactText> = []
    /// The maximum number of such warnings.
    static let reportLimit = 100
    /// Notifies the client of the end of each sign-in whose page it was led to, by its identifier.
    var announced: [String: Task<Void, Never>] = [:]
    /// The requests that are not sent yet because too many are at the server.
    var queued: [RPCMessage] = []
    /// Sends the last notification, response or `initialize`; what comes after it waits for it, because the order may matter.
    private(set) var lastPassed: Task<Void, Never>?
    /// The notifications and responses that the server does not have yet.
    private(set) var unsent = 0
    private var unsentBytes = 0
    private var freed: CheckedContinuation<Void, Never>?
    private(set) var isClientGone = false
    /// The last line to the client; the next one waits for it, and so does the end.
    private(set) var lastWrite: Task<Void, Never>?

    /// A request that waits for its answer.
    struct Waiting {
        let id: JSONValue
        /// Whether the client no longer wants the answer.
        var isCancelled = false
        /// The stream that will have the answer, once a server with one stream has the request.
        var stream: Int?
        /// Passes the request on; `nil` while the request is queued.
        var task: Task<Void, Never>?
    }

    /// The maximum number of requests at the server at once.
    private static let limit = 64
    /// The maximum number of messages that are not sent yet, and of their bytes; further input is not read until there are fewer.
    private static let backlog = 1024
    private static let backlogBytes = 64 << 20
    /// The time limit for the answer to a cancelled request. Most servers send none.
    private static let cancelledAnswer = Duration.seconds(5)

    /// Creates a bridge to the server at `address`.
    package init(
        address: WebURL, streams: any BridgeStreams, transport: any StreamingTransport, policy: TransportPolicy,
        credentials: any BridgeCredentials, time: any TimeSource
    ) {
        self.address = address
        self.streams = streams
        self.time = time
        connection = BridgeConnection(transport: transport, credentials: credentials, policy: policy, time: time)
        session = BridgeSession(address: address)
    }

    /// Passes messages on until the end of input, or until the task is cancelled; then ends the session.
    package func run() async {
        while !isClientGone, let line = await streams.nextLine() {
            guard !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }) else { continue }
            await process(line)
        }
        await finish()
    }

    // MARK: From the client

    /// Processes a line of the client.
    private func process(_ line: [UInt8]) async {
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
            guard session.version == "2025-03-26", !message.opensSession else { throw .invalidRequest(nil) }
        }
        let names = message.requests.map(\.text)
        guard Set(names).count == names.count, !names.contains(where: { waiting[$0] != nil }) else {
            var error = RPCError.invalidRequest(message.requests.first)
            error.message = "Invalid request: its id belongs to a request that has no answer yet"
            throw error
        }
    }

    /// Passes a request on, while the next messages are read.
    ///
    /// Too many requests are held back. Notifications and responses overtake them: the requests at the server may need one to end.
    private func begin(_ message: RPCMessage) async {
        if message.isOpening {
            (session.opening, session.ownVersion) = (message, nil)
        } else if let version = message.ownVersion, session.version == nil {
            session.ownVersion = version
        }
        for id in message.requests { waiting[id.text] = Waiting(id: id) }
        queued.append(message)
        sendHeld()
        await waitForBacklog()
    }

    private func waitForBacklog() async {
        func bytes() -> Int { queued.reduce(unsentBytes) { $0 + $1.bytes.count } }
        while queued.count + unsent >= Self.backlog || bytes() > Self.backlogBytes, !Task.isCancelled { await waitForRoom() }
    }

    /// Sends queued requests while there is room for them at the server.
    private func sendHeld() {
        while let message = queued.first, waiting.values.count(where: { $0.task != nil }) < Self.limit {
            queued.removeFirst()
            let previous = lastPassed
            let task = Task {
                await previous?.value
                await self.exchange(message)
            }
            for id in message.requests { waiting[id.text]?.task = task }
            // A client may send more before it knows the session; the server must not get that without the session's identifier.
            if message.isOpening { lastPassed = task }
        }
    }

    /// Waits until a request has its answer, or the task is cancelled.
    func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { freed = $0 }
        } onCancel: {
            Task { await self.free() }
        }
    }

    func free() {
        freed?.resume()
        freed = nil
    }

    /// Passes a notification or a response on, after those before it, while the next messages are read.
    private func pass(_ method: String?, _ message: RPCMessage) async {
        let cancelled = method == "notifications/cancelled" ? message.json["params"]?["requestId"]?.value : nil
        if let cancelled, cancel(cancelled, by: message) { return }
        let previous = lastPassed
        (unsent, unsentBytes) = (unsent + 1, unsentBytes + message.bytes.count)
        lastPassed = Task {
            await previous?.value
            await send(message)
            (unsent, unsentBytes) = (unsent - 1, unsentBytes - message.bytes.count)
            if method == "notifications/initialized", session.ownVersion == nil { listen() }
            if let cancelled, let task = waiting[cancelled.text]?.task { forget(cancelled, of: task) }
            free()
        }
        await waitForBacklog()
    }

    private func send(_ message: RPCMessage) async {
        await whenOpen()
        // A notification has no answer, so its failure has none either; the next request tells of it.
        try? await connection.response(to: session.post(message), isClients: false).body.close()
    }

    /// Marks a request that the client has cancelled. Returns whether that is all: the server does not know a queued request, and in the
    /// stateless protocol, closing the response's stream cancels the request. There, an identifier means nothing after its answer.
    private func cancel(_ id: JSONValue, by message: RPCMessage) -> Bool {
        guard waiting[id.text] != nil else { return session.ownVersion != nil }
        waiting[id.text]?.isCancelled = true
        if let index = queued.firstIndex(where: { $0.kind != .batch && $0.requests.contains(id) }) {
            queued.remove(at: index)
            return finishWaiting(for: id)
        }
        let isStateless = message.ownVersion != nil || (session.version == nil && !session.usesHTTPAndSSE)
        guard isStateless, let task = waiting[id.text]?.task else { return false }
        task.cancel()
        return true
    }

    /// Stops waiting for the answer to a cancelled request after a while, so that requests without an answer never use up the limit.
    private func forget(_ id: JSONValue, of task: Task<Void, Never>) {
        let deadline = time.bootTime + Self.cancelledAnswer
        Task {
            try? await time.sleep(until: deadline)
            guard waiting[id.text]?.task == task, finishWaiting(for: id) else { return }
            if !waiting.values.contains(where: { $0.task == task }) { task.cancel() }
        }
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
    func finishWaiting(for id: JSONValue) -> Bool {
        guard waiting.removeValue(forKey: id.text) != nil else { return false }
        sendHeld()
        free()
        return true
    }
}

/// The client's end of the bridge: one JSON-RPC message in a line.
package protocol BridgeStreams: Sendable {
    /// Returns the next line without its line feed; `nil` at the end of input, and when the task is cancelled.
    func nextLine() async -> [UInt8]?
    /// Writes a line and its line feed. Returns whether the client still reads.
    func write(line: [UInt8]) async -> Bool
    /// Shows a warning to the user.
    func warn(_ message: UserMessage)
}
