import AuthModel
import Synchronization

/// Keeps the parsed form of recent token requests by their exact bytes, because programs repeat the same request.
///
/// It keeps no request that contains a secret.
final class TokenRequestMemo: Sendable {
    private let requests = Mutex<[[UInt8]: TokenRequest]>([:])

    /// Maximum number of kept requests.
    static let limit = 64
    /// Maximum size of a kept request, in bytes.
    static let sizeLimit = 1024

    /// The number of kept requests.
    var count: Int { requests.withLock { $0.count } }

    /// Returns the request in a body; `nil` if the body is invalid, too long, has a secret, or may get another token each time.
    func request(in body: [UInt8]) -> TokenRequest? {
        guard body.count <= Self.sizeLimit else { return nil }
        if let known = requests.withLock({ $0[body] }) { return known }
        guard let value = try? JSONValue(strict: body, limits: JSONValue.Limits(bytes: Self.sizeLimit, depth: 8)),
            let request = try? TokenRequest(wire: value), request.isRepeatable,
            request.consent == nil
        else { return nil }
        requests.withLock { requests in
            if requests.count >= Self.limit { requests.removeAll() }
            requests[body] = request
        }
        return request
    }
}
