internal import AuthEngine
internal import AuthModel
internal import Localization
internal import NIOCore
internal import NIOHTTP1
internal import OAuth

/// Passing a response on, and answering in the proxy's own name.
extension ProxyExchange {
    /// The maximum number of parts of a response that are written together.
    private static let partsAtOnce = 16

    /// Passes a response on. Returns whether the connection can carry another one. Throws if it breaks before any of it was passed on.
    func deliver(
        _ response: StreamedResponse, to request: WebRequest, hiding token: Secret?, _ output: Output, _ version: HTTPVersion,
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
    func fields(of response: StreamedResponse, to request: WebRequest, hiding token: Secret?) throws(AuthFailure) -> HTTPHeaders {
        let fields = ProxyFields.response(response.headers, withCookies: credentials == nil) { gate.local($0, from: request.url) }
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

    func refuse(_ refusal: ProxyGate.Refusal, _ output: Output) async throws -> Bool {
        let (status, text) =
            switch refusal {
            case .foreign: (403, "only programs that know this proxy's address may use it")
            case .unknownPath: (404, "the address is incomplete: it begins with a secret part, which yett proxy prints")
            case .otherHost: (421, "the request names another host than its connection, which is to \(gate.target.origin.authority)")
            case .ambiguousPath: (400, "the proxy passes on only plain paths below its target")
            }
        await noteRefusal(text)
        return try await answer(status, text, output)
    }

    /// Answers with a failure, and ends the connection.
    func answer(_ failure: AuthFailure, _ output: Output) async throws -> Bool {
        let hint = failure.hint.map { "; \($0.english)" } ?? ""
        return try await answer(
            failure.kind == .notSignedIn || failure.kind == .signInAgain ? 401 : 502, failure.message.english + hint, output)
    }

    /// Answers in the proxy's own name, and ends the connection.
    func answer(_ status: Int, _ text: String, _ output: Output) async throws -> Bool {
        try await output.write(contentsOf: ProxyAnswer.parts(status, text) + [.end(nil)])
        return false
    }
}

/// Which header fields the proxy passes on (RFC 9110 section 7.6.1).
enum ProxyFields {
    /// The fields of one connection.
    private static let hop: Set = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "proxy-authenticate",
        "proxy-authorization",
    ]

    /// Returns the fields for the server: without those of the connection, the host, and the credentials, which the proxy sets.
    static func request(_ headers: HTTPHeaders, credentials: Set<String>) -> [(name: String, value: String)] {
        let named = connectionFields(headers)
        return headers.compactMap { name, value in
            let key = name.asciiLowercased()
            guard !hop.contains(key), !named.contains(key), !credentials.contains(key), !["host", "content-length", "expect"].contains(key)
            else { return nil }
            return (name, value)
        }
    }

    /// Returns the fields for the client; `nil` if one is invalid.
    ///
    /// - Parameter withCookies: false if the cookies are for the proxy's session, and not for the client.
    static func response(
        _ headers: [(name: String, value: String)], withCookies: Bool = false, location: (String) -> String
    ) -> HTTPHeaders? {
        guard headers.allSatisfy(isValid) else { return nil }
        let all = HTTPHeaders(headers.map { ($0.name, $0.value) })
        var named = connectionFields(all)
        // The coding that is taken off here, and not this length, said where the body ends (RFC 9112 section 6.3).
        if all.contains(name: "Transfer-Encoding") { named.insert("content-length") }
        var fields = HTTPHeaders()
        for (name, value) in headers {
            let key = name.asciiLowercased()
            guard !hop.contains(key), !named.contains(key), withCookies || key != "set-cookie", key != "alt-svc"
            else { continue }
            fields.add(name: name, value: key == "location" ? location(value) : value)
        }
        return fields
    }

    /// Returns whether a name or a value has the text of a token.
    static func contain(_ token: Secret?, _ headers: [(name: String, value: String)]) -> Bool {
        guard let text = token?.reveal(), !text.isEmpty else { return false }
        // Byte by byte: a combining mark after the text would make another character of its last one.
        return headers.contains { $0.name.utf8.firstRange(of: text.utf8) != nil || $0.value.utf8.firstRange(of: text.utf8) != nil }
    }

    /// Returns whether a client can read a field as it is: the name is a token, and the value has no control character except tabs (RFC
    /// 9110 sections 5.1 and 5.5).
    private static func isValid(_ field: (name: String, value: String)) -> Bool {
        field.name.isHTTPToken && field.value.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }

    private static func connectionFields(_ headers: HTTPHeaders) -> Set<String> {
        Set(headers[canonicalForm: "connection"].map { $0.asciiLowercased() })
    }
}

/// Responses of the proxy itself. The connection ends after them.
enum ProxyAnswer {
    /// The answer to programs of other users.
    static let foreign: ByteBuffer = {
        let text = "yett proxy: only programs of the user who started it may use it\n"
        let head = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n"
        return ByteBuffer(string: head + "Content-Length: \(text.utf8.count)\r\n\r\n" + text)
    }()

