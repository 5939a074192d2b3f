internal import AuthEngine
package import AuthModel
internal import NIOCore
internal import NIOHTTP1
internal import OAuth
package import ResourceClient

/// Passes the requests of a connection on, one after the other.
struct ProxyExchange: Sendable {
    let gate: ProxyGate
    let transport: any UpgradingTransport
    private(set) var policy: TransportPolicy
    /// Where the credentials come from; `nil` if the client has its own.
    private(set) var credentials: (any ProxyCredentials)?
    /// Called for each request that is refused, with the reason.
    let noteRefusal: @Sendable (_ reason: String) async -> Void

    init(
        gate: ProxyGate, transport: any UpgradingTransport, policy: TransportPolicy, credentials: any ProxyCredentials,
        noteRefusal: @escaping @Sendable (_ reason: String) async -> Void = { _ in }
    ) {
        self.noteRefusal = noteRefusal
        self.gate = gate
        self.transport = transport
        self.policy = policy
        self.credentials = credentials
    }

    typealias Input = NIOAsyncChannelInboundStream<HTTPServerRequestPart>
    typealias Output = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// The maximum size of a body that is kept, so that the request can be sent again with another token.
    private static let keptBody = 64 << 10

    /// Serves a connection until its end.
    func serve(_ connection: ProxyConnection, _ input: Input, _ output: Output) async {
        var parts = input.makeAsyncIterator()
        while case .head(let head)? = try? await parts.next() {
            guard (try? await exchange(for: head).pass(head, &parts, output, connection)) == true, head.isKeepAlive else { break }
            connection.beginWaiting()
        }
        await ProxyPipeline.finish(connection.channel)
        await linger(&parts, connection.channel)
    }

    /// Reads what the client is still sending, for a short time: a connection that is closed with unread input is reset, and the client may
    /// never see the last response (RFC 9112 section 9.6).
    private func linger(_ parts: inout Input.AsyncIterator, _ channel: any Channel) async {
        let limit = channel.eventLoop.scheduleTask(in: .seconds(2)) { channel.close(promise: nil) }
        while let part = try? await parts.next(), !Task.isCancelled { _ = part }
        limit.cancel()
    }

    /// Returns the exchange for a request: with no credential of the session, its client certificate included, if the client of an opened
    /// connection has one of its own, asks for tokens in its query, as some services want it, or a web page of another origin caused the
    /// request.
    private func exchange(for head: HTTPRequestHead) async -> ProxyExchange {
        let headers = head.headers
        guard case .opened = gate.entry, let fields = credentials?.fields else { return self }
        let origin = gate.target.origin
        let isFromOtherSite = headers.areOfPage(outside: origin)
        guard isFromOtherSite || head.queryAsksForTokens || ProxyPlaceholder.hasOthers(headers, in: fields) else { return self }
        if isFromOtherSite {
            await noteRefusal("a request to \(origin.authority) got no token, because a web page of another site caused it")
        }
        return withoutCredentials
    }

    private var withoutCredentials: ProxyExchange {
        var exchange = self
        exchange.credentials = nil
        exchange.policy.clientCertificate = nil
        return exchange
    }

