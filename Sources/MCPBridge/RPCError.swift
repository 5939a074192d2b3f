internal import AuthModel
internal import Localization

/// An error of JSON-RPC 2.0 (section 5.1).
struct RPCError: Error, Equatable, Sendable {
    var code: Int
    var message: String
    var data: JSONValue?
    /// The request that it answers; `nil` if that is not known.
    var id: JSONValue?

    static let parseError = RPCError(code: -32700, message: "Parse error: a message is one line of JSON in UTF-8, of at most 64 MB")

    static func invalidRequest(_ id: JSONValue?) -> RPCError {
        RPCError(code: -32600, message: "Invalid request: not a JSON-RPC 2.0 message", id: id)
    }

    /// The answer to a request whose connection ended before its response came.
    static let connectionLost = RPCError(
        code: -32000, message: "the server ended the connection before it answered; it may have carried the request out")

    /// The answer to a request that could not be made. Its text says what to do next.
    static func failure(_ failure: AuthFailure) -> RPCError {
        let hint = failure.hint.map { "; \($0.english)" } ?? ""
        return RPCError(code: -32000, message: failure.message.english + hint)
    }

    /// The response as one line of JSON.
    func line(answering id: JSONValue?) -> [UInt8] {
        var error: [JSONValue.Member] = [.init("code", .number(code)), .init("message", .string(message))]
        if let data { error.append(.init("data", data)) }
        let response = JSONValue.members(("jsonrpc", "2.0"), ("id", id ?? self.id ?? .null), ("error", .object(error)))
        return Array(response.text.utf8)
    }
}
