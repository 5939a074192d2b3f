import AuthEngine
import AuthModel
import OAuth
import Synchronization

/// A transport that can hold a request back: what is done at a provider, and elsewhere, while an answer is under way.
final class HeldTransport: HTTPTransport {
    /// What is done before the first request that is meant is sent.
    typealias Meanwhile = @Sendable () async -> Void

    private struct Plan {
        var isMeant: @Sendable (WebRequest) -> Bool
        var meanwhile: Meanwhile
    }

    private let inner = CurlTransport(version: "test", environment: [:])
    private let plan = Mutex<Plan?>(nil)

    /// Runs `meanwhile` while the next request with this form field is held back; it is sent when that is over.
    func hold(field: String, _ meanwhile: @escaping Meanwhile) {
        plan.withLock { plan in
            plan = Plan(isMeant: { String(decoding: $0.body, as: UTF8.self).contains(field) }, meanwhile: meanwhile)
        }
    }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        let meanwhile = plan.withLock { plan -> Meanwhile? in
            guard let found = plan, found.isMeant(request) else { return nil }
            plan = nil
            return found.meanwhile
        }
        await meanwhile?()
        return try await inner.send(request, policy: policy)
    }
}
