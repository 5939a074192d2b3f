package import AuthModel
package import OAuth

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
