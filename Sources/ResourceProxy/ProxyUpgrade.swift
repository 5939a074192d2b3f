internal import AuthEngine
internal import AuthModel
internal import NIOCore
internal import NIOHTTP1
internal import OAuth

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
