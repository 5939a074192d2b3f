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
        do {
            value = try JSONValue(strict: bytes, limits: Self.limits)
        } catch {
            // Texts that a program cut between two halves of a character are common, and harmless in a message that is passed on.
            guard error.kind == .malformed, let whole = Self.replacingHalves(bytes),
                let value = try? JSONValue(strict: whole, limits: Self.limits)
            else { throw .parseError }
            self.value = value
        }
        kind = try Self.kind(of: value)
    }

    /// Returns a JSON text with U+FFFD in place of each escape of a lone surrogate; `nil` if there is none.
    private static func replacingHalves(_ text: [UInt8]) -> [UInt8]? {
        /// Returns the surrogate that an escape names.
        func surrogate(at index: Int) -> UInt16? {
            guard index + 6 <= text.count, text[index] == UInt8(ascii: "\\"), text[index + 1] == UInt8(ascii: "u") else { return nil }
            let digits = text[(index + 2)..<(index + 6)].map { Character(Unicode.Scalar($0)).hexDigitValue }
            guard digits.allSatisfy({ $0 != nil }) else { return nil }
            let unit = digits.reduce(UInt16(0)) { $0 << 4 | UInt16($1 ?? 0) }
            return (0xD800..<0xE000).contains(unit) ? unit : nil
        }
        var result: [UInt8] = []
        var index = 0
        var isChanged = false
        while index < text.count {
            if let unit = surrogate(at: index) {
                let isPair = unit < 0xDC00 && (surrogate(at: index + 6) ?? 0) >= 0xDC00
                result += isPair ? text[index..<(index + 12)] : Array("\\ufffd".utf8)[...]
                isChanged = isChanged || !isPair
                index += isPair ? 12 : 6
            } else {
                // An escaped backslash is no start of an escape.
                let count = text[index] == UInt8(ascii: "\\") ? min(2, text.count - index) : 1
                result += text[index..<(index + count)]
                index += count
            }
        }
        return isChanged ? result : nil
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

    /// Whether the answer comes only when the client or the server ends the subscription, after any time (2026-07-28).
    var isSubscription: Bool {
        if case .request(_, "subscriptions/listen") = kind { true } else { false }
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
