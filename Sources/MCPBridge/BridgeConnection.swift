internal import AuthEngine
package import AuthModel
package import OAuth
package import ResourceClient
internal import Synchronization

/// Sends the HTTP requests of a bridge, each with a fresh credential, and gives up on a server that is silent for too long.
///
/// A refused request is sent again as ``ResourceClient/AuthorizedRequest`` decides: only after an answer with which the server says that it
/// did not carry the request out.
struct BridgeConnection: Sendable {
    let transport: any StreamingTransport
    let credentials: any BridgeCredentials
    let policy: TransportPolicy
    let time: any TimeSource

    /// The maximum size of an answer that is read as a whole, in bytes.
    private static let answerLimit = 64 << 20
    /// The maximum silence of a server: before the header of a response, in a whole response, and between two pieces of a stream that has
    /// an answer. Clients of the protocol that speak HTTP themselves wait as long.
    static let idleLimit = Duration.seconds(300)
    private static let refusalLimit = 1 << 20

    /// Returns the response with any status but those of a refusal and a redirect.
    ///
    /// - Parameter isClients: whether a request of the client waits for the response. Only then may a refusal renew the session or open a
    ///   browser: what the server starts, such as another attempt of its stream, must not.
    func response(to request: WebRequest, isClients: Bool) async throws(AuthFailure) -> StreamedResponse {
        let redirects = Redirects(repeatsBodies: true)
        let exchange =
            isClients
            ? AuthorizedRequest(request, redirects: redirects)
            : AuthorizedRequest(request, recoveries: [.nonce], challenge: .fail, redirects: redirects)
        let response = try await response(to: exchange).response
        guard !response.isRefusal else { throw await credentials.refusal(try await answer(response)) }
        return response
    }

    /// Returns a response with its whole body.
    func answer(_ response: StreamedResponse, limit: Int = Self.answerLimit) async throws(AuthFailure) -> WebResponse {
        let watch = IdleWatch(response.body, time)
        defer { watch.stop() }
        return try await response.collected(limit: limit)
    }

    /// Sends a request once, and waits for the header of the response.
    private func open(_ request: WebRequest) async throws(AuthFailure) -> StreamedResponse {
        let (result, isSilent) = await time.outcome(until: time.bootTime + Self.idleLimit) { () -> Result<StreamedResponse, AuthFailure> in
            do throws(AuthFailure) { return .success(try await transport.open(request, policy: policy)) } catch { return .failure(error) }
        }
        if isSilent, case .failure(let failure) = result, failure.kind == .cancelled, !Task.isCancelled {
            throw AuthFailure(
                .unavailable(retryAfter: nil),
                UserMessage(
                    "mcp.silent_server", ["host": request.url.origin.authority, "minutes": Self.idleLimit.components.seconds / 60]),
                hint: "hint.try_again")
        }
        return try result.get()
    }
}

extension BridgeConnection: RequestDriver {
    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential? {
        try await credentials.credential(for: url, refused: refused)
    }

    func send(_ request: WebRequest, with credential: SessionCredential?) async throws(AuthFailure) -> StreamedResponse {
        let response = try await open(request)
        guard response.isRefusal else { return response }
        // A refusal is read to its end, so that its connection can carry the next request.
        let answer = try await answer(response, limit: Self.refusalLimit)
        // Servers with rmcp refuse a lost session so. Without a challenge it is no refusal of the token (RFC 9110 section 15.5.2).
        let isLost =
            answer.status == 401 && answer.header("WWW-Authenticate") == nil && request.headers.contains { $0.name == "Mcp-Session-Id" }
            && LostSession.isCertain(in: answer)
        var refusal = StreamedResponse(status: isLost ? 404 : answer.status, headers: answer.headers, body: ResponseBody(answer.body))
        refusal.redactor = answer.redactor
        return refusal
    }

    func received(_ response: StreamedResponse) -> WebResponse { response.head }

    func requiredSignIn(in answer: WebResponse, from url: WebURL, after previous: StepUp?) async throws(AuthFailure) -> StepUp? {
        // A server that wants ever more gets one sign-in for a request.
        guard previous == nil else { return nil }
        return try await credentials.requiredSignIn(in: answer, from: url)
    }

    func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool {
        try await credentials.stepUp(to: required, refused: token)
    }

