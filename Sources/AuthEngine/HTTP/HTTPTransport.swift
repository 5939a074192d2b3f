public import AuthModel
public import OAuth
import Synchronization

/// Sends an HTTP request and returns the response. The engine reaches the network only through it.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns the response, with any status. A redirect is returned like any other response.
    ///
    /// - Throws: `.unavailable` if no complete response arrived within the policy's limits, `.security` if the request or the server's
    ///   certificate must not be trusted, `.configuration` if the roots cannot be read or libcurl is not installed, `.cancelled` if the
    ///   task is cancelled.
    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse

    /// Returns the certificate that the server at `origin` presents, trusted or not; `nil` if it cannot be determined. Sends no request.
    ///
    /// - Throws: what ``send(_:policy:)`` throws when there is no connection.
    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate?

    /// The reason why this machine can send no request at all; `nil` if it can. Sends nothing.
    var obstacle: AuthFailure? { get }
}

extension HTTPTransport {
    /// Default: `nil`.
    public func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? { nil }

    /// Default: `nil`.
    public var obstacle: AuthFailure? { nil }

    /// Sends `request` under ``TransportPolicy/standard``.
    public func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        try await send(request, policy: .standard)
    }

    /// Sends a request without a credential, and follows redirects within its origin, at most three in a row. Returns the last response,
    /// and the URL that gave it.
    func sendFollowing(
        _ request: WebRequest, policy: TransportPolicy
    ) async throws(AuthFailure) -> (response: WebResponse, url: WebURL) {
        var request = request
        var response = try await send(request, policy: policy)
        for _ in 0..<3 {
            let next = try? request.redirect(status: response.status, location: response.header("Location"), repeatsBody: true)
            guard let next else { break }
            request = WebRequest(method: request.method, url: next, headers: request.headers, body: request.body)
            response = try await send(request, policy: policy)
        }
        return (response, request.url)
    }
}

