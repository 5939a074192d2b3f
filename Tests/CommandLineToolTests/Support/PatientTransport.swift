import AuthEngine
import AuthModel
import OAuth

/// The product's HTTP client with longer deadlines: on a busy machine, a server in this process may have its turn late.
struct PatientTransport: HTTPTransport, UpgradingTransport {
    let transport: CurlTransport

    private func patient(_ policy: TransportPolicy) -> TransportPolicy {
        var policy = policy
        policy.deadline = max(policy.deadline, .seconds(60))
        return policy
    }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        try await transport.send(request, policy: patient(policy))
    }

    func certificate(of origin: Origin, policy: TransportPolicy) async throws(AuthFailure) -> ServerCertificate? {
        try await transport.certificate(of: origin, policy: patient(policy))
    }

    func open(
        _ request: WebRequest, policy: TransportPolicy, upload: RequestBody?, isRaw: Bool
    ) async throws(AuthFailure) -> StreamedResponse {
        try await transport.open(request, policy: patient(policy), upload: upload, isRaw: isRaw)
    }

    func upgrade(
        _ request: WebRequest, to name: String, policy: TransportPolicy, input: RequestBody
    ) async throws(AuthFailure) -> StreamedResponse {
        try await transport.upgrade(request, to: name, policy: patient(policy), input: input)
    }
}
