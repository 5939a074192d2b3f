public import AuthModel
public import OAuth

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
}

extension HTTPTransport {
    /// Default: `nil`.
    public func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? { nil }

    /// Sends `request` under ``TransportPolicy/standard``.
    public func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        try await send(request, policy: .standard)
    }
}
