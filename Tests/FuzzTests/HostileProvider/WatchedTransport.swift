import AuthEngine
import AuthModel
import OAuth
import Synchronization

/// The engine's own HTTP client. It records each request and connects only to the hostile provider.
final class WatchedTransport: HTTPTransport {
    private let inner = CurlTransport(version: "test", environment: [:])
    private let origin: Origin
    private let sent = Mutex<[WebRequest]>([])
    private let patience = Mutex(WatchedTransport.unhurried)

    /// A time in which every machine has answered. With the engine's own time limit, a busy machine looks like a provider that does not answer.
    static let unhurried: Duration = .seconds(300)

    /// Creates the client.
    /// - Parameter origin: the hostile provider's origin.
    init(origin: Origin) { self.origin = origin }

    /// The engine's requests, in order.
    var requests: [WebRequest] { sent.withLock { $0 } }

    /// Limits the time to wait for each response from now on.
    func wait(atMost limit: Duration) { patience.withLock { $0 = limit } }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        sent.withLock { $0.append(request) }
        guard request.url.origin == origin else {
            throw AuthFailure(
                .unavailable(retryAfter: nil), text: "there is no server at \(request.url.origin.authority)", hint: "request another server"
            )
        }
        var policy = policy
        policy.deadline = patience.withLock { $0 }
        return try await inner.send(request, policy: policy)
    }
}
