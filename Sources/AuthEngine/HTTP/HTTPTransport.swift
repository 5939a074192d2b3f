public import AuthModel
public import OAuth

/// Sends a request and brings back the answer: the one way from the engine to the network.
public protocol HTTPTransport: Sendable {
    /// Sends `request` once and returns what came back, whatever its status; a redirect is an answer like any other.
    ///
    /// - Throws: `.unavailable` when there was no whole answer within the policy's limits, `.security` when the request or the
    ///   server's certificate must not be trusted, `.configuration` when the roots cannot be read or libcurl is not there, `.cancelled`
    ///   when the task is.
    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse

    /// The certificate that the server at `origin` shows, whoever signed it; no request is sent. `nil` where it cannot be told.
    ///
    /// - Throws: what ``send(_:policy:)`` throws where there is no connection.
    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate?
}

extension HTTPTransport {
    public func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? { nil }

    /// Sends `request` under ``TransportPolicy/standard``.
    public func send(_ request: WebRequest) async throws(AuthFailure) -> WebResponse {
        try await send(request, policy: .standard)
    }
}
