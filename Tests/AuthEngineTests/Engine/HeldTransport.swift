import AuthEngine
import AuthModel
import OAuth
import Synchronization

/// A transport that can delay a request while a test acts at the provider or elsewhere.
final class HeldTransport: HTTPTransport {
    /// The action that runs before the selected request is sent.
    typealias Meanwhile = @Sendable () async -> Void

    private struct Plan {
        var isSelected: @Sendable (WebRequest) -> Bool
        var meanwhile: Meanwhile
    }

    private let inner = CurlTransport(version: "test", environment: [:])
    private let plan = Mutex<Plan?>(nil)

    /// Delays the next request with this form field until `meanwhile` returns.
    func hold(field: String, _ meanwhile: @escaping Meanwhile) {
        plan.withLock { plan in
            plan = Plan(isSelected: { String(decoding: $0.body, as: UTF8.self).contains(field) }, meanwhile: meanwhile)
        }
    }

    func send(_ request: WebRequest, policy: TransportPolicy) async throws(AuthFailure) -> WebResponse {
        let meanwhile = plan.withLock { plan -> Meanwhile? in
            guard let found = plan, found.isSelected(request) else { return nil }
            plan = nil
            return found.meanwhile
        }
        await meanwhile?()
        return try await inner.send(request, policy: policy)
    }
}
