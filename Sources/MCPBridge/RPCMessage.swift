internal import AuthModel
internal import Localization

/// One JSON-RPC 2.0 message in one line, as it is passed on: unknown members, the order of members and the form of numbers stay as they
/// are.
struct RPCMessage: Sendable {
    /// The kind of a message.
    enum Kind: Equatable, Sendable {
        case request(id: JSONValue, method: String)
        case notification(method: String)
        case response(id: JSONValue)
        /// Several messages at once, which only the protocol 2025-03-26 has.
        case batch
    }

    /// The message without line feeds.
    let bytes: [UInt8]
    /// The message, of which only the parts are read that the bridge needs.
    let json: JSONText
    let kind: Kind
    /// The identifiers of the requests in this message.
    let requests: [JSONValue]
    /// The identifiers of the responses in this message.
    let responses: [JSONValue]
    /// Whether the message opens a session, alone or in a batch.
    let opensSession: Bool
    /// The version of the stateless protocol that a request names in itself (2026-07-28 and later); `nil` for the earlier protocols.
    let ownVersion: String?

    /// The maximum size of a message in bytes, its depth, and the number of messages in a batch.
    private static let sizeLimit = 64 << 20
    private static let depth = 512
    private static let batchLimit = 1000

    /// Reads a message. Throws the JSON-RPC error that answers a text that is none.
    init(_ text: some Collection<UInt8>) throws(RPCError) {
        guard text.count <= Self.sizeLimit else { throw .parseError }
        // A line feed in JSON is white space, because a string has none.
        bytes = text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        do { json = try JSONText(strict: bytes, depth: Self.depth) } catch { throw .parseError }
        if json.isArray {
            guard let elements = json.elements(limit: Self.batchLimit), !elements.isEmpty else { throw .invalidRequest(nil) }
            let parts = try elements.map(Parts.init)
            kind = .batch
            requests = parts.compactMap { $0.method == nil ? nil : $0.id }
            responses = parts.compactMap { $0.method == nil ? $0.id : nil }
            opensSession = parts.contains { $0.method == "initialize" }
            ownVersion = nil
            return
        }
        guard json.isObject else { throw .invalidRequest(nil) }
        let parts = try Parts(json)
        kind = try parts.kind
        (requests, responses) =
            switch kind {
            case .request(let id, _): ([id], [])
            case .response(let id): ([], [id])
            case .notification, .batch: ([], [])
            }
        opensSession = kind.isOpening
        ownVersion = parts.method == nil ? nil : json["params"]?["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string
    }

    /// Returns the response with the identifier of the request, in whose own response it came. Some servers answer `"1"` with `1`, or 0
    /// with 0.0.
    func answering(_ message: RPCMessage) -> RPCMessage {
        guard case .request(let id, _) = message.kind, case .response(let other) = kind, other != id, other != .null,
            Self.digits(other) == Self.digits(id)
        else { return self }
        return (try? RPCMessage(json.setting([("id", Array(id.text.utf8))], in: json))) ?? self
    }

    private static func digits(_ id: JSONValue) -> String {
        let text = id.string ?? id.text
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    /// The value of an error that a response has without saying for which request; `nil` if the text is no such response.
    static func error(in text: [UInt8]) -> JSONValue? {
        guard let error = (try? JSONText(strict: text, depth: depth))?["error"]?.value, error["code"]?.integer != nil else { return nil }
        return error
    }

    /// The members that say what a message is for.
    private struct Parts {
        let id: JSONValue?
        let method: JSONValue?
        let hasResult: Bool

        /// Reads the members. A message that has one of them twice is refused, because the other end could read the other one.
        init(_ json: JSONText) throws(RPCError) {
            let found: [JSONText?]
            do { found = try json.members(["id", "method", "result", "error"]) } catch { throw .parseError }
            (id, method) = (try Self.value(found[0]), try Self.value(found[1]))
            hasResult = found[2] != nil || found[3] != nil
        }

        private static func value(_ part: JSONText?) throws(RPCError) -> JSONValue? {
            guard let part else { return nil }
            guard let value = part.value else { throw .invalidRequest(nil) }
            return value
        }

        /// The kind of a message that is no batch.
        var kind: Kind {
            get throws(RPCError) {
                let requestID = id.flatMap { $0.isRequestID ? $0 : nil }
                if let method {
                    guard let method = method.string else { throw .invalidRequest(requestID) }
                    guard id != nil else { return .notification(method: method) }
                    guard let requestID else { throw .invalidRequest(nil) }
                    return .request(id: requestID, method: method)
                }
                guard hasResult, let id else { throw .invalidRequest(requestID) }
                return .response(id: id)
            }
        }
    }

    /// Whether the answer comes only when the client or the server ends the subscription, after any time (2026-07-28).
    var isSubscription: Bool {
        if case .request(_, "subscriptions/listen") = kind { true } else { false }
    }
}

extension RPCMessage.Kind {
    /// Whether the message opens a session.
    var isOpening: Bool {
        if case .request(_, "initialize") = self { true } else { false }
    }
}

extension JSONValue {
    /// Whether the value identifies a request: a string or a number.
    fileprivate var isRequestID: Bool {
        switch self {
        case .string, .number: true
        default: false
        }
    }
}

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

    /// The answer to `tools/list` if its tools cannot be checked.
    static let toolsTooMany = RPCError(code: -32000, message: "the server sent more tools in one list than can be checked")

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