    /// Passes one request on. Returns whether the connection can carry another one.
    private func pass(
        _ head: HTTPRequestHead, _ parts: inout Input.AsyncIterator, _ output: Output, _ connection: ProxyConnection
    ) async throws -> Bool {
        let headers = head.headers
        let isFromBrowserPage = headers.contains(name: "Origin") || headers.first(name: "Sec-Fetch-Site").map { $0 != "none" } ?? false
        let url: WebURL
        switch gate.target(of: head.uri, hosts: headers["Host"], isFromBrowserPage: isFromBrowserPage) {
        case .success(let target): url = target
        case .failure(let error): return try await refuse(error.refusal, output)
        }
        guard connection.beginRequest() else { return false }
        if case .opened = gate.entry, let refusal = try await connection.client().refusal(of: gate.target.origin) {
            await noteRefusal(refusal.text)
            return try await answer(refusal.status, refusal.text, output)
        }
        let upgrade = ProxyUpgrade(head)
        guard upgrade != .otherProtocol else {
            return try await answer(501, "this proxy passes on HTTP requests and WebSockets, and no other protocol", output)
        }
        guard let method = WebRequest.Method(rawValue: head.method.rawValue) else {
            return try await answer(501, "this proxy passes on no \(head.method.rawValue) requests", output)
        }
        // The body is passed on as it is, so its coding must be none (RFC 9112 section 6.1).
        let codings = headers["Transfer-Encoding"]
        guard codings.allSatisfy({ $0.asciiLowercased() == "chunked" }) else {
            return try await answer(501, "this proxy knows no transfer coding but chunked", output)
        }
        guard codings.isEmpty || head.version == .http1_1 else {
            return try await answer(400, "HTTP/1.0 has no transfer codings", output)
        }
        guard upgrade != .invalid else { return try await answer(400, "not the handshake of a WebSocket (RFC 6455 section 4.1)", output) }
        let request = WebRequest(method: method, url: url, headers: ProxyFields.request(headers, credentials: credentials?.fields ?? []))
        let size = headers.first(name: "Content-Length").flatMap { Int($0) }
        // HTTP permits any number of digits, but no body has so many bytes.
        guard size != nil || !headers.contains(name: "Content-Length") else {
            return try await answer(400, "the length of the body is no number of 63 bits", output)
        }
        let hasBody = size.map { $0 > 0 } ?? headers.contains(name: "Transfer-Encoding")
        guard !hasBody || method != .head else { return try await answer(400, "a HEAD request has no body", output) }
        do throws(AuthFailure) {
            if upgrade == .webSocket {
                try await forwardUpgrade(request, &parts, output, connection)
                return false
            }
            let isAwaited = hasBody && head.version == .http1_1 && headers["Expect"].contains { $0.asciiLowercased() == "100-continue" }
            let mayBeForTokens = if case .opened = gate.entry { method == .post && headers.areOfForm } else { false }
            // The client's own request, with the fields that otherwise hold the session's credentials.
            let own = WebRequest(method: method, url: url, headers: ProxyFields.request(headers, credentials: []))
            let isShort = !hasBody || size.map { $0 <= Self.keptBody } ?? false
            guard isShort || mayBeForTokens else {
                return try await forwardStreamed(request, size, isAwaited: isAwaited, &parts, output, head.version)
            }
            if isAwaited { await inviteBody(output) }
            guard let (body, isWhole) = await beginning(&parts) else { return false }
            guard isWhole else {
                if isShort { return false }
                let host = gate.target.origin.authority
                await noteRefusal("a form of more than 64 KiB to \(host) got no token, because it may be a request for tokens")
                return try await withoutCredentials.forwardStreamed(own, size, after: body, isAwaited: false, &parts, output, head.version)
            }
            if mayBeForTokens, headers.areOfTokenRequest(with: body) {
                return try await withoutCredentials.forwardBuffered(own, body, output, head.version)
            }
            return try await forwardBuffered(request, body, output, head.version)
        } catch {
            return try await answer(error, output)
        }
    }

    /// Answers `Expect: 100-continue` (RFC 9110 section 10.1.1). Without the answer, a client waits about a second before it sends the
    /// body.
    private func inviteBody(_ output: Output) async {
        // If the client is gone, reading its body fails.
        try? await output.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
    }

    /// Returns the body of a request; `nil` if it breaks off, or is longer than a body that is kept.
    func whole(_ parts: inout Input.AsyncIterator) async -> [UInt8]? {
        guard let (body, isWhole) = await beginning(&parts), isWhole else { return nil }
        return body
    }

    /// Reads the body of a request until it ends, or is longer than a body that is kept; returns `nil` if it breaks off.
    private func beginning(_ parts: inout Input.AsyncIterator) async -> (body: [UInt8], isWhole: Bool)? {
        var body: [UInt8] = []
        while let part = try? await parts.next() {
            switch part {
            case .body(let piece):
                body += piece.readableBytesView
                guard body.count <= Self.keptBody else { return (body, false) }
            case .end: return (body, true)
            case .head: return nil
            }
        }
        return nil
    }

    private func forwardBuffered(
        _ request: WebRequest, _ body: [UInt8], _ output: Output, _ version: HTTPVersion
    ) async throws(AuthFailure) -> Bool {
        var request = request
        request.body = body
        let (response, token) = try await repeatably(request) { authorized throws(AuthFailure) in
            try await transport.open(authorized, policy: policy, upload: nil, isRaw: true)
        }
        return try await deliver(response, to: request, hiding: token, output, version)
    }

    /// Sends a request that can be sent again. Returns the last response, and the token that was sent.
    func repeatably(
        _ request: WebRequest, _ open: @escaping (WebRequest) async throws(AuthFailure) -> StreamedResponse
    ) async throws(AuthFailure) -> (StreamedResponse, token: Secret?) {
        let driver = RepeatableRequest(credentials: credentials, open: open)
        let (response, _, credential) = try await driver.response(
            to: AuthorizedRequest(request, recoveries: [.nonce, .renewal], challenge: .fail))
        return (response, credential?.issued.token)
    }

