internal import AuthEngine
internal import AuthModel
internal import Localization
internal import NIOCore
internal import NIOHTTP1
internal import OAuth

/// Passes the requests of a connection on, one after the other.
struct ProxyExchange: Sendable {
    let gate: ProxyGate
    let transport: any UpgradingTransport
    let policy: TransportPolicy
    let credentials: any ProxyCredentials

    typealias Input = NIOAsyncChannelInboundStream<HTTPServerRequestPart>
    typealias Output = NIOAsyncChannelOutboundWriter<HTTPServerResponsePart>

    /// The maximum size of a body that is kept, so that the request can be sent again with another token.
    private static let keptBody = 64 << 10
    /// The maximum number of parts of a response that are written together.
    private static let partsAtOnce = 16

    /// Serves a connection until its end.
    func serve(_ connection: ProxyConnection, _ input: Input, _ output: Output) async {
        var parts = input.makeAsyncIterator()
        while case .head(let head)? = try? await parts.next() {
            guard (try? await pass(head, &parts, output, connection)) == true, head.isKeepAlive else { break }
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

    /// Passes one request on. Returns whether the connection can carry another one.
    private func pass(
        _ head: HTTPRequestHead, _ parts: inout Input.AsyncIterator, _ output: Output, _ connection: ProxyConnection
    ) async throws -> Bool {
        let headers = head.headers
        let isFromPage = headers.contains(name: "Origin") || headers.first(name: "Sec-Fetch-Site").map { $0 != "none" } ?? false
        let url: WebURL
        switch gate.target(of: head.uri, hosts: headers["Host"], isFromPage: isFromPage) {
        case .success(let target): url = target
        case .failure(let error): return try await refuse(error.refusal, output)
        }
        guard connection.beginRequest() else { return false }
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
        let request = WebRequest(method: method, url: url, headers: ProxyFields.request(headers, credentials: credentials.fields))
        let size = headers.first(name: "Content-Length").flatMap { Int($0) }
        let hasBody = size.map { $0 > 0 } ?? headers.contains(name: "Transfer-Encoding")
        guard !hasBody || method != .head else { return try await answer(400, "a HEAD request has no body", output) }
        do throws(AuthFailure) {
            if upgrade == .webSocket {
                try await passUpgrade(request, &parts, output, connection)
                return false
            }
            let isAwaited = hasBody && head.version == .http1_1 && headers["Expect"].contains { $0.asciiLowercased() == "100-continue" }
            if !hasBody || size.map({ $0 <= Self.keptBody }) ?? false {
                if isAwaited { await inviteBody(output) }
                guard let body = await whole(&parts) else { return false }
                return try await passKept(request, body, output, head.version)
            }
            return try await passStreamed(request, size, isAwaited: isAwaited, &parts, output, head.version)
        } catch {
            return try await answer(error, output)
        }
    }

    /// Answers `Expect: 100-continue` (RFC 9110 section 10.1.1). Without the answer, a client waits about a second before it sends the body.
    private func inviteBody(_ output: Output) async {
        // If the client is gone, reading its body fails.
        try? await output.write(.head(HTTPResponseHead(version: .http1_1, status: .continue)))
    }

    func whole(_ parts: inout Input.AsyncIterator) async -> [UInt8]? {
        var body: [UInt8] = []
        while let part = try? await parts.next() {
            switch part {
            case .body(let piece): body += piece.readableBytesView
            case .end: return body
            case .head: return nil
            }
        }
        return nil
    }

    private func passKept(
        _ request: WebRequest, _ body: [UInt8], _ output: Output, _ version: HTTPVersion
    ) async throws(AuthFailure) -> Bool {
        var request = request
        request.body = body
        let (response, token) = try await withRetry(request) { authorized throws(AuthFailure) in
            try await transport.open(authorized, policy: policy, upload: nil, isRaw: true)
        }
        return try await deliver(response, to: request, hiding: token, output, version)
    }

    /// Sends a request that can be sent again: once with a new token if the server refuses the first, and once with a nonce. Returns the
    /// last response, and the token that was sent.
    func withRetry(
        _ request: WebRequest, _ send: (WebRequest) async throws(AuthFailure) -> StreamedResponse
    ) async throws(AuthFailure) -> (StreamedResponse, token: Secret) {
        var refused: Secret?
        var hasNonce = false
        while true {
            let (authorized, token) = try await credentials.authorized(request, refused: refused)
            let response = try await send(authorized)
            if response.status == 401 {
                let isNonce = await credentials.hasNewNonce(in: response.headers, status: response.status, to: authorized)
                if isNonce, !hasNonce {
                    hasNonce = true
                    response.body.close()
                    continue
                }
                if refused == nil {
                    refused = token
                    response.body.close()
                    continue
                }
            }
            return (response, token)
        }
    }

    /// Sends a request while its body arrives.
    private func passStreamed(
        _ request: WebRequest, _ size: Int?, isAwaited: Bool, _ parts: inout Input.AsyncIterator, _ output: Output, _ version: HTTPVersion
    ) async throws(AuthFailure) -> Bool {
        let (authorized, token) = try await credentials.authorized(request, refused: nil)
        if isAwaited { await inviteBody(output) }
        let body = RequestBody(size: size)
        let sending = Task { () async -> Bool in
            do throws(AuthFailure) {
                let response = try await transport.open(authorized, policy: policy, upload: body, isRaw: true)
                return try await deliver(response, to: request, hiding: token, output, version)
            } catch {
                // At once: the next part of the body may come much later.
                return (try? await answer(error, output)) ?? false
            }
        }
        return await withTaskCancellationHandler {
            let isWhole = await copy(&parts, to: body)
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

    /// Passes a response on. Returns whether the connection can carry another one. Throws if it breaks before any of it was passed on.
    func deliver(
        _ response: StreamedResponse, to request: WebRequest, hiding token: Secret, _ output: Output, _ version: HTTPVersion,
        endsConnection: Bool = false
    ) async throws(AuthFailure) -> Bool {
        var headers = try fields(of: response, to: request, hiding: token)
        let hasBody = request.method != .head && response.status != 204 && response.status != 304
        if response.status == 204 { headers.remove(name: "Content-Length") }
        var endsConnection = endsConnection
        if hasBody, !headers.contains(name: "Content-Length") {
            // HTTP/1.0 has no chunks: there, the end of the connection ends the body.
            if version == .http1_1 { headers.add(name: "Transfer-Encoding", value: "chunked") } else { endsConnection = true }
        }
        if endsConnection { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: response.status), headers: headers)
        var parts: [HTTPServerResponsePart] = [.head(head)]
        var hasBegun = false
        do {
            while true {
                // What is here goes in one write: each wakes the thread of the connection.
                if !response.body.isReady || parts.count >= Self.partsAtOnce {
                    hasBegun = true
                    try await output.write(contentsOf: parts)
                    parts = []
                }
                guard let piece = try await response.body.nextBuffer() else { break }
                if hasBody { parts.append(.body(.byteBuffer(piece))) }
            }
            try await output.write(contentsOf: parts + [.end(nil)])
            return !endsConnection
        } catch {
            response.body.close()
            if !hasBegun, let failure = error as? AuthFailure { throw failure }
            // The client must see that the response is incomplete, so the connection ends.
            return false
        }
    }

    /// Returns the fields of a response for the client. Ends the response and throws if one is invalid, or has the token that the client
    /// must not see.
    func fields(of response: StreamedResponse, to request: WebRequest, hiding token: Secret) throws(AuthFailure) -> HTTPHeaders {
        let fields = ProxyFields.response(response.headers) { gate.local($0, from: request.url) }
        let hasToken = ProxyFields.contain(token, response.headers)
        if let fields, !hasToken { return fields }
        response.body.close()
        if hasToken {
            throw AuthFailure(
                .security, UserMessage("proxy.token_in_response_header", ["host": request.url.origin.authority]),
                hint: "hint.contact_server_administrator")
        }
        throw AuthFailure(
            .unavailable(retryAfter: nil),
            UserMessage("http.invalid_response", ["host": request.url.origin.authority, "detail": ": a header field is invalid"]),
            hint: "hint.try_again_or_contact_service")
    }

    private func refuse(_ refusal: ProxyGate.Refusal, _ output: Output) async throws -> Bool {
        switch refusal {
        case .foreign: try await answer(403, "only programs that know this proxy's address may use it", output)
        case .unknownPath: try await answer(404, "the address is incomplete: it begins with a secret part, which yett proxy prints", output)
        case .ambiguousPath: try await answer(400, "the proxy passes on only plain paths below its target", output)
        }
    }

    /// Answers with a failure, and ends the connection.
    private func answer(_ failure: AuthFailure, _ output: Output) async throws -> Bool {
        let hint = failure.hint.map { "; \($0.english)" } ?? ""
        return try await answer(
            failure.kind == .notSignedIn || failure.kind == .signInAgain ? 401 : 502, failure.message.english + hint, output)
    }

    /// Answers in the proxy's own name, and ends the connection.
    private func answer(_ status: Int, _ text: String, _ output: Output) async throws -> Bool {
        try await output.write(contentsOf: ProxyAnswer.parts(status, text) + [.end(nil)])
        return false
    }
}
