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

    /// Runs the sign-in that a refusal requires. Returns false if the session is already as the server wants it. If it needs more scopes,
    /// and the user has not allowed that before, throws a failure whose hint names the command.
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

/// Reads a stream of server-sent events (WHATWG HTML section 9.2), piece by piece.
struct ServerSentEvents {
    /// One event.
    struct Event: Equatable {
        /// Its type; `message` if the stream names none.
        var type = "message"
        var data: [UInt8] = []
        /// The identifier to resume the stream from.
        var id: String?
    }

    /// The time after which to connect again, as the server wants it.
    private(set) var retry: Duration?
    private var line: [UInt8] = []
    private var event = Event()
    private var hasData = false
    private var endedWithReturn = false
    private var isFirstLine = true

    /// The maximum size of an event in bytes; a larger one ends the stream.
    private let limit: Int

    init(limit: Int = 64 << 20) { self.limit = limit }

    /// Returns the events that a piece completes; `nil` if an event is too large.
    mutating func read(_ piece: some Sequence<UInt8>) -> [Event]? {
        var events: [Event] = []
        for byte in piece {
            switch byte {
            case UInt8(ascii: "\n") where endedWithReturn: endedWithReturn = false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                endedWithReturn = byte == UInt8(ascii: "\r")
                if let event = endLine() { events.append(event) }
            default:
                endedWithReturn = false
                line.append(byte)
                guard line.count + event.data.count <= limit else { return nil }
            }
        }
        return events
    }

    private mutating func endLine() -> Event? {
        defer { line.removeAll(keepingCapacity: true) }
        if isFirstLine, line.starts(with: [0xEF, 0xBB, 0xBF]) { line.removeFirst(3) }
        isFirstLine = false
        guard !line.isEmpty else { return endEvent() }
        let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
        var value = line[min(colon + 1, line.endIndex)...]
        if value.first == UInt8(ascii: " ") { value.removeFirst() }
        switch String(decoding: line[..<colon], as: UTF8.self) {
        case "event": event.type = String(decoding: value, as: UTF8.self)
        case "data":
            if hasData { event.data.append(UInt8(ascii: "\n")) }
            event.data += value
            hasData = true
        // An identifier becomes a header field when the stream is resumed.
        case "id" where value.allSatisfy({ (0x20...0x7E).contains($0) }) && value.count <= 4096:
            event.id = String(decoding: value, as: UTF8.self)
        case "retry" where (1...9).contains(value.count):
            if let number = Int64(String(decoding: value, as: UTF8.self)), number >= 0 { retry = .milliseconds(number) }
        default: break
        }
        return nil
    }

    private mutating func endEvent() -> Event? {
        defer { (event, hasData) = (Event(), false) }
        return hasData || event.id != nil ? event : nil
    }
}