/// A response whose body arrives in pieces, without a limit on its whole size.
package struct StreamedResponse: Sendable {
    /// The status code.
    package let status: Int
    /// The header fields, in order.
    package let headers: [(name: String, value: String)]
    /// The body. Dropping it ends the transfer.
    package let body: ResponseBody
    /// Removes the secrets of the request from errors that are read from a refusal.
    package var redactor = SecretRedactor.none

    package init(status: Int, headers: [(name: String, value: String)], body: ResponseBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The response without its body.
    package var head: WebResponse { WebResponse(status: status, headers: headers, body: []).keeping(redactor) }

    /// Returns the value of the first field with this name.
    package func header(_ name: String) -> String? {
        let name = name.asciiLowercased()
        return headers.first { $0.name.asciiLowercased() == name }?.value
    }

    /// Returns the response with its whole body. Throws `.unavailable` if the body is longer than `limit` bytes.
    package func collected(limit: Int) async throws(AuthFailure) -> WebResponse {
        var bytes: [UInt8] = []
        while let piece = try await body.next() {
            guard piece.count <= limit - bytes.count else {
                throw AuthFailure(.unavailable(retryAfter: nil), "http.body_too_long", hint: "hint.contact_server_administrator")
            }
            bytes += piece
        }
        return WebResponse(status: status, headers: headers, body: bytes).keeping(redactor)
    }
}

/// Sends requests whose responses arrive in pieces.
package protocol StreamingTransport: Sendable {
    /// Sends `request` once and returns the response when its header is complete, with any status. A redirect is returned as it is.
    ///
    /// The policy's deadline applies to making the connection, its limit on the body does not apply: a server may work on an answer for any
    /// time, and TCP notices one that is gone. Cancelling the task ends the transfer until the header is complete; afterwards dropping the
    /// body does.
    ///
    /// - Parameters:
    ///   - upload: the body of the request; `nil` if `request` has it.
    ///   - isRaw: whether the body is passed on as the server encoded it.
    func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse
}

extension StreamingTransport {
    /// Sends a request with its whole body.
    package func open(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> StreamedResponse {
        try await open(request, policy: policy, upload: nil, isRaw: false)
    }
}

/// Passes a response from the thread of libcurl to its reader: first the header, then the body in pieces.
final class ResponseStream: Sendable {
    private struct State {
        /// Kept until the reader has it; then the reader's reference alone keeps the transfer alive.
        var pendingBody: ResponseBody?
        weak var body: ResponseBody?
        var opened: CheckedContinuation<Result<StreamedResponse, AuthFailure>, Never>?
        var result: Result<StreamedResponse, AuthFailure>?
    }

    private let state: Mutex<State>

    init(_ body: ResponseBody) { state = Mutex(State(pendingBody: body, body: body)) }

    /// Waits for the header.
    func response() async -> Result<StreamedResponse, AuthFailure> {
        await withCheckedContinuation { continuation in
            let result = state.withLock { state -> Result<StreamedResponse, AuthFailure>? in
                guard let result = state.result else {
                    state.opened = continuation
                    return nil
                }
                (state.result, state.pendingBody) = (nil, nil)
                return result
            }
            if let result { continuation.resume(returning: result) }
        }
    }

    // MARK: From the transfer

    /// The header is complete.
    func begin(status: Int, headers: [(name: String, value: String)]) {
        guard let body = state.withLock({ $0.pendingBody }) else { return }
        open(.success(StreamedResponse(status: status, headers: headers, body: body)))
    }

    /// Receives a piece of the body; returns whether there is room for it.
    func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
        // Without a reader the transfer is about to be cancelled.
        state.withLock { $0.body }?.receive(piece) ?? true
    }

    /// The transfer ended.
    func finish(_ result: Result<Void, AuthFailure>) {
        state.withLock { $0.body }?.finish(result)
        if case .failure(let failure) = result { open(.failure(failure)) }
    }

    private func open(_ result: Result<StreamedResponse, AuthFailure>) {
        let waiting = state.withLock { state -> CheckedContinuation<Result<StreamedResponse, AuthFailure>, Never>? in
            guard let opened = state.opened else {
                if state.pendingBody != nil, state.result == nil { state.result = result }
                return nil
            }
            (state.opened, state.pendingBody) = (nil, nil)
            return opened
        }
        waiting?.resume(returning: result)
    }
}

/// The limits and the trust settings of a request.
public struct TransportPolicy: Equatable, Sendable {
    /// Maximum time from the call to the last byte, including name look-up and handshake.
    public var deadline: Duration
    /// Maximum size of the inflated body, in bytes.
    public var bodyLimit: Int
    /// Maximum size of all header lines, in bytes, including interim responses.
    public var headerLimit: Int
    /// Maximum number of header lines, including interim responses.
    public var headerCountLimit: Int
    /// A PEM file with roots that are trusted in addition to the system's.
    public var caFile: String?
    /// A certificate that is trusted for its server without a known root, because the user allowed it.
    public var allowedCertificate: ServerCertificate?
    /// The client certificate for the TLS handshake (RFC 8705 section 2), if the server asks for one.
    public var clientCertificate: ClientCertificate?
    /// The credentials for a web server in front of the service. They are sent to that server's origin only.
    public var webServerLogin: WebServerLogin?

    /// A client certificate and its key, in PEM files.
    public struct ClientCertificate: Equatable, Sendable {
        /// The file with the certificate and its chain.
        public var certificateFile: String
        /// The file with the unencrypted private key; `nil` if it is in the certificate's file.
        public var keyFile: String?

        /// Creates a client certificate.
        public init(certificateFile: String, keyFile: String?) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// Creates a policy.
    public init(
        deadline: Duration = .seconds(15), bodyLimit: Int = 1 << 20, headerLimit: Int = 64 << 10, headerCountLimit: Int = 200,
        caFile: String? = nil, clientCertificate: ClientCertificate? = nil
    ) {
        self.deadline = deadline
        self.bodyLimit = bodyLimit
        self.headerLimit = headerLimit
        self.headerCountLimit = headerCountLimit
        self.caFile = caFile
        self.clientCertificate = clientCertificate
    }

    /// The default policy: 15 seconds, 1 MB, the system's roots.
    public static let standard = TransportPolicy()
}

extension TransportPolicy {
    /// Creates the policy for the resources of a provider's sessions: with the provider's own roots, and the client certificate if the
    /// provider's tokens may be bound to it (RFC 8705 section 3).
    package init(resourcesOf provider: ProviderConfiguration, deadline: Duration, bodyLimit: Int = 1 << 20) {
        self.init(deadline: deadline, bodyLimit: bodyLimit, caFile: provider.caFile)
        if [.tls, .auto].contains(provider.clientAuthentication) { clientCertificate = ClientCertificate(of: provider) }
    }
}

extension TransportPolicy.ClientCertificate {
    /// Creates the certificate that the configuration names; `nil` if it names none.
    package init?(of provider: ProviderConfiguration) {
        guard let file = provider.clientCertificateFile else { return nil }
        self.init(certificateFile: file, keyFile: provider.clientKeyFile)
    }
}
