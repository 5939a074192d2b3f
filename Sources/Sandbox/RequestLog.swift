public import AuthModel
import Synchronization

/// A request that the sandbox received.
public struct LoggedRequest: Equatable, Sendable {
    /// The HTTP method.
    public var method: String
    /// The path, without the query.
    public var path: String
    /// The decoded query parameters, in their order.
    public var query: [(name: String, value: String)]
    /// The decoded fields of a form body, in their order.
    public var form: [(name: String, value: String)]
    /// The header fields, in their order.
    public var headers: [(name: String, value: String)]
    /// The body as received.
    public var body: [UInt8]
    /// Whether the request came over TLS.
    public var isEncrypted: Bool
    /// The time of receipt, by the provider's own clock.
    public var receivedAt: Timestamp

    /// Compares all properties, with the pairs in their order.
    public static func == (left: LoggedRequest, right: LoggedRequest) -> Bool {
        func same(_ left: [(name: String, value: String)], _ right: [(name: String, value: String)]) -> Bool {
            left.elementsEqual(right) { $0 == $1 }
        }
        return left.method == right.method && left.path == right.path && left.receivedAt == right.receivedAt && left.body == right.body
            && left.isEncrypted == right.isEncrypted
            && same(left.query, right.query) && same(left.form, right.form) && same(left.headers, right.headers)
    }

    /// Returns the value of the first header field with this name, ignoring case.
    public func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }

    /// Returns the value of the first form field with this name.
    public func field(_ name: String) -> String? { form.first { $0.name == name }?.value }

    /// Returns the value of the first query parameter with this name.
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

/// The received requests, in their order, and the streams that follow them.
final class RequestLog: Sendable {
    private struct State {
        var requests: [LoggedRequest] = []
        var followers: [Int: AsyncStream<LoggedRequest>.Continuation] = [:]
        var nextFollower = 0
    }

    private let state = Mutex(State())
    /// Held while a request is sent, so that all followers get the requests in the same order. Never while a follower is removed: that
    /// happens under a lock of its task, which sending to that task needs too.
    private let sending = Mutex(())

    var requests: [LoggedRequest] { state.withLock(\.requests) }

    func append(_ request: LoggedRequest) {
        sending.withLock { _ in
            let followers = state.withLock { state in
                state.requests.append(request)
                return Array(state.followers.values)
            }
            for follower in followers { follower.yield(request) }
        }
    }

    func clear() { state.withLock { $0.requests = [] } }

    /// Returns a stream of the requests so far and of all later ones.
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

    /// Ends all streams.
    func finish() {
        let followers = state.withLock { state in
            defer { state.followers = [:] }
            return Array(state.followers.values)
        }
        for follower in followers { follower.finish() }
    }
}
