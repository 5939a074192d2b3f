internal import AuthEngine
internal import AuthModel
internal import Localization
internal import Logging
internal import OAuth

/// A transport that logs the method, the address without its query, the status and the duration of each request. Logs no headers and no
/// bodies.
struct LoggedTransport: HTTPTransport {
    let transport: any HTTPTransport
    let logger: Logger
    let time: any TimeSource

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        let start = time.bootTime
        do {
            let response = try await transport.send(request, policy: policy)
            note(request, "\(response.status)", since: start)
            return response
        } catch {
            note(request, error.summary, since: start)
            throw error
        }
    }

    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? {
        logger.debug("looking at the certificate of \(origin)")
        return try await transport.certificate(of: origin, policy: policy)
    }

    private func note(_ request: WebRequest, _ outcome: String, since start: Duration) {
        // A URL's description contains no query and no fragment.
        let address = request.hasSecretPath ? request.url.origin.description + "/…" : request.url.description
        logger.debug("\(request.method.rawValue) \(address): \(outcome), \((time.bootTime - start).wholeMilliseconds) ms")
    }
}
