public import AuthModel
import Synchronization

/// A request that the sandbox was sent.
public struct LoggedRequest: Equatable, Sendable {
    public var method: String
    /// Without the query.
    public var path: String
    /// Decoded, in their order.
    public var query: [(name: String, value: String)]
    /// Fields of a form body, decoded, in their order.
    public var form: [(name: String, value: String)]
    public var headers: [(name: String, value: String)]
    /// The body as it came.
    public var body: [UInt8]
    /// Whether it came by TLS.
    public var isEncrypted: Bool
    /// The provider's own time.
    public var receivedAt: Timestamp

    public static func == (left: LoggedRequest, right: LoggedRequest) -> Bool {
        func same(_ left: [(name: String, value: String)], _ right: [(name: String, value: String)]) -> Bool {
            left.elementsEqual(right) { $0 == $1 }
        }
        return left.method == right.method && left.path == right.path && left.receivedAt == right.receivedAt && left.body == right.body
            && left.isEncrypted == right.isEncrypted
            && same(left.query, right.query) && same(left.form, right.form) && same(left.headers, right.headers)
    }

    /// The first header field of that name, compared without case.
    public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// The first field of the form of that name.
    public func field(_ name: String) -> String? { form.first { $0.name == name }?.value }

    /// The first parameter of the query of that name.
    public func parameter(_ name: String) -> String? { query.first { $0.name == name }?.value }

    var json: JSONValue {
        func pairs(_ list: [(name: String, value: String)]) -> JSONValue {
            .array(list.map { .array([.string($0.name), .string($0.value)]) })
        }
        return [
            "method": .string(method), "path": .string(path), "query": pairs(query), "form": pairs(form), "headers": pairs(headers),
            "body": .string(String(decoding: body, as: UTF8.self)), "tls": .bool(isEncrypted),
            "received_at": .string(receivedAt.description),
        ]
    }
}

/// The requests in the order in which they came, and whoever waits for the next one.
final class RequestLog: Sendable {
    private struct State {
        var requests: [LoggedRequest] = []
        var followers: [Int: AsyncStream<LoggedRequest>.Continuation] = [:]
        var nextFollower = 0
    }

    private let state = Mutex(State())

    var requests: [LoggedRequest] { state.withLock(\.requests) }

    func append(_ request: LoggedRequest) {
        state.withLock { state in
            state.requests.append(request)
            for follower in state.followers.values { follower.yield(request) }
        }
    }

    func clear() { state.withLock { $0.requests = [] } }

    /// The requests so far, and every one that comes after them.
    func follow() -> AsyncStream<LoggedRequest> {
        AsyncStream { continuation in
            let number = state.withLock { state in
                for request in state.requests { continuation.yield(request) }
                state.nextFollower += 1
                state.followers[state.nextFollower] = continuation
                return state.nextFollower
            }
            continuation.onTermination = { _ in self.state.withLock { _ = $0.followers.removeValue(forKey: number) } }
        }
    }

    /// Ends the streams of everybody who follows.
    func finish() {
        let followers = state.withLock { state in
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }
}
