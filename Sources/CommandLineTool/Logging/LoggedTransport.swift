internal import AuthEngine
internal import AuthModel
internal import Localization
internal import Logging
internal import OAuth

/// A transport that logs the method, the address without its query, the status and the duration of each request. Logs no headers and no
/// bodies.
struct LoggedTransport: HTTPTransport, UpgradingTransport {
    let transport: any HTTPTransport & UpgradingTransport
    let logger: Logger
    let time: any TimeSource

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        try await noting(request, status: \.status) { () async throws(AuthFailure) in try await transport.send(request, policy: policy) }
    }

    func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        try await noting(request, status: \.status) { () async throws(AuthFailure) in
            try await transport.open(request, policy: policy, upload: upload, isRaw: isRaw)
        }
    }

    func upgrade(
        _ request: WebRequest, to name: String, policy: TransportPolicy, input: RequestBody
    ) async throws(AuthFailure) -> StreamedResponse {
        try await noting(request, status: \.status) { () async throws(AuthFailure) in
            try await transport.upgrade(request, to: name, policy: policy, input: input)
        }
    }

    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? {
        logger.debug("looking at the certificate of \(origin)")
        return try await transport.certificate(of: origin, policy: policy)
    }

    /// Sends a request, and logs it when the header of its response is complete.
    private func noting<Response>(
        _ request: WebRequest, status: (Response) -> Int, _ send: () async throws(AuthFailure) -> Response
    ) async throws(AuthFailure) -> Response {
        let start = time.bootTime
        do throws(AuthFailure) {
            let response = try await send()
            note(request, "\(status(response))", since: start)
            return response
        } catch {
            note(request, error.summary, since: start)
            throw error
        }
    }

    private func note(_ request: WebRequest, _ outcome: String, since start: Duration) {
        // A URL's description contains no query and no fragment.
        let address = request.hasSecretPath ? request.url.origin.description + "/…" : request.url.description
        logger.debug("\(request.method.rawValue) \(address): \(outcome), \((time.bootTime - start).wholeMilliseconds) ms")
    }
}
