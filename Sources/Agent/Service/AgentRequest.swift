import AuthModel

/// A request as it was read from a connection.
struct AgentRequest: Sendable {
    var method: String
    /// Path and query.
    var target: String
    /// The values of our own header fields; `nil` where they were not sent.
    var protocolVersion: String?
    var store: String?
    var configuration: String?
    var body: [UInt8]
    /// Who asks, as the kernel says.
    var caller: Caller

    var path: String { String(target.prefix { $0 != "?" }) }

    /// A parameter of the query, decoded.
    func parameter(_ name: String) -> String? {
        guard let mark = target.firstIndex(of: "?") else { return nil }
        let query = String(target[target.index(after: mark)...])
        return FormEncoding.decode(query)?.first { $0.name == name }?.value
    }
}

/// What the agent answers.
enum AgentAnswer: Sendable {
    case document(status: Int, [UInt8])
    /// Server-sent events, until the stream ends or the reader goes.
    case events(AsyncStream<JSONValue>)

    static func json(_ value: JSONValue, status: Int = 200) -> AgentAnswer { .document(status: status, Array(value.text.utf8)) }

    static func failure(_ failure: AuthFailure, status: Int? = nil) -> AgentAnswer {
        .json(.members(("error", failure.wire)), status: status ?? failure.httpStatus)
    }
}
