import AuthModel
import OAuth
import ResourceClient
import Synchronization
import TestSupport

@testable import AuthEngine
@testable import MCPBridge

/// A client whose lines are given at once, and a server that answers by a closure.
final class World: BridgeStreams, StreamingTransport, BridgeCredentials {
    struct State {
        var input: [String]
        var output: [String] = []
        /// Whether the last line was `initialize`.
        var isOpening = false
        var sent: [WebRequest] = []
        /// The requests whose answers were sent, in this order.
        var answered: [WebRequest] = []
        var refused: [Secret] = []
        var signIns = 0
        /// How many of the sign-ins the server caused.
        var refusals = 0
        var stepUps = 0
        var warnings: [UserMessage] = []

        /// The requests that carry a JSON-RPC message with this text.
        func sent(_ text: String) -> [WebRequest] { sent.filter { String(decoding: $0.body, as: UTF8.self).contains(text) } }
    }

    let state: Mutex<State>
    let time = ManualTime()
    /// The bridge, while it runs.
    let bridge = Mutex<Bridge?>(nil)
    /// Runs before a request is answered.
    private let delay: @Sendable (Int, WebRequest) async -> Void
    private let reply: @Sendable (Int, WebRequest) throws(AuthFailure) -> StreamedResponse
    /// Whether the client may send the next line, or end its input if there is none.
    private let mayGoOn: @Sendable (State, ManualTime) -> Bool
    /// Runs instead of a sign-in.
    private let signingIn: @Sendable () async -> Void
    private let stepsUp: Bool
    /// Waits until the user has signed in at the page, or no longer can; `nil` if there is no page.
    private let atPage: (@Sendable () async -> Bool)?

    init(
        _ input: [String], stepsUp: Bool = false, atPage: (@Sendable () async -> Bool)? = nil,
        delay: @escaping @Sendable (Int, WebRequest) async -> Void = { _, _ in },
        signingIn: @escaping @Sendable () async -> Void = {},
        mayGoOn: @escaping @Sendable (State, ManualTime) -> Bool = { _, _ in true },
        _ reply: @escaping @Sendable (Int, WebRequest) throws(AuthFailure) -> StreamedResponse
    ) {
        (self.delay, self.signingIn, self.mayGoOn, self.stepsUp, self.atPage) = (delay, signingIn, mayGoOn, stepsUp, atPage)
        state = Mutex(State(input: input))
        self.reply = reply
    }

    func nextLine() async -> [UInt8]? {
        // A client says nothing before `initialize` is answered.
        while state.withLock({ $0.isOpening && $0.output.isEmpty }), !Task.isCancelled { await Task.yield() }
        while !mayGoOn(state.withLock { $0 }, time), !Task.isCancelled { await Task.yield() }
        let line = state.withLock { state in
            let line = state.input.isEmpty ? nil : state.input.removeFirst()
            state.isOpening = line?.contains("\"initialize\"") ?? false
            return line
        }
        // The next line follows when the answer to the one before has had its turn.
        for _ in 0..<50 { await Task.yield() }
        return line.map { Array($0.utf8) }
    }

    func write(line: [UInt8]) async -> Bool {
        // The bridge must not end before a slow client has the line.
        for _ in 0..<200 { await Task.yield() }
        state.withLock { $0.output.append(String(decoding: line, as: UTF8.self)) }
        return true
    }

    func warn(_ message: UserMessage) { state.withLock { $0.warnings.append(message) } }