    /// Returns the parts of the answer without the last one.
    static func parts(_ status: Int, _ text: String) -> [HTTPServerResponsePart] {
        let body = ByteBuffer(string: "yett proxy: \(text)\n")
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(body.readableBytes)", "Connection": "close",
            "Cache-Control": "no-store",
        ]
        return [.head(HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)), .body(.byteBuffer(body))]
    }
}

/// The protocol that a client wants on its connection (RFC 9110 section 7.8).
enum ProxyUpgrade: Equatable {
    /// The request stays in HTTP.
    case none
    /// The opening handshake of a WebSocket (RFC 6455 section 4.1).
    case webSocket
    /// A handshake that is not valid. It is refused here, so that server and proxy cannot disagree about where it ends.
    case invalid
    case otherProtocol

    init(_ head: HTTPRequestHead) {
        let headers = head.headers
        guard headers.contains(name: "Upgrade") else {
            self = .none
            return
        }
        guard headers[canonicalForm: "Upgrade"].map({ $0.asciiLowercased() }) == ["websocket"] else {
            self = .otherProtocol
            return
        }
        let keys = headers["Sec-WebSocket-Key"]
        let isWhole =
            head.method == .GET && head.version == .http1_1
            && headers[canonicalForm: "Connection"].contains { $0.asciiLowercased() == "upgrade" }
            && !headers.contains(name: "Content-Length") && !headers.contains(name: "Transfer-Encoding")
        self = isWhole && keys.count == 1 && keys[0].isKey && headers["Sec-WebSocket-Version"].count == 1 ? .webSocket : .invalid
    }
}

/// WebSockets: after the handshake, bytes in both directions until one side ends.
extension ProxyExchange {
    /// Passes the opening handshake of a WebSocket on, and its connection if the server accepts. The connection then ends.
    func forwardUpgrade(
        _ request: WebRequest, _ parts: inout Input.AsyncIterator, _ output: Output, _ connection: ProxyConnection
    ) async throws(AuthFailure) {
        guard await whole(&parts) == [] else { return }
        // The bytes of a refused attempt were never sent, so each attempt has its own.
        var input = RequestBody()
        let (response, token) = try await repeatably(request) { authorized throws(AuthFailure) in
            input = RequestBody()
            return try await transport.upgrade(authorized, to: "websocket", policy: policy, input: input)
        }
        guard response.status == 101 else {
            _ = try await deliver(response, to: request, hiding: token, output, .http1_1, endsConnection: true)
            return
        }
        var headers = try fields(of: response, to: request, hiding: token)
        headers.add(name: "Connection", value: "Upgrade")
        headers.add(name: "Upgrade", value: "websocket")
        // Before the client knows, because it may send its last bytes and end at once.
        connection.leaveHTTP()
        do {
            try await output.write(.head(HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)))
            try await ProxyPipeline.leaveHTTP(connection.channel)
        } catch {
            return response.body.close()
        }
        await pipe(&parts, to: input, response.body, to: output, connection.channel)
    }

    /// Copies bytes in both directions until one side ends. What was read from it before reaches the other side.
    private func pipe(
        _ parts: inout Input.AsyncIterator, to input: RequestBody, _ body: ResponseBody, to output: Output, _ channel: any Channel
    ) async {
        let toClient = Task {
            while let piece = try? await body.nextBuffer() {
                guard (try? await output.write(.body(.byteBuffer(piece)))) != nil else { break }
            }
            body.close()
            await ProxyPipeline.finish(channel)
            // Ends the other direction.
            channel.close(promise: nil)
        }
        await withTaskCancellationHandler {
            while case .body(let piece)? = try? await parts.next() {
                guard await input.write(piece.readableBytesView) else { break }
            }
            // Ends the connection to the server when it has the last bytes, and at the latest after the time that a request has.
            input.finish()
            let limit = channel.eventLoop.scheduleTask(in: TimeAmount(policy.deadline)) { body.close() }
            await toClient.value
            limit.cancel()
        } onCancel: {
            body.close()
            toClient.cancel()
        }
    }
}

extension String {
    /// Whether the text is 16 bytes in base64.
    fileprivate var isKey: Bool {
        utf8.count == 24 && hasSuffix("==") && utf8.prefix(22).allSatisfy { $0.isASCIIAlphanumeric || "+/".utf8.contains($0) }
    }
}
