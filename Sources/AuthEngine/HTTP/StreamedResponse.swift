package import AuthModel
package import OAuth

/// A response whose body arrives in pieces, without a limit on its whole size.
package struct StreamedResponse: Sendable {
    /// The status code.
    package let status: Int
    /// The header fields, in order.
    package let headers: [(name: String, value: String)]
    /// The body. Dropping it ends the transfer.
    package let body: ResponseBody

    /// Creates a response.
    package init(status: Int, headers: [(name: String, value: String)], body: ResponseBody) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The response without its body.
    package var head: WebResponse { WebResponse(status: status, headers: headers, body: []) }

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
        return WebResponse(status: status, headers: headers, body: bytes)
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