    func signIn(because cause: AuthorizedRequest.SignInCause, after answer: WebResponse?) async throws(AuthFailure) {
        switch cause {
        case .noToken(let failure, let afterRefusal):
            try await credentials.signIn(because: failure, after: answer, isRefusal: afterRefusal)
        case .refused:
            guard let answer else { throw AuthFailure(.bug, "resource.refused_before_sent") }
            try await credentials.signIn(because: await credentials.refusal(answer), after: answer, isRefusal: true)
        }
    }
}

/// The source of the credentials of the bridge's requests.
package protocol BridgeCredentials: Sendable {
    /// Returns a fresh credential for a request to a URL; `nil` if the server is used anonymously.
    ///
    /// Throws `.notSignedIn` or `.signInAgain` if the user has to sign in.
    ///
    /// - Parameter refused: the token that the server no longer accepts, to be replaced by a new one.
    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential?

    /// Signs in, or throws what tells the user how to. Callers that wait share one sign-in.
    ///
    /// - Parameters:
    ///   - answer: the refusal, whose challenge says which scopes the request needs; `nil` if there was none.
    ///   - isRefusal: whether the server refused a token. A server must not be able to open one window after another.
    func signIn(because failure: AuthFailure, after answer: WebResponse?, isRefusal: Bool) async throws(AuthFailure)

    /// Returns the sign-in that a refusal requires; `nil` if it requires none.
    func requiredSignIn(in answer: WebResponse, from url: WebURL) async throws(AuthFailure) -> StepUp?

    /// Runs the sign-in that a refusal requires. Returns false if the session is already as the server wants it. If it needs more scopes, throws
    /// a failure whose hint names the command.
    ///
    /// - Parameter token: the token that the server refused.
    func stepUp(to required: StepUp, refused token: Secret?) async throws(AuthFailure) -> Bool

    /// Returns the failure that a final refusal means.
    func refusal(_ answer: WebResponse) async -> AuthFailure

    /// Returns the page where the user can start the sign-in that `failure` asks for; `nil` if there is none. All requests that
    /// wait share one page.
    func signInPage(for failure: AuthFailure) async -> SignInOffer?

    /// Waits until the user has signed in at the page, or can no longer do so there. Returns whether the user has signed in.
    ///
    /// - Parameter id: the identifier of the offer; `nil` for the current one, and true if there is none.
    func signInEnded(_ id: String?) async -> Bool
}

extension BridgeCredentials {
    /// Default: `nil`.
    package func signInPage(for failure: AuthFailure) async -> SignInOffer? { nil }

    /// Default: true.
    package func signInEnded(_ id: String?) async -> Bool { true }
}

/// Ends a response whose server is silent for too long, as if the connection had broken.
final class IdleWatch: Sendable {
    private let time: any TimeSource
    /// The time since boot of the last piece.
    private let last: Mutex<Duration>
    private let task: Mutex<Task<Void, Never>?>

    /// Starts to watch a response's body.
    init(_ body: ResponseBody, _ time: any TimeSource) {
        self.time = time
        last = Mutex(time.bootTime)
        task = Mutex(nil)
        let watching = Task { [weak self, weak body] in
            while let end = self?.last.withLock({ $0 + BridgeConnection.idleLimit }) {
                guard time.bootTime < end else { return body?.close() ?? () }
                guard (try? await time.sleep(until: end)) != nil else { return }
            }
        }
        task.withLock { $0 = watching }
    }

    /// Notes that a piece has arrived.
    func reset() { last.withLock { $0 = time.bootTime } }

    /// Ends the watch.
    func stop() { task.withLock { $0 }?.cancel() }
}

extension StreamedResponse {
    /// Whether the server refused the request because of its token.
    fileprivate var isRefusal: Bool { status == 401 || status == 403 }

    /// The media type in lower case, without parameters.
    var mediaType: String {
        let field = header("Content-Type") ?? ""
        return field.prefix { $0 != ";" }.split { $0 == " " || $0 == "\t" }.joined().asciiLowercased()
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

    /// Returns a request that carries a message.
    func post(_ message: RPCMessage) -> WebRequest {
        var request = WebRequest(
            method: .post, url: address,
            headers: [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")], body: message.bytes)
        // A notification need not name a version, but its header fields are required all the same.
        if let version = message.ownVersion ?? ownVersion {
            request.headers.append(("MCP-Protocol-Version", StatelessHeaders.encoded(version)))
        } else if !message.isOpening {
            addSession(to: &request)
        }
        // Older servers do not look at them, and a client may open a session with a newer one.
        request.headers += headers.fields(for: message)
        return request
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