    func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        let number = state.withLock { state in
            state.sent.append(request)
            return state.sent.count
        }
        await delay(number, request)
        if Task.isCancelled { throw CurlFailure.cancelled }
        state.withLock { $0.answered.append(request) }
        return try reply(number, request)
    }

    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential? {
        let count = state.withLock { state in
            if let refused { state.refused.append(refused) }
            return state.refused.count
        }
        guard let session = SessionName("work/ada") else { throw AuthFailure(.bug, text: "no name") }
        let token = IssuedToken(
            token: Secret("token \(count)"), tokenType: "Bearer", expiresAt: nil, scopes: [], session: session)
        return SessionCredential(token, dialect: BearerDialect(), proofs: nil)
    }

    func signIn(because failure: AuthFailure, after answer: WebResponse?, isRefusal: Bool) async throws(AuthFailure) {
        state.withLock { ($0.signIns, $0.refusals) = ($0.signIns + 1, $0.refusals + (isRefusal ? 1 : 0)) }
        await signingIn()
        throw failure
    }
    func requiredSignIn(in answer: WebResponse, from url: WebURL) async throws(AuthFailure) -> StepUp? {
        guard stepsUp else { return nil }
        let challenge = "Bearer error=\"insufficient_scope\", scope=\"more\""
        return try? StepUp.requirements(in: WebResponse(status: 403, headers: [("WWW-Authenticate", challenge)], body: []), host: nil)
    }
    func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool {
        state.withLock { $0.stepUps += 1 }
        return true
    }
    func refusal(_ answer: WebResponse) async -> AuthFailure {
        AuthFailure(.notSignedIn, text: "not signed in", hint: "sign in with: yett login")
    }

    static let page = "http://127.0.0.1:1/page"

    func signInPage(for failure: AuthFailure) async -> SignInOffer? {
        guard atPage != nil, let address = WebURL(Self.page) else { return nil }
        return SignInOffer(id: "offer", address: address)
    }

    func signInEnded(_ id: String?) async -> Bool { await atPage?() ?? true }

    /// Runs the bridge to its end.
    func run() async throws -> State {
        guard let address = WebURL("https://mcp.example.org/mcp") else { throw AuthFailure(.bug, text: "no URL") }
        let bridge = Bridge(address: address, streams: self, transport: self, policy: .standard, credentials: self, time: time)
        self.bridge.withLock { $0 = bridge }
        await bridge.run()
        self.bridge.withLock { $0 = nil }
        return state.withLock { $0 }
    }

    /// Runs the bridge to its end, while time passes in steps.
    func run(stepping step: Duration) async throws -> State {
        let clock = Task { [time] in
            while !Task.isCancelled {
                time.advance(by: step)
                // The turn of a task that is ready may come late: because of many others, or because the machine has taken its thread away.
                // No time limit may pass until then.
                let end = ContinuousClock.now + .milliseconds(2)
                var turns = 0
                while turns < 50 || ContinuousClock.now < end {
                    await Task.yield()
                    turns += 1
                }
            }
        }
        defer { clock.cancel() }
        return try await run()
    }

    // MARK: Responses

    static func json(_ text: String, status: Int = 200, _ headers: (name: String, value: String)...) -> StreamedResponse {
        StreamedResponse(
            status: status, headers: [("Content-Type", "application/json; charset=utf-8")] + headers, body: ResponseBody(Array(text.utf8)))
    }

    static func stream(_ text: String) -> StreamedResponse { stream(ResponseBody(Array(text.utf8))) }

    static func stream(_ body: ResponseBody) -> StreamedResponse {
        StreamedResponse(status: 200, headers: [("Content-Type", "text/event-stream")], body: body)
    }

    /// A stream that begins with this text and does not end.
    static func openStream(_ text: String) -> StreamedResponse {
        let body = ResponseBody(resume: {}, cancel: {})
        body.send(text)
        return stream(body)
    }

    static func status(_ status: Int) -> StreamedResponse { StreamedResponse(status: status, headers: [], body: ResponseBody([])) }

    /// The answer to `initialize` with a session.
    static func opened(_ session: String) -> StreamedResponse {
        json(#"{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25"}}"#, ("Mcp-Session-Id", session))
    }

    // MARK: Messages

    static let opening = #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}"#
    static let ready = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#

    static func call(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"pay"}}"# }
    static func result(_ id: Int) -> String { #"{"jsonrpc":"2.0","id":\#(id),"result":{}}"# }
    static func cancel(_ id: Int) -> String {
        #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":\#(id)}}"#
    }

    /// The identifier of the request that an HTTP request carries; `nil` if it carries none.
    static func id(_ request: WebRequest) -> Int? {
        (try? JSONValue(strict: request.body)).flatMap { $0["method"] == nil ? nil : $0["id"]?.integer.map(Int.init) }
    }
}

extension ResponseBody {
    /// Sends text in a stream.
    func send(_ text: String) { _ = Array(text.utf8).withUnsafeBytes { receive($0) } }
}
