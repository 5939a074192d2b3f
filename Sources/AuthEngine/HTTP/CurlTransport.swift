public import AuthModel
import CLibraries
import Glibc
public import OAuth
import Synchronization

/// An ``HTTPTransport`` on the distribution's libcurl.
///
/// It guarantees, for any server behaviour: one deadline for the whole request; limits on header lines and on the inflated body (a transfer
/// is cut off at the limit, so memory stays flat); redirects are returned and never followed; no cookies, no netrc, no referrer; TLS 1.2 or
/// newer with certificate and host name verified; plain http to loopback literals only; and a request that may have been carried out is not
/// sent twice. Proxies are taken from the environment, but never for this machine.
///
/// The first request loads libcurl and starts the one thread that drives it. Connections are kept for later requests.
public final class CurlTransport: HTTPTransport {
    private let userAgent: String
    private let environment: [String: String]
    private let localPorts: [String: Int]
    private let loop = Mutex<CurlLoop?>(nil)
    private let redactor = Mutex(SecretRedactor.none)
    private let roots = Mutex(KnownCertificateRoots())

    /// Creates a transport.
    ///
    /// - Parameters:
    ///   - version: the version of the program, for the User-Agent field.
    ///   - environment: the variables that `SSL_CERT_FILE` and `SSL_CERT_DIR` are read from. libcurl reads the proxy variables itself.
    ///   - localPorts: hosts that are reached at a port of this machine, as an entry of a hosts file would do: for tests that play a
    ///     service under its own name.
    public init(version: String, environment: [String: String], localPorts: [String: Int] = [:]) {
        userAgent = "yett/" + version
        self.environment = environment
        self.localPorts = localPorts
    }

    deinit {
        loop.withLock { $0?.stop() }
    }

    /// The reason why this machine can send no request; `nil` if libcurl is available. Sends nothing.
    public static var obstacle: AuthFailure? {
        guard let failure = ccurl_load()?.pointee else { return nil }
        return AuthFailure(
            .configuration, .verbatim(String(cString: failure.reason)),
            hint: failure.is_missing
                ? "hint.install_libcurl" : "hint.free_memory_or_reinstall_libcurl")
    }

    /// The reason why this machine can send no request; `nil` if libcurl is available.
    public var obstacle: AuthFailure? { Self.obstacle }

    /// The versions of libcurl and of the libraries that it uses, as libcurl prints them; `nil` without libcurl.
    public static var libraryVersion: String? { ccurl_load() == nil ? String(cString: ccurl_version()) : nil }

    /// Validates and sends a request. The response's error texts do not contain secrets of the exchange.
    public func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        try RequestCheck.check(request, policy)
        return redacting(try await performTransfer(request, policy), to: request)
    }

    /// Fetches the server's certificate in a TLS handshake, without sending a request.
    public func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? {
        guard origin.scheme == .https, let url = WebURL(origin.description) else { return nil }
        let glance = try await performTransfer(WebRequest(method: .get, url: url), policy, isCertificateProbe: true)
        return glance.body.isEmpty ? nil : ServerCertificate(origin: origin, pem: String(decoding: glance.body, as: UTF8.self))
    }

    private func performTransfer(
        _ request: WebRequest, _ policy: TransportPolicy, isCertificateProbe: Bool = false
    ) async throws(AuthFailure) -> WebResponse {
        var plan = try plan(request, policy)
        plan.isCertificateProbe = isCertificateProbe
        let loop = try startedLoop()
        let ticket = loop.ticket()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { [plan] continuation in
                loop.start(ticket, plan) { continuation.resume(returning: $0) }
                // A cancellation before the start had no transfer to cancel.
                if Task.isCancelled { loop.cancel(ticket) }
            }
        } onCancel: {
            loop.cancel(ticket)
        }
        return try result.get()
    }

    /// Returns what a transfer needs to know.
    func plan(_ request: WebRequest, _ policy: TransportPolicy) throws(AuthFailure) -> CurlTransfer.Plan {
        try policy.clientCertificate?.check()
        let allowed = policy.allowedCertificate.flatMap { $0.origin == request.url.origin ? $0.pem : nil }
        let roots = try roots.withLock { known throws(AuthFailure) in
            try known.roots(caFile: policy.caFile, allowed: allowed, environment: environment)
        }
        return CurlTransfer.Plan(
            request: request, policy: policy, roots: roots, userAgent: userAgent, localPort: localPorts[request.url.origin.host])
    }

    /// Returns the response with a redactor that removes from its error texts the secrets of this and earlier exchanges. Each endpoint of a
    /// provider knows what was sent to the others.
    private func redacting(_ answer: WebResponse, to request: WebRequest) -> WebResponse {
        let (asked, given) = (SecretRedactor(of: request), SecretRedactor(of: answer, to: request))
        return redactor.withLock { known in
            known.add(asked)
            let now = known
            known.add(given)
            return answer.keeping(now)
        }
    }

    func startedLoop() throws(AuthFailure) -> CurlLoop {
        let result: Result<CurlLoop, AuthFailure> = loop.withLock { loop in
            if let loop { return .success(loop) }
            if let obstacle = Self.obstacle { return .failure(obstacle) }
            guard let new = CurlLoop() else {
                return .failure(
                    AuthFailure(.unavailable(retryAfter: nil), "http.no_thread_or_memory", hint: "hint.try_again"))
            }
            loop = new
            return .success(new)
        }
        return try result.get()
    }
}

