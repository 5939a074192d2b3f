internal import AuthEngine
internal import AuthModel
internal import OAuth
internal import Synchronization

/// The bodies of one request: what is sent, again where that is possible, and what is received, in pieces if the command passes it on so.
final class RequestTransfer: Sendable {
    private struct State {
        var isSent = false
        var upload: Task<Void, Never>?
        var rest: ResponseBody?
    }

    private let source: RequestSource
    private let passesOn: Bool
    private let state = Mutex(State())

    /// The largest body of a response that is kept in memory, in bytes.
    static let memoryLimit = 64 << 20
    /// How much of a response is read for a kind whose refusals are in the body, in bytes.
    private static let judgedSize = 64 << 10

    /// Creates a transfer.
    ///
    /// - Parameter passesOn: whether the body of a successful response is passed on in pieces; otherwise it is kept in memory.
    init(_ source: RequestSource, passesOn: Bool) {
        self.source = source
        self.passesOn = passesOn
    }

    deinit { state.withLock { $0.upload }?.cancel() }

    /// Whether the request can be sent once more.
    var mayRepeat: Bool {
        if case .input = source { return !state.withLock { $0.isSent } }
        return true
    }

    /// Throws if the request itself does not have the body.
    func requireBodyInMemory(for url: WebURL) throws(AuthFailure) {
        if case .bytes = source { return }
        throw AuthFailure(
            .configuration,
            text: "the web server in front of \(url.origin.authority) asks for a password, which allows bodies of up to 1 MiB",
            hint: "send a smaller body")
    }

    /// Begins to send the body; `nil` if the request itself has it. Throws for a body that was sent and cannot be read again.
    func upload() throws(AuthFailure) -> RequestBody? {
        if case .bytes = source { return nil }
        guard mayRepeat else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), text: "the body came from standard input and cannot be sent again",
                hint: "run the command again: the session is now as the server wants it")
        }
        let body = RequestBody(size: source.size)
        state.withLock { state in
            state.isSent = true
            state.upload?.cancel()
            state.upload = Task { [source] in await source.write(to: body) }
        }
        return body
    }

    /// Returns the response with its body, or with the beginning of a body that is passed on.
    ///
    /// - Parameter isJudged: whether the beginning of the body says whether the token was accepted.
    func receive(_ response: StreamedResponse, isJudged: Bool) async throws(AuthFailure) -> WebResponse {
        guard passesOn, (200...299).contains(response.status) else { return try await response.collected(limit: Self.memoryLimit) }
        var beginning: [UInt8] = []
        while isJudged, beginning.count <= Self.judgedSize {
            guard let piece = try await response.body.next() else {
                return WebResponse(status: response.status, headers: response.headers, body: beginning)
            }
            beginning += piece
        }
        state.withLock { $0.rest = response.body }
        return WebResponse(status: response.status, headers: response.headers, body: beginning)
    }

    /// Returns what follows the body of the final response; `nil` if it is complete.
    func takeRest() -> ResponseBody? {
        state.withLock { state in
            defer { state.rest = nil }
            return state.rest
        }
    }
}
