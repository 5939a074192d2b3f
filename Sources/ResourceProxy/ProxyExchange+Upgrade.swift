internal import AuthEngine
internal import AuthModel
internal import NIOCore
internal import NIOHTTP1
internal import OAuth

/// WebSockets: after the handshake, bytes in both directions until one side ends.
extension ProxyExchange {
    /// Passes the opening handshake of a WebSocket on, and its connection if the server accepts. The connection then ends.
    func passUpgrade(
        _ request: WebRequest, _ parts: inout Input.AsyncIterator, _ output: Output, _ connection: ProxyConnection
    ) async throws(AuthFailure) {
        guard await whole(&parts) == [] else { return }
        // The bytes of a refused attempt were never sent, so each attempt has its own.
        var input = RequestBody()
        let (response, token) = try await withRetry(request) { authorized throws(AuthFailure) in
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