extension CurlTransport: StreamingTransport {
    package func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        try await stream(request, policy) { plan in (plan.upload, plan.isRaw) = (upload, isRaw) }
    }

    /// Starts a transfer whose response is streamed, and waits for the response's header.
    func stream(
        _ request: WebRequest, _ policy: TransportPolicy, _ change: (inout CurlTransfer.Plan) -> Void
    ) async throws(AuthFailure) -> StreamedResponse {
        try RequestCheck.check(request, policy)
        var plan = try plan(request, policy)
        change(&plan)
        let loop = try startedLoop()
        let ticket = loop.ticket()
        let body = ResponseBody(resume: { loop.resume(ticket) }, cancel: { loop.cancel(ticket) })
        let stream = ResponseStream(body)
        plan.stream = stream
        let input = plan.upload ?? plan.tunnel?.input
        input?.begin { loop.resume(ticket) }
        let result = await withTaskCancellationHandler {
            loop.start(ticket, plan) { result in
                input?.abort()
                stream.finish(result.map { _ in })
            }
            // A cancellation before the start had no transfer to cancel.
            if Task.isCancelled { loop.cancel(ticket) }
            return await stream.response()
        } onCancel: {
            loop.cancel(ticket)
        }
        var response = try result.get()
        // Only errors are shown, and most responses are none.
        if response.status >= 400 { response.redactor = SecretRedactor(of: request) }
        return response
    }
}

/// Makes connections that leave HTTP.
package protocol UpgradingTransport: StreamingTransport {
    /// Sends a GET request that asks for another protocol (RFC 9110 section 7.8), on a connection of its own. Returns the response when its
    /// header is complete, with any status.
    ///
    /// After 101 the response's body is what the server sends in the other protocol, and `input` what it gets; the connection ends with the
    /// body, with the input, or when the body is dropped. With any other status the body is the response's.
    ///
    /// - Parameter name: the protocol, such as `websocket`.
    func upgrade(
        _ request: WebRequest, to name: String, policy: TransportPolicy, input: RequestBody
    ) async throws(AuthFailure) -> StreamedResponse
}

extension CurlTransport: UpgradingTransport {
    package func upgrade(
        _ request: WebRequest, to name: String, policy: TransportPolicy, input: RequestBody
    ) async throws(AuthFailure) -> StreamedResponse {
        guard request.method == .get, request.body.isEmpty, name.isHTTPToken, policy.webServerLogin == nil,
            !request.headers.contains(where: { Self.ownFields.contains($0.name.asciiLowercased()) })
        else { throw AuthFailure(.bug, "http.transfer_refused") }
        return try await stream(request, policy) { plan in plan.tunnel = CurlTunnel.Plan(name: name, input: input) }
    }

    /// The fields that the request for an upgrade sets itself.
    private static let ownFields: Set = ["host", "connection", "upgrade", "content-length", "transfer-encoding"]
}
