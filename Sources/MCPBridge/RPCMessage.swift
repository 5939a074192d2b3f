internal import AuthModel

/// One JSON-RPC 2.0 message in one line, as it is passed on: unknown members, the order of members and the form of numbers stay as they are.
struct RPCMessage: Sendable {
    /// What a message is for.
    enum Kind: Equatable, Sendable {
        case request(id: JSONValue, method: String)
        case notification(method: String)
        case response(id: JSONValue)
        /// Several messages at once, which only the protocol 2025-03-26 has.
        case batch
    }

    /// The message without line feeds.
    let bytes: [UInt8]
    let value: JSONValue
    let kind: Kind

    /// The limits of a message: its size in bytes and its depth.
    static let limits = JSONValue.Limits(bytes: 64 << 20, depth: 512)

    /// Reads a message. Throws the JSON-RPC error that answers a text that is none.
    init(_ text: some Collection<UInt8>) throws(RPCError) {
        // A line feed in JSON is white space, because a string has none.
        bytes = text.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
        do { value = try JSONValue(strict: bytes, limits: Self.limits) } catch { throw .parseError }
        kind = try Self.kind(of: value)
    }

    private static func kind(of value: JSONValue) throws(RPCError) -> Kind {
        if let elements = value.array {
            guard !elements.isEmpty else { throw .invalidRequest(nil) }
            return .batch
        }
        guard value.members != nil else { throw .invalidRequest(nil) }
        let id = value["id"].flatMap { $0.isRequestID ? $0 : nil }
        if let method = value["method"] {
            guard let method = method.string else { throw .invalidRequest(id) }
            guard value["id"] != nil else { return .notification(method: method) }
            guard let id else { throw .invalidRequest(nil) }
            return .request(id: id, method: method)
        }
        guard value["result"] != nil || value["error"] != nil, let id = value["id"] else { throw .invalidRequest(id) }
        return .response(id: id)
    }

    /// The identifiers of the requests in this message.
    var requests: [JSONValue] {
        switch kind {
        case .request(let id, _): [id]
        case .batch: (value.array ?? []).filter { $0["method"] != nil }.compactMap { $0["id"] }
        case .notification, .response: []
        }
    }

    /// The identifiers of the responses in this message.
    var responses: [JSONValue] {
        switch kind {
        case .response(let id): [id]
        case .batch: (value.array ?? []).filter { $0["method"] == nil }.compactMap { $0["id"] }
        case .notification, .request: []
        }
    }

    /// The version of the stateless protocol that a request names in itself (2026-07-28 and later); `nil` for the earlier protocols.
    var ownVersion: String? { value["params"]?["_meta"]?["io.modelcontextprotocol/protocolVersion"]?.string }
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
