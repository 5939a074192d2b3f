import AuthEngine
import AuthModel
import OAuth

/// The engine's HTTP client with longer deadlines: on a busy machine, a server in this process may have its turn late.
struct PatientTransport: HTTPTransport {
    let transport: CurlTransport

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        var patient = policy
        patient.deadline = max(policy.deadline, .seconds(60))
        return try await transport.send(request, policy: patient)
    }
}