    /// Sends a request while its body arrives.
    ///
    /// - Parameter beginning: the part of the body that was already read.
    private func forwardStreamed(
        _ request: WebRequest, _ size: Int?, after beginning: [UInt8] = [], isAwaited: Bool, _ parts: inout Input.AsyncIterator,
        _ output: Output, _ version: HTTPVersion
    ) async throws(AuthFailure) -> Bool {
        let credential = try await credentials?.credential(for: request.url, refused: nil)
        let authorized = try await credential?.authorized(request) ?? request
        if isAwaited { await inviteBody(output) }
        let body = RequestBody(size: size)
        let sending = Task { () async -> Bool in
            do throws(AuthFailure) {
                let response = try await transport.open(authorized, policy: policy, upload: body, isRaw: true)
                // This request cannot be sent again, but the next one has the nonce.
                _ = credential?.hasNewNonce(in: response.head, to: authorized)
                return try await deliver(response, to: request, hiding: credential?.issued.token, output, version)
            } catch {
                // At once: the next part of the body may come much later.
                return (try? await answer(error, output)) ?? false
            }
        }
        return await withTaskCancellationHandler {
            var isWhole = await body.write(beginning)
            if isWhole { isWhole = await copy(&parts, to: body) }
            let isReusable = await sending.value
            return isReusable && isWhole
        } onCancel: {
            sending.cancel()
        }
    }

    /// Copies the body of a request. Returns whether it is complete.
    private func copy(_ parts: inout Input.AsyncIterator, to body: RequestBody) async -> Bool {
        while let part = try? await parts.next() {
            switch part {
            case .body(let piece):
                guard await body.write(piece.readableBytesView) else { return false }
            case .end:
                body.finish()
                return true
            case .head: break
            }
        }
        body.abort()
        return false
    }
}

extension HTTPHeaders {
    /// Whether a browser sends the request for a page of another origin, or for one that it does not tell (RFC 6454 section 7.3; Fetch
    /// Metadata).
    func areOfPage(outside origin: Origin) -> Bool {
        self["Origin"].contains { WebURL($0)?.origin != origin }
            || self["Sec-Fetch-Site"].contains { !["same-origin", "none"].contains($0.asciiLowercased()) }
    }

    /// Whether the body of the request is a form, as in requests to an authorization server.
    var areOfForm: Bool { first(name: "Content-Type")?.asciiLowercased().hasPrefix("application/x-www-form-urlencoded") == true }

    /// Whether a POST request with this body asks an authorization server for tokens (RFC 6749 section 4), with credentials in the body or
    /// none. A token of the session does not belong there.
    func areOfTokenRequest(with body: [UInt8]) -> Bool {
        areOfForm && body.namesGrant
    }
}

extension HTTPRequestHead {
    /// Whether the query of the request asks for tokens, as forms do at other authorization servers.
    var queryAsksForTokens: Bool {
        guard let mark = uri.utf8.firstIndex(of: UInt8(ascii: "?")) else { return false }
        return Array(uri.utf8[uri.utf8.index(after: mark)...]).namesGrant
    }
}

extension [UInt8] {
    /// Whether a form has the type of a grant.
    fileprivate var namesGrant: Bool {
        split(separator: UInt8(ascii: "&")).contains { pair in
            // A server decodes the name, too.
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            return name.count < pair.count && FormEncoding.unescape(String(decoding: name, as: UTF8.self)) == "grant_type"
        }
    }
}

/// A request of a client that can be sent again, because its body is kept: once with the nonce that the server gives, and once with another
/// token if the server refuses the first. The client meets every other challenge itself.
private struct RepeatableRequest: RequestDriver {
    let credentials: (any ProxyCredentials)?
    let open: (WebRequest) async throws(AuthFailure) -> StreamedResponse

    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential? {
        try await credentials?.credential(for: url, refused: refused)
    }

    func send(_ request: WebRequest, with credential: SessionCredential?) async throws(AuthFailure) -> StreamedResponse {
        try await open(request)
    }

    func received(_ response: StreamedResponse) -> WebResponse { response.head }
}

/// The source of the credentials of the proxy's requests.
package protocol ProxyCredentials: Sendable {
    /// The header fields that hold the credentials, in lower case. They are never taken from a client.
    var fields: Set<String> { get }

    /// Returns a fresh credential for a request to a URL.
    ///
    /// - Parameter refused: the token that the server no longer accepts, to be replaced by a new one.
    func credential(for url: WebURL, refused: Secret?) async throws(AuthFailure) -> SessionCredential

    /// Returns an element whenever the credentials may no longer be used, also those of requests that are still being answered: after a
    /// lock, or when the session has ended.
    func withdrawals() -> AsyncStream<Void>

    /// Returns these credentials for the requests of one client.
    ///
    /// - Parameter process: returns the process of the client; `nil` if it is not known.
    func asked(by process: @escaping @Sendable () async -> Int32?) -> any ProxyCredentials
}

extension ProxyCredentials {
    /// Default: the same for all clients.
    package func asked(by process: @escaping @Sendable () async -> Int32?) -> any ProxyCredentials { self }
}
